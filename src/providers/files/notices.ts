import type { Notice } from '../../library/index.ts'
import type { DirectoryNames } from './scan-directory.ts'

/** Counts what a page leaves out, and says so in words. */
export interface Omissions {
  /** Names that no URI can stand for, or too many of them. */
  count(names: DirectoryNames): void
  tooDeep(): void
  notices(): readonly Notice[]
}

export function createOmissions(provider: string): Omissions {
  let undecodable = 0
  let refused = 0
  let crowded = 0
  let deep = 0
  return {
    count(names) {
      undecodable += names.undecodable
      refused += names.refused
      if (names.tooMany) crowded++
    },
    tooDeep() {
      deep++
    },
    notices() {
      const notices: Notice[] = []
      const say = (count: number, what: string) => {
        if (count > 0) notices.push({ level: 'warning', provider, message: `Left out: ${what}: ${count}` })
      }
      say(undecodable, 'names that are not valid UTF-8')
      say(refused, 'names with a backslash or a control character')
      say(crowded, 'folders whose names take more than 128 MiB')
      say(deep, 'folders more than 32 deep')
      return notices
    },
  }
}
