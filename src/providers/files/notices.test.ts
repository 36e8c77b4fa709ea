import { describe, expect, it } from 'vitest'
import { createOmissions } from './notices.ts'

const NAMES = { length: 0, at: () => undefined, find: () => 0, undecodable: 0, refused: 0, tooMany: false, bytes: 0 }

describe('createOmissions()', () => {
  it('createOmissions() says nothing of folders that lack nothing', () => {
    const omissions = createOmissions('docs')
    omissions.count(NAMES)
    expect(omissions.notices()).toEqual([])
  })

  it('createOmissions() adds up what folders lack, and says it in one notice of each kind', () => {
    const omissions = createOmissions('docs')
    omissions.count({ ...NAMES, undecodable: 2, refused: 1 })
    omissions.count({ ...NAMES, undecodable: 3, tooMany: true })
    omissions.tooDeep()
    omissions.tooDeep()
    const notice = (message: string) => ({ level: 'warning', provider: 'docs', message: `Left out: ${message}` })
    expect(omissions.notices()).toEqual([
      notice('names that are not valid UTF-8: 5'),
      notice('names with a backslash or a control character: 1'),
      notice('folders whose names take more than 128 MiB: 1'),
      notice('folders more than 32 deep: 2'),
    ])
  })
})
