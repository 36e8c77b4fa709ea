import * as fs from 'node:fs'
import { basename, join } from 'node:path'
import { announce, FILE_NAME, MIME_TYPE, readOrder, resourceName, resourceUri, SERVER, templateUri, TEXT } from '../shelf.ts'
import type { Order, Stock } from '../shelf.ts'

/**
 * What Node itself costs: collect the body or cut the lines, parse, look up in a Map, splice the id into a result
 * that was encoded before. No checks, no errors, no second era.
 */

interface Message {
  readonly id?: number
  readonly method: string
  readonly params: { readonly uri?: string }
}

type Respond = (text: string) => void

const OPENING = JSON.stringify({ protocolVersion: '2025-11-25', capabilities: { resources: {} }, serverInfo: SERVER })

function contents(uri: string): string {
  return JSON.stringify({ contents: [{ uri, mimeType: MIME_TYPE, text: TEXT }] })
}

function shelfOf({ resources = 0, templates = 0 }: Stock) {
  const results = new Map<string, string>()
  const listed: object[] = []
  for (let i = 0; i < resources; i++) {
    const uri = resourceUri(i)
    listed.push({ uri, name: resourceName(i), mimeType: MIME_TYPE })
    results.set(uri, contents(uri))
  }
  // A template needs a match; the limit knows the one URI that will be asked for.
  for (let i = 0; i < templates; i++) results.set(templateUri(i), contents(templateUri(i)))
  return { results, listed }
}

function answerer(order: Order): (text: string, respond: Respond) => void {
  const { results, listed } = shelfOf(order.stock)
  const { folder, page } = order.stock
  const listFiles = folder === undefined || page === undefined ? undefined : filesOf(folder, page)
  return (text, respond) => {
    const { id, method, params } = JSON.parse(text) as Message
    const reply = (result: string): void => respond(`{"jsonrpc":"2.0","id":${id},"result":${result}}`)
    if (method === 'resources/read') {
      const { uri = '' } = params
      if (folder !== undefined)
        readFile(join(folder, FILE_NAME), (body) =>
          reply(JSON.stringify({ contents: [{ uri, mimeType: MIME_TYPE, text: body }] })),
        )
      else reply(results.get(uri) ?? '{}')
    } else if (listFiles !== undefined) listFiles((items) => reply(JSON.stringify({ resources: items })))
    else if (method === 'resources/list') reply(JSON.stringify({ resources: listed.slice(0, 200) }))
    else if (method === 'initialize') reply(OPENING)
    else respond('')
  }
}

/** The five calls that a read beneath a root cannot do without, each in its cheaper form. */
function readFile(path: string, done: (body: string) => void): void {
  fs.open(path, fs.constants.O_RDONLY, (_error, fd) => {
    const { size } = fs.fstatSync(fd)
    fs.readlinkSync(`/proc/self/fd/${fd}`)
    fs.read(fd, Buffer.allocUnsafe(size + 1), 0, size + 1, 0, (_failure, got, buffer) => {
      fs.closeSync(fd)
      done(buffer.toString('utf8', 0, got))
    })
  })
}

/** The first files of a folder in order: their names are read once, and each file is looked at for each page. */
function filesOf(folder: string, count: number): (done: (items: readonly object[]) => void) => void {
  let names: readonly string[] | undefined
  return (done) => {
    names ??= firstNames(folder, count)
    const items: object[] = []
    let left = names.length
    for (const [place, name] of names.entries()) {
      fs.lstat(join(folder, name), (_error, { mtimeMs, size }) => {
        const annotations = { lastModified: new Date(mtimeMs).toISOString() }
        left--
        items[place] = { uri: `file:///bench-shelf/${name}`, name: basename(name), mimeType: MIME_TYPE, size, annotations }
        if (left === 0) done(items)
      })
    }
  }
}

function firstNames(folder: string, count: number): readonly string[] {
  const found: string[] = []
  for (const entry of fs.readdirSync(folder, { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    if (found.length >= count) break
    if (entry.isFile()) found.push(entry.name)
    else
      found.push(
        ...fs
          .readdirSync(join(folder, entry.name))
          .toSorted()
          .map((name) => join(entry.name, name)),
      )
  }
  return found
}

async function serveHttp(answer: ReturnType<typeof answerer>): Promise<void> {
  const { createServer } = await import('node:http')
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks)
      answer(body.toString('utf8'), (text) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
        response.end(text)
      })
    })
  })
  server.listen(0, '127.0.0.1', () => announce((server.address() as { port: number }).port))
}

function serveStdio(answer: ReturnType<typeof answerer>, batched: boolean): void {
  let rest = ''
  let out = ''
  const respond = batched
    ? (text: string): void => {
        if (text !== '') out += `${text}\n`
      }
    : (text: string): void => {
        if (text !== '') process.stdout.write(`${text}\n`)
      }
  process.stdin.on('data', (chunk: Buffer) => {
    const lines = (rest + chunk.toString('utf8')).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) answer(line, respond)
    if (out === '') return
    process.stdout.write(out)
    out = ''
  })
  process.stdin.on('end', () => process.exit())
}

const order = readOrder()
if (order.transport === 'http') await serveHttp(answerer(order))
else serveStdio(answerer(order), order.batched === true)
