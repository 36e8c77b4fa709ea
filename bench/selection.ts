import { createHash } from 'node:crypto'
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { openSearch, openTokenCounter, select } from '../src/host/index.ts'
import { localCall } from '../src/index.ts'
import { memory } from '../src/providers/memory/index.ts'

/**
 * How often what is selected has the answer, and for how many tokens. The corpus are the READMEs of the packages that are
 * installed here; a question is a heading that only one of them has, and the answer the section below it. Headings that
 * are asked for, and all lines that repeat them, are taken out of the texts.
 */

const BUDGETS = [2_000, 8_000]
const QUESTIONS = 300
const OF_ONE_FILE = 5

interface Page {
  readonly uri: string
  readonly text: string
}

interface Question {
  readonly text: string
  readonly uri: string
  /** The first line of the section that is long enough to be told from others. */
  readonly answer: string
}

/** What goes into a context, best first. */
interface Context {
  readonly uris: readonly string[]
  readonly texts: readonly string[]
  readonly tokens: number
}

const counter = await openTokenCounter()
const pages = readmes()
const questions = questionsOf(pages)
const asked = new Set(questions.map(({ text }) => text.toLowerCase()))
const corpus = pages.map(({ uri, text }) => ({ uri, text: withoutLines(text, asked) }))
const sizes = new Map(corpus.map(({ uri, text }) => [uri, counter.count(text)]))
const provider = memory({ resources: corpus })
const call = localCall()
const search = await openSearch(provider, call)
await search.ready

const all = [...sizes.values()].reduce((sum, size) => sum + size, 0)
process.stdout.write(`${corpus.length} READMEs of ${all.toLocaleString('en')} tokens, ${questions.length} questions\n`)
for (const budget of BUDGETS) {
  process.stdout.write(`\nbudget of ${budget.toLocaleString('en')} tokens\n`)
  row('', 'recall@5', 'answered', 'tokens')
  await measure('select()', (question) => selected(question, budget))
  await measure('substrings, whole files', (question) => filled(bySubstrings(question), budget))
  await measure('the first files', () => filled(corpus, budget))
}
await search[Symbol.asyncDispose]()

async function measure(name: string, contextOf: (question: string) => Promise<Context> | Context): Promise<void> {
  const sums = { recalled: 0, answered: 0, tokens: 0 }
  for (const { text, uri, answer } of questions) {
    const { uris, texts, tokens } = await contextOf(text)
    if (uris.slice(0, 5).includes(uri)) sums.recalled++
    if (texts.some((one) => one.includes(answer))) sums.answered++
    sums.tokens += tokens
  }
  const part = (sum: number): string => (sum / questions.length).toFixed(3)
  row(name, part(sums.recalled), part(sums.answered), (sums.tokens / questions.length).toFixed(0))
}

async function selected(question: string, budget: number): Promise<Context> {
  const { chosen, tokens } = await select(provider, call, question, { budget, search, counter })
  return { uris: chosen.map(({ resource }) => resource.uri), texts: chosen.map(({ fitted }) => textOf(fitted.parts)), tokens }
}

function textOf(parts: readonly { readonly text: string }[]): string {
  return parts.map(({ text }) => text).join('')
}

/** Files by how many of the words they contain, as a search without an index has them. */
function bySubstrings(question: string): readonly Page[] {
  const words = question.toLowerCase().split(/\s+/)
  return corpus
    .map((page) => ({ page, count: words.filter((word) => page.text.toLowerCase().includes(word)).length }))
    .toSorted((a, b) => b.count - a.count)
    .map(({ page }) => page)
}

/** Whole files, as long as there is room; the last one is cut. */
function filled(files: readonly Page[], budget: number): Context {
  const uris: string[] = []
  const texts: string[] = []
  let left = budget
  for (const { uri, text } of files) {
    if (left <= 0) break
    const size = sizes.get(uri) ?? 0
    uris.push(uri)
    texts.push(size <= left ? text : counter.atMost(text, left))
    left -= Math.min(left, size)
  }
  return { uris, texts, tokens: budget - left }
}

function readmes(): readonly Page[] {
  const names = readdirSync('node_modules').flatMap((name) =>
    name.startsWith('@') ? readdirSync(join('node_modules', name)).map((inner) => `${name}/${inner}`) : [name],
  )
  return names.toSorted().flatMap((name): Page[] => {
    const folder = join('node_modules', name)
    const file = existsSync(join(folder, 'package.json')) && readdirSync(folder).find((one) => /^readme\.md$/i.test(one))
    const text = typeof file === 'string' ? readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n') : ''
    return text.length < 2_000 || text.length > 200_000 ? [] : [{ uri: `npm:${name}/readme.md`, text }]
  })
}

/** Headings of three words or more that one file has once, in an order that says nothing; a few of each file. */
function questionsOf(from: readonly Page[]): readonly Question[] {
  const found = from.flatMap(({ uri, text }) => sectionsOf(text).map((section) => ({ uri, ...section })))
  const times = new Map<string, number>()
  for (const { text } of found) times.set(text.toLowerCase(), (times.get(text.toLowerCase()) ?? 0) + 1)
  const byFile = new Map<string, number>()
  const order = (text: string): string => createHash('sha256').update(text).digest('hex')
  return found
    .filter(({ text, answer }) => times.get(text.toLowerCase()) === 1 && text.split(/\s+/).length >= 3 && answer !== '')
    .toSorted((a, b) => (order(a.text) < order(b.text) ? -1 : 1))
    .filter(({ uri }) => {
      const count = byFile.get(uri) ?? 0
      byFile.set(uri, count + 1)
      return count < OF_ONE_FILE
    })
    .slice(0, QUESTIONS)
}

function sectionsOf(text: string): readonly { readonly text: string; readonly answer: string }[] {
  const sections: { text: string; answer: string }[] = []
  let isFenced = false
  for (const line of text.split('\n')) {
    if (/^\s*```/.test(line)) isFenced = !isFenced
    const heading = isFenced ? undefined : /^#{2,4} +(.+?) *#*$/.exec(line)?.[1]
    const last = sections.at(-1)
    if (heading !== undefined) sections.push({ text: heading.replace(/[`*_[\]]|\(.*?\)/g, '').trim(), answer: '' })
    else if (last?.answer === '' && line.trim().length >= 40) last.answer = line.trim()
  }
  return sections
}

function withoutLines(text: string, headings: ReadonlySet<string>): string {
  const plain = (line: string): string => line.toLowerCase().replace(/[`*_[\]]|\(.*?\)/g, '')
  return text
    .split('\n')
    .filter((line) => ![...headings].some((heading) => plain(line).includes(heading)))
    .join('\n')
}

function row(...cells: readonly string[]): void {
  process.stdout.write(`${cells.map((cell, index) => (index === 0 ? cell.padEnd(26) : cell.padStart(10))).join('')}\n`)
}
