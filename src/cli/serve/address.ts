/** `[host:]port`; an IPv6 host stands in brackets. Undefined for what is none. */
export function parseAddress(text: string): { readonly host?: string; readonly port: number } | undefined {
  const match = /^(?:(\[[0-9a-f:]+\]|[^:[\]]+):)?(\d{1,5})$/i.exec(text)
  const port = Number(match?.[2])
  if (match === null || port > 65_535) return undefined
  const host = match[1]?.replace(/^\[|\]$/g, '')
  return host === undefined ? { port } : { host, port }
}

/** A host as URLs have it. */
export function hostInText(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}
