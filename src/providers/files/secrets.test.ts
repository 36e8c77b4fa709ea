import { describe, expect, it } from 'vitest'
import { isSecret } from './secrets.ts'

const FILES = [
  '.env',
  '.env.local',
  '.env.production',
  '.envrc',
  'server.pem',
  'tls.key',
  'a.p12',
  'a.pfx',
  'a.jks',
  'a.kdbx',
  'id_rsa',
  'id_ed25519',
  '.netrc',
  '.pgpass',
  '.npmrc',
  '.pypirc',
  '.git-credentials',
  '.htpasswd',
  'terraform.tfstate',
  'prod.tfvars',
  'client_secret.json',
  'my-secrets.yml',
  'secret.yaml',
  'credentials',
  'credentials.json',
  '.vault-token',
  'app.sqlite-wal',
  'app.sqlite-journal',
  'home.ovpn',
  'wallet.dat',
  '.bash_history',
  '.psql_history',
  '.ssh/config',
  '.gnupg/x',
  '.aws/x',
  '.azure/x',
  '.kube/config',
  '.git/config',
  '.hg/x',
  '.svn/x',
  '.Trash/x',
  '.config/gcloud/x',
  '.docker/config.json',
]

describe('isSecret()', () => {
  it.each(FILES)('isSecret(%s) is true, in any case and at any depth', (path) => {
    expect(isSecret(path, false)).toBe(true)
    expect(isSecret(path.toUpperCase(), false)).toBe(true)
    expect(isSecret(`a/b/${path}`, false)).toBe(true)
    expect(isSecret(path.normalize('NFD'), false)).toBe(true)
  })
  it.each(['\u0131d_rsa', '.\u200bgit/config', '.\uff0fgit'.replace('\uff0f', '\u200c'), '.\u017f\u017fh/x'])(
    'isSecret(%j) is true',
    (path) => {
      expect(isSecret(path, false)).toBe(true)
    },
  )
  it.each([
    '.env.example',
    'env',
    'environment.md',
    'id_rsa.pub',
    'keys.md',
    'a.keys',
    'secret.txt',
    'secrets.md',
    'pem',
    'git/config',
    '.github/x',
    '.gitignore',
    'docker/config.json',
    '.docker/other.json',
    '.config/x',
    'history.md',
    '.kubernetes',
    '',
  ])('isSecret(%j) is false', (path) => {
    expect(isSecret(path, false)).toBe(false)
  })
  it('isSecret() lets folders be called id_something', () => {
    expect(isSecret('id_cards', true)).toBe(false)
    expect(isSecret('id_cards/a.md', false)).toBe(false)
  })
})
