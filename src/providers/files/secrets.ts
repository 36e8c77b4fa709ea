/**
 * Names that hold secrets wherever they stand below a root. Neither listed nor read; only a path named in
 * `allowSecrets` is let through.
 */
const NAMES: ReadonlySet<string> = new Set(
  (
    '.ssh .gnupg .aws .azure .kube .git .hg .svn .trash ' +
    '.netrc _netrc .pgpass .npmrc .pypirc .git-credentials .htpasswd .vault-token wallet.dat'
  ).split(' '),
)
const ENDINGS = '.pem .key .p12 .pfx .jks .kdbx .tfstate .tfvars .ovpn .sqlite-wal .sqlite-journal _history'.split(' ')
const PAIRS: ReadonlySet<string> = new Set(['.config/gcloud', '.docker/config.json'])
const SECRET_DATA = /secret.*\.(?:json|yml|yaml)$/s

/**
 * True if a path below a root is, or lies in, something that holds secrets. Compared after Unicode
 * normalisation and case folding, so that `.ENV` is `.env` on any file system.
 */
export function isSecret(path: string, directory: boolean): boolean {
  const parts = foldPath(path).split('/')
  for (let i = 0; i < parts.length; i++) {
    const name = parts[i] ?? ''
    if (isSecretName(name) || PAIRS.has(`${parts[i - 1] ?? ''}/${name}`)) return true
  }
  const last = parts.at(-1) ?? ''
  return !directory && last.startsWith('id_') && !last.endsWith('.pub')
}

function isSecretName(name: string): boolean {
  if (NAMES.has(name) || name.startsWith('credentials')) return true
  if (name.startsWith('.env')) return name !== '.env.example'
  for (const ending of ENDINGS) if (name.endsWith(ending)) return true
  return SECRET_DATA.test(name)
}

/**
 * One form for all spellings of a path that some file system takes for the same: composed, upper then lower
 * case (which also joins dotless i and long s to i and s), without the characters that HFS+ overlooks.
 */
export function foldPath(path: string): string {
  if (/^[\x20-\x7e]*$/.test(path)) return path.toLowerCase()
  return path
    .replace(/[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g, '')
    .normalize('NFC')
    .toUpperCase()
    .toLowerCase()
}
