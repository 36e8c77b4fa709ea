import { ShelfError } from '../../errors.ts'
import { splitCommand } from './command-line.ts'
import { checkHttpUrl, isHttpUrl } from './http-url.ts'
import { quote } from './printable.ts'

/** What text for a server means. */
export type ServerText =
  | { readonly kind: 'url'; readonly url: string }
  /** A server of an `mcp.json`, without the `@`. */
  | { readonly kind: 'name'; readonly name: string }
  /** The program and its arguments; at least the program. */
  | { readonly kind: 'command'; readonly argv: readonly string[] }
  /** A source of data, whose text is left to who knows sources: a path, or a prefix such as `git:`. */
  | { readonly kind: 'source'; readonly text: string }

/** What only the caller knows of sources. */
export interface KnownSources {
  /** Prefixes of sources, each with its colon: `['git:', 'sqlite:']`. Default: none. */
  readonly prefixes?: readonly string[]
  /** Whether the text is a path that is there. Default: none is. */
  readonly exists?: (path: string) => boolean
}

/** Before a server that is used as a source: the rest is a URL, a name or a command. */
const MCP = 'mcp:'

/**
 * Tells what text for a server means, trying in this order: an http(s) URL, a prefix of a source, `@name`, a path that
 * exists, a command in the form of `splitCommand`. After `mcp:` come a URL, `@name` or a command, and never a source.
 *
 * @throws ShelfError `invalid-option` for text that is none of them, with what is wrong
 */
export function parseServer(text: string, known: KnownSources = {}): ServerText {
  const trimmed = text.trim()
  if (isHttpUrl(trimmed)) return parseOther(trimmed)
  if (text.startsWith(MCP)) return parseOther(text.slice(MCP.length).trim())
  if (known.prefixes?.some((prefix) => text.startsWith(prefix))) return { kind: 'source', text }
  if (!trimmed.startsWith('@') && trimmed !== '' && known.exists?.(text)) return { kind: 'source', text }
  return parseOther(trimmed)
}

function parseOther(text: string): ServerText {
  if (isHttpUrl(text)) return { kind: 'url', url: checkHttpUrl(text, 'The server') }
  if (text.startsWith('@')) {
    if (text === '@') throw refuse('@ is followed by no name: @github, for a server "github" of an mcp.json')
    return { kind: 'name', name: text.slice(1) }
  }
  const argv = splitCommand(text)
  if (argv.length === 0) throw refuse('The server is empty: give a URL, @name or a command')
  if (argv[0] === '') throw refuse(`The command ${quote(text)} begins with an empty word, and names no program`)
  return { kind: 'command', argv }
}

function refuse(message: string): ShelfError {
  return new ShelfError('invalid-option', message, { option: 'server' })
}
