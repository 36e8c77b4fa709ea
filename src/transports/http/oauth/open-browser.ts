import { spawn } from 'node:child_process'

/** The program of a platform that opens a URL in the browser of its user; none of them is a shell. */
const OPENERS: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

/** Opens a page in the browser of the user, if there is one. It never fails: who cannot be shown a page reads its address. */
export function openBrowser(url: URL): void {
  const [command = 'xdg-open', ...args] = OPENERS[process.platform] ?? ['xdg-open']
  const child = spawn(command, [...args, url.href], { stdio: 'ignore', detached: true, shell: false, windowsHide: true })
  child.on('error', () => undefined)
  child.unref()
}
