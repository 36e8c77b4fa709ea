import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { openBrowser } from './open-browser.ts'

const PAGE = new URL("https://example.com/authorize?a=1&b='$(id)'&c=`id`")

describe.skipIf(process.platform === 'win32')('openBrowser()', () => {
  it('openBrowser() gives the address to the program of the platform, as it is', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'shelfmark-browser-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    for (const name of ['xdg-open', 'open']) {
      writeFileSync(
        join(folder, name),
        `#!/bin/sh\nprintf '%s\\n' "$#" "$1" > ${folder}/part && mv ${folder}/part ${folder}/asked\n`,
      )
      chmodSync(join(folder, name), 0o755)
    }
    vi.stubEnv('PATH', `${folder}:${process.env['PATH']}`)
    onTestFinished(() => void vi.unstubAllEnvs())
    openBrowser(PAGE)
    await expect.poll(() => existsSync(join(folder, 'asked'))).toBe(true)
    expect(readFileSync(join(folder, 'asked'), 'utf8')).toBe(`1\n${PAGE.href}\n`)
  })

  it('openBrowser() does not fail where there is no browser', async () => {
    vi.stubEnv('PATH', '/nowhere')
    onTestFinished(() => void vi.unstubAllEnvs())
    openBrowser(PAGE)
    await new Promise((resolve) => {
      setTimeout(resolve, 50)
    })
  })
})
