// oxlint-disable no-template-curly-in-string -- variables of configuration files
import { existsSync } from 'node:fs'
import { Client } from '@modelcontextprotocol/client'
import type { Transport } from '@modelcontextprotocol/client'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Connect } from '../../src/client/index.ts'
import { openServer } from '../../src/transports/open/index.ts'
import { temporaryTree } from '../temporary-tree.ts'
import { beside } from './command-line.ts'
import { served } from './served.ts'

const fixture = beside('fixture-server.mjs')
const http = served([fixture], ['--http'])

/** Connects, reads one resource, and gives its text. */
async function read(connect: Connect): Promise<unknown> {
  const client = new Client({ name: 'test', version: '1.0.0' })
  await client.connect((await connect()) as Transport)
  onTestFinished(() => client.close())
  const { contents } = await client.readResource({ uri: 'note:a' })
  return contents[0]
}

async function project(file: string, servers: object) {
  const { root } = await temporaryTree({ 'home/': '', [`app/${file}`]: JSON.stringify({ mcpServers: servers }) })
  return { root, options: { cwd: `${root}/app`, home: `${root}/home`, env: { NODE: process.execPath, FIXTURE: fixture } } }
}

describe('openServer()', () => {
  it('connects to a command', async () => {
    expect(await read(openServer(`'${process.execPath}' '${fixture}'`))).toMatchObject({ text: 'a' })
  })

  it('connects to a URL', async () => {
    expect(await read(openServer(http.url))).toMatchObject({ text: 'a' })
  })

  it('connects to a server by name, again without asking again', async () => {
    const { options } = await project('.mcp.json', { notes: { command: '${NODE}', args: ['${FIXTURE}'] } })
    const asked: (string | undefined)[] = []
    const connect = openServer('@notes', {
      ...options,
      consent: ({ description }) => {
        asked.push(description.command)
        return true
      },
    })
    expect(asked).toEqual([])
    expect(await read(connect)).toMatchObject({ text: 'a' })
    expect(await read(connect)).toMatchObject({ text: 'a' })
    expect(asked).toEqual(["'${NODE}' '${FIXTURE}'"])
  })

  it('connects to a URL by name, with its headers and those of the options', async () => {
    const { options } = await project('.cursor/mcp.json', {
      notes: { url: http.url, headers: { 'X-Key': '${env:KEY}', 'X-Both': 'a' } },
    })
    const seen: (string | null)[][] = []
    const connect = openServer('@notes', {
      ...options,
      env: { KEY: 's3cret' },
      consent: () => true,
      headers: { 'x-both': 'b' },
      fetch: (url, init) => {
        const headers = new Headers(init?.headers)
        seen.push([headers.get('x-key'), headers.get('x-both')])
        return fetch(url, init)
      },
    })
    expect(await read(connect)).toMatchObject({ text: 'a' })
    expect(new Set(seen.map((pair) => pair.join(' ')))).toEqual(new Set(['s3cret b']))
  })

  it('starts nothing of a project that nobody agreed to', async () => {
    const { root, options } = await project('.mcp.json', {
      bad: { command: process.execPath, args: ['-e', 'require("fs").writeFileSync("started", "")'] },
    })
    await expect(openServer('@bad', options)()).rejects.toMatchObject({ code: 'refused' })
    await expect(openServer('@bad', { ...options, consent: () => false })()).rejects.toMatchObject({ code: 'refused' })
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(existsSync(`${root}/app/started`)).toBe(false)
  })

  it('tries anew after a failure', async () => {
    const { options } = await project('.mcp.json', { notes: { command: process.execPath, args: [fixture] } })
    const answers = [false, true]
    const connect = openServer('@notes', { ...options, consent: () => answers.shift() ?? false })
    await expect(connect()).rejects.toMatchObject({ code: 'refused' })
    expect(await read(connect)).toMatchObject({ text: 'a' })
  })

  it('refuses text that is no server at once', () => {
    expect(() => openServer('node "x')).toThrow('The command has a double quote without its partner at offset 5')
  })
})
