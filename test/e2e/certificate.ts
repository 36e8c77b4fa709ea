import { execFileSync } from 'node:child_process'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { folderOfTest } from './command-line.ts'

/** Whether a certificate can be made here. */
export const openssl = (() => {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()

/** A certificate of this machine that is its own authority, and its key, in files that go with the test. */
export function certificate(): { readonly cert: string; readonly key: string } {
  const [cert, key] = ['cert.pem', 'key.pem'].map((name) => join(folderOfTest(), name)) as [string, string]
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1']
  execFileSync('openssl', ['req', '-x509', ...kind, '-keyout', key, '-out', cert, ...subject], { stdio: 'ignore' })
  chmodSync(key, 0o600)
  return { cert, key }
}
