import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openTokenCounter } from 'shelfmark/host'
import { describe, expect, it } from 'vitest'
import { CLI, folderOfTest, run } from './command-line.ts'

/** A folder of which one file says where the keys are. */
function folder(where = 'behind the clock'): string {
  const path = folderOfTest()
  mkdirSync(join(path, 'docs'), { recursive: true })
  const files = {
    'docs/install.md': '# Installation\n\nUnpack the archive and run `make install`.\n',
    'docs/keys.md': `# Keys\n\nThe key of the archive room hangs ${where}.\n`,
    'docs/long.md': Array.from(
      { length: 40 },
      (_, i) => `## Chapter ${i}\n\n${`filler${i} `.repeat(80)}\n${i === 17 ? 'The lighthouse keeper is Ingrid.\n' : ''}\n`,
    ).join(''),
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text)
  return join(path, 'docs')
}

const pick = (...args: readonly string[]) => run([CLI, 'pick', ...args]).ended

describe('`shelfmark pick`', () => {
  it('prints what answers a question, fenced, with where it is from', async () => {
    const { code, stdout, stderr } = await pick(folder(), 'Where is the key of the archive room?')
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toContain(
      '## [1] keys.md\n\n`file:///docs/keys.md` · text/markdown\n\n```\n# Keys\n\nThe key of the archive room',
    )
    expect(stdout).not.toContain('filler')
  })

  it('gives the passage of a long text, and says what is left out', async () => {
    const { stdout } = await pick(folder(), 'Who is the lighthouse keeper?', '--budget', '1500', '--format', 'xml')
    expect(stdout).toContain('The lighthouse keeper is Ingrid.')
    expect(stdout).toMatch(/Left out: \d+ of \d+ characters/)
    const tokens = (await openTokenCounter()).count(stdout.slice(0, -1))
    expect(tokens).toBeLessThanOrEqual(1_500)
    expect(tokens).toBeGreaterThan(300)
  })

  it('explains itself: on standard error, and in JSON as a member', async () => {
    const docs = folder()
    const text = await pick(docs, 'archive key', '--explain')
    expect(text.stderr).toMatch(/^\+ file:\/\/\/docs\/keys\.md \(\d+ tokens\): .+$/m)
    expect(text.stderr).toMatch(/^\d+ of 8000 tokens, chosen by heuristics$/m)
    expect(text.stdout).not.toContain('heuristics')
    const json = JSON.parse((await pick(docs, 'archive key', '--explain', '--json')).stdout) as Record<string, unknown>
    expect(json).toMatchObject({
      question: 'archive key',
      budget: 8_000,
      by: 'heuristics',
      resources: [{ id: '1', uri: 'file:///docs/keys.md', kind: 'markdown' }],
      sources: [{ id: '1', uri: 'file:///docs/keys.md' }],
      explanation: { chosen: [{ uri: 'file:///docs/keys.md' }] },
    })
  })

  it.each(['anthropic', 'openai', 'ai-sdk'])('prints parts of a message for %s', async (format) => {
    const { stdout } = await pick(folder(), 'archive key', '--format', format)
    expect(JSON.parse(stdout)).toMatchObject([{ type: 'text' }])
  })

  it('gives pictures to formats that have a place for them', async () => {
    const docs = folder()
    const pixel = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==',
      'base64',
    )
    writeFileSync(join(docs, 'archive key.png'), pixel)
    const parts = JSON.parse((await pick(docs, 'archive key', '--format', 'anthropic', '--explain')).stdout) as readonly object[]
    expect(parts).toContainEqual({
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: pixel.toString('base64') },
    })
    expect((await pick(docs, 'archive key', '--explain')).stderr).toContain('key.png: no text: Image')
  })

  it('chooses among several servers, each with its name', async () => {
    const { code, stdout } = await pick(folder(), folder('in the cellar, where nobody looks for it'), 'archive key', '--json')
    expect(code).toBe(0)
    const { resources } = JSON.parse(stdout) as { resources: readonly { uri: string }[] }
    expect(resources.map(({ uri }) => uri).toSorted()).toEqual(['docs+file:///docs/keys.md', 'docs-2+file:///docs/keys.md'])
  })

  it('says so where nothing answers, with exit code 1', async () => {
    expect(await pick(folder(), 'zzzz qqqq')).toEqual({
      code: 1,
      signal: null,
      stdout: '',
      stderr: 'shelfmark: note: nothing answers that question; other words may, and `shelfmark ls` shows what there is\n',
    })
  })

  it('says which server is left out, and why, and answers from the others', async () => {
    const dead = `"${process.execPath}" -e "console.error('no licence'); process.exit(3)"`
    const some = await pick(folder(), dead, 'archive key')
    expect([some.code, some.stderr.match(/: Left out: server exited with code 3/g)?.length]).toEqual([0, 1])
    expect(some.stderr).toContain('no licence')
    expect(some.stdout).toContain('hangs behind the clock')
    const none = await pick(dead, 'archive key')
    expect([none.code, none.stdout]).toEqual([1, ''])
    expect(none.stderr).toContain('no licence')
  })

  it('ends without a word when nobody reads what it prints', async () => {
    const program = run([CLI, 'pick', folder(), 'archive key'])
    program.child.stdout.destroy()
    expect(await program.ended).toMatchObject({ code: 0, signal: null, stderr: '' })
  })

  it('goes on without a model that is not there, and says so', async () => {
    const { code, stdout, stderr } = await pick(folder(), 'archive key', '--model', 'http://127.0.0.1:9/v1')
    expect(code).toBe(0)
    expect(stdout).toContain('hangs behind the clock')
    expect(stderr).toMatch(/^shelfmark: note: default did not choose: unavailable\n$/)
  })

  it.each([
    [['./docs'], 'pick needs a server and a question, for example: shelfmark pick ./docs "How is it installed?"'],
    [['./docs', 'why?', '--format', 'yaml'], '--format takes one of markdown, xml, json, anthropic, openai, ai-sdk, got "yaml"'],
    // Servers are opened later: otherwise they would say first that there is no ./docs.
    [['./docs', 'why?', '--model', 'llama'], '--model: "url" of a chooser takes an http(s) URL, got "llama"'],
    [['./docs', 'why?', '--model-key', 'sk'], '--model-name and --model-key are for --model, which says where the model is'],
    [['./docs', 'why?', '--budget', 'much'], '--budget takes a number of tokens, for example 10, got "much"'],
  ])('takes no %j', async (args, message) => {
    expect(await pick(...args)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: `shelfmark: ${message} (see shelfmark pick --help)\n`,
    })
  })
})
