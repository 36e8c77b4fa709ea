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
/** A folder's name and an entry's. */
const PAIRS: ReadonlySet<string> = new Set(['.config/gcloud', '.docker/config.json'])
const SECRET_DATA = /secret.*\.(?:json|yml|yaml)$/s

/**
 * True if a path below a root is, or lies in, something that holds secrets. Compared after Unicode
 * normalisation and case folding, so that `.ENV` is `.env` on any file system.
 */
export function isSecret(path: string, directory: boolean): boolean {
  const parts = path.split('/')
  return parts.some((name, i) => isSecretEntry(parts[i - 1] ?? '', name, directory || i < parts.length - 1))
}

/** `isSecret` for one entry of a folder that is itself no secret; `parent` is the folder's own name. */
export function isSecretEntry(parent: string, name: string, directory: boolean): boolean {
  const folded = foldPath(name)
  if (isSecretName(folded) || PAIRS.has(`${foldPath(parent)}/${folded}`)) return true
  return !directory && folded.startsWith('id_') && !folded.endsWith('.pub')
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
