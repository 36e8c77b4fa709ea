/** A request as handlers of both official lines get it. */
export interface OfficialRequest {
  readonly method: string
  readonly params?: { readonly [name: string]: unknown } | undefined
}

/** What comes with a request; `sdk` 1 has its members at the top, `server` 2 below `mcpReq` and `http`. */
export interface OfficialContext {
  readonly signal?: AbortSignal
  readonly authInfo?: OfficialAuthInfo | undefined
  readonly sendNotification?: SendNotification
  readonly mcpReq?: {
    readonly method: string
    readonly signal: AbortSignal
    /** The reserved keys of `_meta`: on modern requests alone. */
    readonly envelope?: { readonly [key: string]: unknown }
    readonly inputResponses?: unknown
    readonly requestState?: () => unknown
    readonly notify: SendNotification
  }
  readonly http?: { readonly authInfo?: OfficialAuthInfo | undefined } | undefined
}

/** What a bearer token was found to be good for. */
export interface OfficialAuthInfo {
  readonly clientId: string
  readonly scopes: readonly string[]
  /** In seconds since 1970. */
  readonly expiresAt?: number | undefined
  readonly extra?: { readonly [name: string]: unknown } | undefined
}

export interface OfficialNotification {
  readonly method: string
  readonly params?: { readonly [name: string]: unknown }
}

// oxlint-disable-next-line typescript/no-explicit-any -- servers of two packages are taken, each with a message type of its own
type SendNotification = (notification: any) => Promise<void>
// oxlint-disable-next-line typescript/no-explicit-any -- as above
type Handler = (request: any, context: any) => any

/** The protocol half of an official server, in the form that `@modelcontextprotocol/sdk` 1 and `server` 2 have in common. */
export interface OfficialServer {
  onclose?: (() => void) | undefined
  onerror?: ((error: Error) => void) | undefined
  fallbackRequestHandler?: Handler | undefined
  // oxlint-disable-next-line typescript/no-explicit-any -- as above
  registerCapabilities(capabilities: any): void
  assertCanSetRequestHandler(method: string): void
  // oxlint-disable-next-line typescript/no-explicit-any -- as above
  setRequestHandler(...args: any[]): void
  notification: SendNotification
}

/** An `McpServer` of either line. */
export interface OfficialMcpServer {
  readonly server: OfficialServer
}
