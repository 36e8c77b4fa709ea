import { statfsSync } from 'node:fs'

/** `f_type` of file systems whose files are the kernel's and not anybody's documents (linux/magic.h). */
const PSEUDO: ReadonlySet<number> = new Set([
  0x9fa0, // proc
  0x62656572, // sysfs
  0x64626720, // debugfs
  0x74726163, // tracefs
  0x73636673, // securityfs
  0x62656570, // configfs
  0x27e0eb, // cgroup
  0x63677270, // cgroup2
  0x1cd1, // devpts
  0xcafe4a11, // bpf
])

/** True if this path lies on procfs, sysfs and the like. */
export function isPseudoFileSystem(path: string): boolean {
  return process.platform === 'linux' && PSEUDO.has(statfsSync(path).type)
}
