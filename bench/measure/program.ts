import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { bundleProgram } from '../../scripts/bundle.mjs'

const built = new Map<string, Promise<string>>()

/** The JavaScript of a server program of this folder, by its name. */
export function programFile(name: string): Promise<string> {
  let file = built.get(name)
  if (file === undefined) {
    file = bundleProgram(fileURLToPath(new URL(`../servers/${name}.ts`, import.meta.url)))
    built.set(name, file)
  }
  return file
}

export type Program = ChildProcessWithoutNullStreams

const running = new Set<Program>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/** The process number of a program that has been started. */
export function pidOf(child: Program): number {
  if (child.pid === undefined) throw new Error('The program could not be started')
  return child.pid
}

let profiles: string | undefined

/** Has every server write a CPU profile into a folder when it ends. */
export function profileInto(folder: string): void {
  profiles = folder
}

/** A profile is written only by a process that ends by itself. */
const END_ON_SIGNAL = `data:text/javascript,process.on('SIGTERM',()=>process.exit())`

function profilingFlags(): readonly string[] {
  return profiles === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profiles}`, '--import', END_ON_SIGNAL]
}

/** Starts this Node with arguments; what the program says on standard error is shown. */
export function startNode(args: readonly string[]): Program {
  const child = spawn(process.execPath, [...profilingFlags(), ...args], { stdio: ['pipe', 'pipe', 'pipe'] })
  running.add(child)
  child.stderr.pipe(process.stderr, { end: false })
  child.stdin.on('error', () => undefined)
  child.once('exit', () => running.delete(child))
  return child
}

/** Ends a program, and waits until it is gone. */
export async function stopNode(child: Program): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill(profiles === undefined ? 'SIGKILL' : 'SIGTERM')
  await gone
}

/** The next line of a program's output, without the newline. Rejects when it ends before. */
export function nextLine(child: Program): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const done = (): void => {
      child.stdout.off('data', onData)
      child.off('exit', onExit)
      child.stdout.pause()
    }
    const onExit = (code: number | null): void => {
      done()
      reject(new Error(`The server ended with ${code} before it answered`))
    }
    const onData = (chunk: Buffer): void => {
      chunks.push(chunk)
      if (chunk.at(-1) !== 0x0a) return
      done()
      resolve(Buffer.concat(chunks).toString('utf8').trimEnd())
    }
    child.stdout.on('data', onData)
    child.stdout.resume()
    child.once('exit', onExit)
  })
}
