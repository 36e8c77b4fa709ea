/** Whose form a configuration file has: it decides which variables its texts may name. */
export type ServerFileForm = 'claude-desktop' | 'claude-code' | 'vscode' | 'cursor'

/** A server of a configuration file, in one form for all hosts. Texts are as written: variables are not filled in. */
export type ServerEntry = StdioServerEntry | HttpServerEntry

interface NamedEntry {
  readonly name: string
  /** The file it is in, absolute. */
  readonly file: string
  /**
   * Where its texts get their meaning from. Without it they are taken as they are, and opening the server needs no
   * consent: a host that makes an entry by itself has decided already.
   */
  readonly origin?: EntryOrigin
}

/** A process that talks on standard input and output. */
export interface StdioServerEntry extends NamedEntry {
  readonly kind: 'stdio'
  readonly command: string
  readonly args: readonly string[]
  /** null takes a variable away that the server would inherit. */
  readonly env: Readonly<Record<string, string | null>>
  /** Relative to the folder of `origin`, which is also the default. */
  readonly cwd?: string
  /** A file of further variables, below those of `env`. */
  readonly envFile?: string
}

/** A URL: `http` is Streamable HTTP, `sse` the transport of 2024-11-05. */
export interface HttpServerEntry extends NamedEntry {
  readonly kind: 'http' | 'sse'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

export interface EntryOrigin {
  /** `project` for a file that a repository may have brought along: such a server is opened with consent only. */
  readonly scope: 'project' | 'user'
  readonly form: ServerFileForm
  /** `${workspaceFolder}`: the folder that the project's file is for, else the working folder. */
  readonly folder: string
  /** `${userHome}` */
  readonly home: string
  /** What `${input:id}` asks for, in the file's order. */
  readonly inputs: readonly ServerInput[]
}

/** A value that VS Code asks for when a server starts. */
export interface ServerInput {
  readonly id: string
  readonly description?: string
  /** Taken when nobody is asked. */
  readonly default?: string
  /** Not to be shown while it is typed. */
  readonly password: boolean
}
