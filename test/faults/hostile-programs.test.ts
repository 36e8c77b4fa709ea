import { setTimeout as pause } from 'node:timers/promises'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { describe, expect, it } from 'vitest'
import { connectStdio } from '../../src/transports/stdio/index.ts'
import type { StdioConnectOptions } from '../../src/transports/stdio/index.ts'
import { talk } from '../talk.ts'
import { TELLS } from './wire.ts'

const MB = 1_000_000

/** A program that is a server of this kind, in a line of JavaScript. */
const program = (code: string, options: Partial<StdioConnectOptions> = {}) =>
  connectStdio({ command: process.execPath, args: ['-e', code], ...options })

const ANSWER = 'process.stdin.on(\'data\', () => process.stdout.write(\'{"jsonrpc":"2.0","id":1,"result":{}}\\n\'));'

/** Is there a process of this number, other than one that is dead and not yet buried? */
async function lives(pid: number): Promise<boolean> {
  const { readFile } = await import('node:fs/promises')
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  return stat !== undefined && !/\) [ZX] /.test(stat)
}

describe('connectStdio() to programs that end', () => {
  it.each([
    ['process.exit(3)', 'server exited with code 3'],
    ["process.kill(process.pid, 'SIGKILL')", 'server exited (SIGKILL)'],
    ['process.exit(0)', 'server exited with code 0'],
    [
      "process.stderr.write('a\\n\\nb\\u001b[31mred\\u001b[0m\\u0007\\u202e\\n', () => process.exit(1))",
      'server exited with code 1. The end of its standard error:\n  a\n  bred\\u202e',
    ],
    [
      "process.stderr.write('\\u0000'.repeat(5) + 'x'.repeat(70000), () => process.exit(1))",
      `server exited with code 1. The end of its standard error:\n  ${'x'.repeat(300)}...`,
    ],
  ])('connectStdio() says of %s why it is over', async (code, message) => {
    const { wire, closed } = await closing(program(code))
    await closed
    expect(wire.closeReason).toMatchObject({ code: 'unavailable', message })
    await expect(wire.send({ jsonrpc: '2.0', method: 'x' })).rejects.toMatchObject({ code: 'unavailable', message })
  })

  it.each([
    [{ command: 'no-such-command-here' }, 'could not be started: no such command "no-such-command-here"'],
    [{ command: 'node', cwd: '/no/such/folder' }, 'could not be started: no such folder "/no/such/folder"'],
    [{ command: '/etc/passwd' }, 'could not be started: "/etc/passwd" may not be executed'],
    [{ command: 'node', env: { PATH: '/nowhere' } }, 'could not be started: no such command "node"'],
  ])('connectStdio() says of %j why it could not be started', async (options, message) => {
    const wire = connectStdio(options)
    let closes = 0
    Object.assign(wire, { onclose: () => closes++ })
    await expect(wire.start()).rejects.toMatchObject({ code: 'unavailable', message })
    expect(wire.closeReason?.message).toBe(message)
    await wire.close()
    expect(closes).toBe(0)
  })

  it.each([
    [{ command: '' }],
    [{ command: 'a\0b' }],
    [{ command: 'node', args: ['a\0'] }],
    [{ command: 'node', env: { A: 'a\0' } }],
  ])('connectStdio() refuses %j', (options) => {
    expect(() => connectStdio(options)).toThrow(expect.objectContaining({ code: 'invalid-option' }))
  })

  it('connectStdio() uses no shell: arguments arrive as they are', async () => {
    const args = ['$HOME', '`id`', '; exit 3', '*', '', 'a b', '"\'']
    const opened = await talk(
      connectStdio({
        command: process.execPath,
        args: [
          '-e',
          'console.log(JSON.stringify({ args: process.argv.slice(1), env: Object.keys(process.env) }))',
          '--',
          ...args,
        ],
        env: { ONE: '1' },
      }),
    )
    process.env['SHELFMARK_TEST_SECRET'] = 'secret'
    const [message] = await opened.until(() => opened.messages.length > 0 && opened.messages)
    expect(message).toMatchObject({ args })
    const { env } = message as unknown as { env: readonly string[] }
    expect(env).toContain('ONE')
    expect(env).not.toContain('SHELFMARK_TEST_SECRET')
    expect(env).not.toContain('VITEST')
  })

  it('connectStdio() takes what a program said before it ended', async () => {
    const text = "JSON.stringify({ jsonrpc: '2.0', method: 'x', params: { text: 'y'.repeat(1e6) } })"
    const opened = await talk(program(`process.stdout.write(${text}, () => process.exit(0))`))
    await opened.closed()
    expect(opened.messages.map(({ method }) => method)).toEqual(['x'])
  })

  it('connectStdio() counts a program that closes its output, or its input, as gone, and ends it', async () => {
    for (const [code, message] of [
      ["require('fs').closeSync(1); setInterval(() => {}, 1000)", 'server closed its standard output, and goes on running'],
      [
        "process.stdin.destroy(); require('fs').closeSync(0); setInterval(() => {}, 1000)",
        'server closed its standard input, and goes on running',
      ],
    ] as const) {
      const { wire, closed, pid } = await closing(program(code, { graceMs: 200 }))
      // What a program does not read any more is noticed when something is written.
      const timer = setInterval(() => void wire.send({ jsonrpc: '2.0', method: 'x' }).catch(() => undefined), 50)
      await closed
      clearInterval(timer)
      expect(wire.closeReason?.message).toBe(message)
      await wire.close()
      if (TELLS) expect(await lives(pid)).toBe(false)
    }
  })

  it('connectStdio() does not throw when a program goes while much is sent', async () => {
    const { wire, closed } = await closing(program("setTimeout(() => process.kill(process.pid, 'SIGKILL'), 200)"))
    const sent = Array.from({ length: 50 }, () => wire.send({ jsonrpc: '2.0', method: 'x', params: { text: 'y'.repeat(MB) } }))
    const settled = await Promise.allSettled(sent)
    await closed
    expect(settled.every(({ status }) => status === 'rejected')).toBe(true)
    expect(wire.closeReason?.message).toBe('server exited (SIGKILL)')
  })
})

describe.skipIf(!TELLS)('connectStdio() to programs that do not want to end', () => {
  const GRANDCHILD =
    "require('child_process').spawn(process.execPath, ['-e', 'process.on(\"SIGTERM\", () => {}); setInterval(() => {}, 1000)'], { stdio: 'inherit' })"

  it('connectStdio() ends one that ignores the end of its input and SIGTERM, and what it has started', async () => {
    const code = `process.on('SIGTERM', () => {}); const c = ${GRANDCHILD}; console.log(JSON.stringify({ id: c.pid })); setInterval(() => {}, 1000)`
    const opened = await talk(program(code, { graceMs: 150 }))
    const { id } = await opened.until(() => opened.messages[0])
    const pid = opened.wire.pid!
    expect([await lives(pid), await lives(Number(id))]).toEqual([true, true])
    await opened.wire.close()
    await expect.poll(async () => [await lives(pid), await lives(Number(id))]).toEqual([false, false])
    expect(opened.closes).toBe(1)
    expect(opened.wire.closeReason).toBe(undefined)
  })

  it('connectStdio() ends what a program leaves behind when it is gone', async () => {
    const code = `const c = ${GRANDCHILD}; console.log(JSON.stringify({ id: c.pid })); setTimeout(() => process.exit(4), 300)`
    const opened = await talk(program(code, { graceMs: 150 }))
    const { id } = await opened.until(() => opened.messages[0])
    await opened.closed()
    expect(opened.wire.closeReason?.message).toBe('server exited with code 4')
    await opened.wire.close()
    await expect.poll(() => lives(Number(id))).toBe(false)
  })

  it('connectStdio() ends one that is stopped', async () => {
    const opened = await talk(program(ANSWER, { graceMs: 150 }))
    process.kill(opened.wire.pid!, 'SIGSTOP')
    await opened.wire.close()
    expect(await lives(opened.wire.pid!)).toBe(false)
  })

  it('connectStdio() gives one that ends by itself the time for it', async () => {
    const code =
      "process.stdin.resume().on('end', () => setTimeout(() => process.stderr.write('done', () => process.exit(0)), 300))"
    const { wire } = await closing(program(code))
    await wire.close()
    expect(wire.stderr).toBe('done')
  })

  it('connectStdio() leaves nothing running when our process exits, whatever it does with signals', async () => {
    const { run } = await import('../e2e/command-line.ts')
    const stubborn = `process.on('SIGTERM', () => {}); process.on('SIGHUP', () => {}); const c = ${GRANDCHILD}; console.log(JSON.stringify({ id: c.pid })); setInterval(() => {}, 1000)`
    const owner = run([
      '--input-type=module',
      '-e',
      `import { connectStdio } from 'shelfmark/transports/stdio'
       const wire = connectStdio({ command: process.execPath, args: ['-e', ${JSON.stringify(stubborn)}] })
       wire.onmessage = ({ id }) => process.stdout.write(JSON.stringify({ pids: [wire.pid, id] }) + '\\n', () => process.exit(0))
       await wire.start()`,
    ])
    const { code, stdout } = await owner.ended
    const { pids } = JSON.parse(stdout) as { pids: readonly number[] }
    expect([code, pids.length]).toEqual([0, 2])
    await expect.poll(async () => [await lives(pids[0]!), await lives(pids[1]!)]).toEqual([false, false])
  })

  it('connectStdio() does not keep our process alive once it is closed', async () => {
    const { run } = await import('../e2e/command-line.ts')
    const outliving =
      "require('child_process').spawn(process.execPath, ['-e', 'setTimeout(() => {}, 15000)'], { stdio: 'inherit', detached: true }).unref(); process.stdin.resume()"
    const owner = run([
      '--input-type=module',
      '-e',
      `import { connectStdio } from 'shelfmark/transports/stdio'
       const wire = connectStdio({ command: process.execPath, args: ['-e', ${JSON.stringify(outliving)}] })
       await wire.start()
       await new Promise((resolve) => setTimeout(resolve, 300))
       await wire.close()
       process.stdout.write(process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').join())`,
    ])
    const begun = Date.now()
    expect(await owner.ended).toMatchObject({ code: 0, stdout: '', stderr: '' })
    expect(Date.now() - begun).toBeLessThan(12_000)
  })
})

describe('connectStdio() to programs that talk nonsense', () => {
  it('connectStdio() reports lines that are no messages, without an end and without a flood', async () => {
    const code = `for (let i = 0; i < 1000; i++) console.log('Listening on ' + i + '\\u001b[2J')
      console.log('42\\n"text"\\nnull\\n{"half":')
      process.stdout.write(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d, 10]))
      ${ANSWER}`
    const opened = await talk(program(code))
    expect(await opened.ask('ping')).toMatchObject({ id: 1, result: {} })
    expect(opened.messages).toHaveLength(1)
    expect(opened.errors).toHaveLength(1)
    await opened.wire.close()
    expect(opened.errors.map(({ message }) => message)).toEqual([
      'The server wrote a line that is no message: "Listening on 0\\u001b[2J"',
      'The server wrote a line that is no message: "{"\ufffd":1}" (the last of 1004 since the report before)',
    ])
  })

  it('connectStdio() leaves a server that writes lines that are no messages without end', async () => {
    const code = `const text = 'no message\\n'.repeat(10_000); const more = () => { while (process.stdout.write(text)); process.stdout.once('drain', more) }; more()`
    const { wire, closed } = await closing(program(code, { graceMs: 100 }))
    await closed
    expect(wire.closeReason).toMatchObject({
      code: 'unavailable',
      message: 'server writes lines that are no messages, without end',
    })
  })

  it('connectStdio() goes on when its owner throws', async () => {
    const opened = await talk(
      program(`console.log('{}'); console.error('e'); ${ANSWER}`, {
        onStderr: () => {
          throw new Error('of onStderr')
        },
      }),
    )
    await opened.until(() => opened.messages.length > 0 && opened.errors.length > 0)
    Object.assign(opened.wire, {
      onmessage: () => {
        throw new Error('of onmessage')
      },
    })
    void opened.ask('ping')
    await opened.until(() => opened.errors.length > 1)
    expect(opened.errors.map(({ message }) => message)).toEqual(['of onStderr', 'of onmessage'])
  })

  it('connectStdio() drops a line that is too long, in flat memory, and reads the next', async () => {
    const code = `const piece = Buffer.alloc(1 << 20, 120); let left = 200
      const more = () => { while (left-- > 0) if (!process.stdout.write(piece)) return process.stdout.once('drain', more); process.stdout.write('\\n{"id":7}\\n') }
      more(); setInterval(() => {}, 1000)`
    const before = process.memoryUsage().rss
    const opened = await talk(program(code, { maxFrame: MB, graceMs: 100 }))
    await opened.until(() => opened.messages.find(({ id }) => id === 7))
    expect(opened.errors).toMatchObject([
      { code: 'too-large', message: 'The server writes a line of more than 1000000 bytes, which is dropped' },
    ])
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * MB)
  })

  it('connectStdio() takes a long line in time that grows with its length alone', async () => {
    const line = (size: number) =>
      `process.stdout.write('{"text":"' + 'x'.repeat(${size}) + '"}\\n'); setInterval(() => {}, 1000)`
    const time = async (size: number): Promise<number> => {
      const opened = await talk(program(line(size), { graceMs: 100 }))
      const begun = process.cpuUsage()
      await opened.until(() => opened.messages[0])
      const { user, system } = process.cpuUsage(begun)
      await opened.wire.close()
      return user + system
    }
    await time(MB)
    const [small, large] = [await time(MB), await time(8 * MB)]
    // 8 times the length; 64 times would be the square.
    expect(large / Math.max(small, 3_000)).toBeLessThan(32)
  })

  it('connectStdio() lets others work while a server floods it', async () => {
    const code = `const line = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/x', params: { n: 1 } }) + '\\n'
      const text = line.repeat(1000); let left = 1000
      const more = () => { while (left-- > 0) if (!process.stdout.write(text)) return process.stdout.once('drain', more) }
      more(); setInterval(() => {}, 1000)`
    const wire = program(code, { graceMs: 100 })
    let count = 0
    const opened = await talk(wire)
    const delay = monitorEventLoopDelay({ resolution: 5 })
    delay.enable()
    const begun = performance.now()
    Object.assign(wire, { onmessage: () => count++ })
    while (count + opened.messages.length < 1_000_000) await pause(20)
    delay.disable()
    // Whoever takes what there is in one turn holds the loop all the time.
    expect(delay.percentile(99) / 1e6).toBeLessThan((performance.now() - begun) / 4)
  })

  it('connectStdio() drains standard error in flat memory, and keeps its end', async () => {
    const code = `const piece = Buffer.alloc(1 << 20, 120); let left = 200
      const more = () => { while (left-- > 0) if (!process.stderr.write(piece)) return process.stderr.once('drain', more); process.stderr.write('end', () => console.log('{"id":7}')) }
      more(); setInterval(() => {}, 1000)`
    const before = process.memoryUsage().rss
    const opened = await talk(program(code, { graceMs: 100 }))
    await opened.until(() => opened.messages[0])
    await expect.poll(() => opened.wire.stderr.slice(-3)).toBe('end')
    expect(opened.wire.stderr.length).toBe(65_536)
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * MB)
  })

  it('connectStdio() waits for a server that does not read, and gives up with it', async () => {
    const opened = await talk(
      program(
        "process.stdin.pause(); setTimeout(() => process.stdin.resume(), 800); process.stdin.on('end', () => process.exit(0))",
        { graceMs: 300 },
      ),
    )
    let settled = 0
    const sent = Array.from({ length: 4 }, () =>
      opened.wire.send({ method: 'x', params: { text: 'y'.repeat(MB) } }).then(() => settled++),
    )
    await pause(300)
    expect(settled).toBe(0)
    await Promise.all(sent)
    expect(settled).toBe(4)
  })
})

async function closing(wire: ReturnType<typeof connectStdio>) {
  const opened = await talk(wire)
  return { wire, pid: wire.pid!, closed: opened.closed() }
}
