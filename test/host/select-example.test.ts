import { expect, it, onTestFinished } from 'vitest'
import { memory } from 'shelfmark/providers/memory'
import { contextFor, librarian, openDesk } from '../../examples/host/select.ts'
import { completion, stubModel } from './stub-model.ts'

const shelf = memory({
  resources: [
    { uri: 'book:hours', title: 'Opening hours', text: 'The reading room is open until nine.' },
    { uri: 'book:fines', title: 'Fines', text: 'A day costs ten cents.' },
    { uri: 'book:map', title: 'Opening of the map room', text: 'Closed.' },
  ],
})

it('examples/host/select.ts gives what answers, and says why', async () => {
  const lines: string[] = []
  const print = (line: string): void => void lines.push(line)
  const desk = await openDesk(shelf, print)
  onTestFinished(() => desk[Symbol.asyncDispose]())
  expect(await contextFor('opening hours of the reading room', shelf, desk, print)).toContain('open until nine')
  expect(lines[0]).toMatch(/^\+ book:hours: matches opening, hour/)

  const { url } = await stubModel(({ body }, response) => {
    const line = body.messages[1]!.content.split('\n').find((one) => one.includes('book:map'))!
    const { id } = JSON.parse(line) as { id: string }
    completion(response, { content: JSON.stringify({ choose: [{ id, reason: 'it says so' }] }) })
  })
  lines.length = 0
  expect(await contextFor('opening hours of the reading room', shelf, desk, print, librarian(url))).toBe('Closed.')
  expect(lines[0]).toMatch(/^\+ book:map: chosen by llama3\.2 \("it says so"\)/)
})
