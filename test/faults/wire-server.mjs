// A server whose resources are slow, deaf, endless or in the way, and which tells on standard error what becomes of them.
import { closeSync, openSync, readdirSync, readFile, readSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { createLibrary } from 'shelfmark'
import { serveHttp } from 'shelfmark/transports/http'
import { serveStdio } from 'shelfmark/transports/stdio'

const say = (event, uri) => process.stderr.write(`${JSON.stringify({ event, uri })}\n`)
const options = JSON.parse(process.env.WIRE_OPTIONS ?? '{}')

const { now } = Date
let offset = 0
Date.now = () => now() + offset

let rejections = 0
process.on('unhandledRejection', () => rejections++)

/** Settles when the caller gave up. */
function gaveUp({ signal, uri }) {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    signal.addEventListener('abort', () => {
      say('aborted', uri)
      resolve()
    })
  })
}

/** Bytes of an open descriptor, one piece at a time, with something to wait for before each. */
function zeros(uri, size, wait = async () => {}) {
  const fd = openSync('/dev/zero')
  say('opened', uri)
  const bytes = {
    size,
    async *open() {
      const piece = 192 * 1024
      try {
        for (let at = 0; at < size; at += piece) {
          await wait(at)
          const buffer = new Uint8Array(Math.min(piece, size - at))
          readSync(fd, buffer)
          yield buffer
        }
      } finally {
        say('left', uri)
      }
    },
  }
  const dispose = async () => {
    closeSync(fd)
    say('disposed', uri)
  }
  return { kind: 'contents', contents: [{ uri, mimeType: 'application/octet-stream', bytes }], [Symbol.asyncDispose]: dispose }
}

/** A question of one field. */
const ask = (key, state) => ({
  kind: 'input-required',
  requests: {
    [key]: {
      method: 'elicitation/create',
      params: { mode: 'form', message: key, requestedSchema: { type: 'object', properties: { value: { type: 'string' } } } },
    },
  },
  state,
})

const library = createLibrary({ name: 'wire', version: '1.0.0' })
  .resource('note:a', () => 'a')
  .template('echo:{+text}', ({ text }) => text)
  .template('text:{size}', ({ size }) => 'x'.repeat(Number(size)))
  .template('slow:{ms}', async ({ ms }, { uri }) => {
    say('begun', uri)
    await pause(Number(ms))
    return 'slow'
  })
  .template('hang:{id}', async (_values, context) => {
    context.progress(1)
    say('begun', context.uri)
    await gaveUp(context)
    throw context.signal.reason
  })
  .template('late:{id}', async (_values, context) => {
    say('begun', context.uri)
    await gaveUp(context)
    await pause(20)
    say('late', context.uri)
    return 'late'
  })
  .template('deaf:{id}', (_values, { uri }) => {
    say('begun', uri)
    return new Promise(() => {})
  })
  // Reads a descriptor little by little, as from a slow disk.
  .template('disk:{id}', async (_values, { uri, signal }) => {
    const fd = openSync('/dev/zero')
    say('begun', uri)
    try {
      for (let i = 0; i < 2_000; i++) {
        signal.throwIfAborted()
        readSync(fd, new Uint8Array(10))
        await pause(10)
      }
      return 'read'
    } finally {
      closeSync(fd)
      say('disposed', uri)
    }
  })
  .template('zeros:{size}', ({ size }, { uri }) => zeros(uri, Number(size)))
  // Some bytes, and then none until the caller gives up, or none ever.
  .template('drip:{id}', (_values, context) =>
    zeros(context.uri, 3_000_000, async (at) => {
      if (at < 600_000) return
      say('dry', context.uri)
      await gaveUp(context)
      throw context.signal.reason
    }),
  )
  .template('mute:{id}', (_values, { uri }) =>
    zeros(uri, 3_000_000, (at) => {
      if (at < 600_000) return undefined
      say('dry', uri)
      return new Promise(() => {})
    }),
  )
  // Tells of each step twice, once of less than before, and once more when the answer has left.
  .template('steps:{count}', async ({ count }, context) => {
    const steps = Number(count)
    for (let step = 1; step <= steps; step++) {
      context.progress(step, steps)
      context.progress(step, steps)
      context.progress(step - 1, steps)
      await pause(2)
    }
    setTimeout(() => context.progress(steps + 1, steps), 20)
    return 'done'
  })
  // Asks for a room, and then for a floor.
  .template('plan:{house}', ({ house }, { answers }) => {
    if (answers === undefined) return ask('room', { house })
    if (answers.state.room === undefined) return ask('floor', { house, room: answers.responses.room.content.value })
    return `${house}, ${answers.state.room}, ${answers.responses.floor.content.value}`
  })
  .template('fails:{+text}', ({ text }) => {
    throw new Error(text)
  })
  .template('do:update/{+uri}', ({ uri }) => {
    library.updated(uri)
    return 'updated'
  })
  // Keeps the event loop from everything else.
  .template('do:spin/{ms}', ({ ms }) => {
    for (const end = performance.now() + Number(ms); performance.now() < end;);
    return 'spun'
  })
  // Puts the wall clock forward, or back.
  .template('do:jump/{ms}', ({ ms }) => {
    offset += Number(ms)
    return 'jumped'
  })
  // Blocks threads of the file system: nobody writes to these pipes.
  .template('do:block/{+fifos}', ({ fifos }) => {
    for (const fifo of fifos.split(',')) readFile(fifo, () => {})
    return 'blocked'
  })
  .template('probe:{id}', () => {
    globalThis.gc?.()
    const kinds = {}
    for (const kind of process.getActiveResourcesInfo()) kinds[kind] = (kinds[kind] ?? 0) + 1
    const { heapUsed, external, rss } = process.memoryUsage()
    return { kinds, descriptors: readdirSync('/proc/self/fd').length, memory: heapUsed + external, rss, rejections }
  })

if (process.argv.includes('--http')) {
  const server = await serveHttp(library, { port: 0, ...options })
  process.stdout.write(`${server.url}\n`)
  process.once('SIGTERM', () => server.close().then(() => process.exit(0)))
} else {
  const server = await serveStdio(library, options)
  process.once('SIGTERM', () => server.close().then(() => process.exit(0)))
}
