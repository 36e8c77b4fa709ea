import { describe, expect, it } from 'vitest'
import { idOfDropped } from './dropped-answer.ts'

describe('idOfDropped()', () => {
  it.each<[string, string | undefined, string | number | undefined]>([
    ['{"jsonrpc":"2.0","id":7,"result":{"x', undefined, 7],
    ['{"id": "a\\"b", "jsonrpc": "2.0", "result": {"x', undefined, 'a"b'],
    ['{"jsonrpc":"2.0","id":7,"error":{"mess', 'x"}}', 7],
    ['{"result":{"x', 'y"}]},"jsonrpc":"2.0","id":7}', 7],
    ['{"result":{"x', 'y"}]},"id":"seven","jsonrpc":"2.0"}', 'seven'],
    ['{"result":{"x', undefined, undefined],
    // The id of something within the result.
    ['{"result":{"x', '"a":1,"id":7}}', undefined],
    // A request of the server has ids of its own.
    ['{"jsonrpc":"2.0","id":7,"method":"sampl', undefined, undefined],
    ['{"method":"sampling/createMessage","par', '},"jsonrpc":"2.0","id":7}', undefined],
    ['{"jsonrpc":"2.0","method":"notifications/x","params":{"id":7', undefined, undefined],
    ['{"jsonrpc":"2.0","id":"\\uZZZZ","result":', undefined, undefined],
    ['xxxxxxxxx', 'xxxx', undefined],
  ])('idOfDropped() finds in %j ... %j %j', (head, tail, id) => {
    expect(idOfDropped(head, tail)).toBe(id)
  })
})
