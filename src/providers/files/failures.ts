import { ShelfError } from '../../errors.ts'

/** What the system says of a name that leads to nothing readable for this process. */
const ABSENT: ReadonlySet<string> = new Set(
  'ENOENT ENOTDIR EACCES EPERM ELOOP ENAMETOOLONG EISDIR ENXIO ENODEV EINVAL EILSEQ UNKNOWN EOPNOTSUPP ENOTSUP ERR_INVALID_ARG_VALUE'.split(
    ' ',
  ),
)
const CROWDED: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN'])

/** True if a file system's refusal means that there is nothing here for this process to read. */
export function isAbsence(error: unknown): boolean {
  return ABSENT.has(codeOf(error))
}

/** A file system's failure as one of our errors; its message, which names a path, stays behind in `cause`. */
export function fileFailure(error: unknown, provider: string): ShelfError {
  if (error instanceof ShelfError) return error
  const code = codeOf(error)
  if (CROWDED.has(code)) {
    return new ShelfError('busy', 'Too many files are open at once; try again', { retryAfterMs: 100 }, { cause: error })
  }
  if (error instanceof Error && !/^E[A-Z]/.test(code)) return ShelfError.from(error)
  return new ShelfError('unavailable', `The file system could not answer (${code})`, { provider }, { cause: error })
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}
