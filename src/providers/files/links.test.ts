import { execFileSync } from 'node:child_process'
import { link, readdir, rename, symlink } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryTree } from '../../../test/temporary-tree.ts'
import { localCall } from '../../library/index.ts'
import { files } from './index.ts'
import type { FilesProvider } from './index.ts'

const call = localCall()
const read = (provider: FilesProvider, path: string) => provider.read({ uri: `file:///r/${path}`, maxBytes: 1_000 }, call)
const listed = async (provider: FilesProvider) =>
  (await provider.list({ limit: 1_000 }, call)).items.map((item) => item.uri.slice(10))
const NOT_FOUND = { code: 'not-found', message: 'Resource not found' }

const harmless = (value: string) => ['ok.md', 'up/', 'x/', 'x/y/'].includes(value) || /\.(?:config|docker)\/$/i.test(value)

const count = async () => (await readdir('/proc/self/fd')).length

describe('files() and links', () => {
  it('files() follows links inside the root and none that lead out', async () => {
    const tree = await temporaryTree({
      'out/secret.txt': 'CANARY',
      'out/dir/x.txt': 'CANARY',
      'root/in/a.md': 'inside',
      'root/.hidden': 'CANARY',
      'root/tls.key': 'CANARY',
      'root/z/loop/q.md': 'q',
    })
    const root = join(tree.root, 'root')
    const links = {
      'file-in': 'in/a.md',
      'dir-in': 'in',
      'absolute-in': join(root, 'in/a.md'),
      'up-and-in': '../root/in/a.md',
      'file-out': join(tree.root, 'out/secret.txt'),
      'relative-out': '../out/secret.txt',
      'dir-out': '../out',
      slash: '/',
      passwd: '/etc/passwd',
      'chain-1': 'chain-2',
      'chain-2': 'chain-3',
      'chain-3': '../out/secret.txt',
      'chain-in-1': 'chain-in-2',
      'chain-in-2': 'in/a.md',
      self: 'self',
      dangling: 'nowhere',
      'dangling-out': '../later',
      'proc-root': '/proc/self/root',
      environ: '/proc/self/environ',
      zero: '/dev/zero',
      'to-hidden': '.hidden',
      'to-secret': 'tls.key',
      parent: '..',
      here: '.',
      'z/loop/back': '..',
    }
    for (const [name, target] of Object.entries(links)) await symlink(target, join(root, name))
    const provider = files({ root, name: 'r' })
    expect(await listed(provider)).toEqual([
      'absolute-in',
      'chain-in-1',
      'chain-in-2',
      'file-in',
      'in/a.md',
      'up-and-in',
      'z/loop/q.md',
    ])
    for (const path of [
      'file-in',
      'dir-in/a.md',
      'absolute-in',
      'up-and-in',
      'chain-in-1',
      'here/in/a.md',
      'here/here/in/a.md',
    ]) {
      expect(await read(provider, path)).toMatchObject({ contents: [{ text: 'inside' }] })
    }
    const outside = [
      'file-out',
      'relative-out',
      'dir-out',
      'dir-out/secret.txt',
      'dir-out/dir/x.txt',
      'slash',
      'slash/etc/passwd',
      'passwd',
      'chain-1',
      'self',
      'dangling',
      'dangling-out',
      'proc-root/etc/passwd',
      'environ',
      'zero',
      'to-hidden',
      'to-secret',
      'parent',
      'parent/out/secret.txt',
      'here/tls.key',
    ]
    for (const path of outside) {
      await expect(read(provider, path)).rejects.toMatchObject(NOT_FOUND)
      await expect(provider.stat({ uri: `file:///r/${path}` }, call)).rejects.toMatchObject(NOT_FOUND)
      await expect(provider.children({ uri: `file:///r/${path}`, limit: 9 }, call)).rejects.toMatchObject(NOT_FOUND)
    }
    const children = await provider.children({ uri: 'file:///r', limit: 100 }, call)
    expect(children.items.map((item) => item.name)).toEqual([
      'absolute-in',
      'chain-in-1',
      'chain-in-2',
      'file-in',
      'in',
      'up-and-in',
      'z',
    ])
    const { values } = await provider.complete(
      { template: 'file:///r/{+path}', variable: 'path', prefix: '', arguments: {}, limit: 100 },
      call,
    )
    expect(values).toEqual(['absolute-in', 'chain-in-1', 'chain-in-2', 'file-in', 'in/', 'up-and-in', 'z/'])
    await tree.write('later', 'CANARY')
    await expect(read(provider, 'dangling-out')).rejects.toMatchObject(NOT_FOUND)
  })

  it('files() asks again for the file that a link really leads to', async () => {
    const tree = await temporaryTree({ 'private/a.md': 'p' })
    await symlink('private/a.md', join(tree.root, 'link.md'))
    const asked: string[] = []
    const shy = {
      ...localCall(),
      allows: (operation: string, uri: string) => {
        asked.push(`${operation} ${uri}`)
        return !uri.includes('private')
      },
    }
    const provider = files({ root: tree.root, name: 'r' })
    await expect(provider.read({ uri: 'file:///r/link.md', maxBytes: 9 }, shy)).rejects.toMatchObject(NOT_FOUND)
    expect(asked).toEqual(['read file:///r/private/a.md'])
    expect((await provider.list({ limit: 9 }, shy)).items.map((item) => item.name)).toEqual(['a.md'])
  })

  it('files() reads hard links, whose place is where they are named', async () => {
    const tree = await temporaryTree({ 'out.txt': 'shared', 'root/': '' })
    await link(join(tree.root, 'out.txt'), join(tree.root, 'root/in.txt'))
    expect(await read(files({ root: join(tree.root, 'root'), name: 'r' }), 'in.txt')).toMatchObject({
      contents: [{ text: 'shared' }],
    })
  })

  it('files() serves nothing over a link with symlinks: deny, not even inside the root', async () => {
    const tree = await temporaryTree({ 'out/a.md': 'CANARY', 'root/in/a.md': 'inside' })
    const root = join(tree.root, 'root')
    const links = { file: 'in/a.md', folder: 'in', out: '../out', 'in/up': '..', chain: 'file' }
    for (const [name, target] of Object.entries(links)) await symlink(target, join(root, name))
    const provider = files({ root, name: 'r', symlinks: 'deny' })
    expect(await listed(provider)).toEqual(['in/a.md'])
    expect(await read(provider, 'in/a.md')).toMatchObject({ contents: [{ text: 'inside' }] })
    for (const path of ['file', 'folder', 'folder/a.md', 'out/a.md', 'in/up/in/a.md', 'chain']) {
      await expect(read(provider, path)).rejects.toMatchObject(NOT_FOUND)
      await expect(provider.stat({ uri: `file:///r/${path}` }, call)).rejects.toMatchObject(NOT_FOUND)
      await expect(provider.children({ uri: `file:///r/${path}`, limit: 9 }, call)).rejects.toMatchObject(NOT_FOUND)
    }
    const { items } = await provider.children({ uri: 'file:///r', limit: 9 }, call)
    expect(items.map((item) => item.name)).toEqual(['in'])
  })

  it('files() serves no file of two names with denyHardlinks, whichever of them is asked for', async () => {
    const tree = await temporaryTree({
      'out.txt': 'CANARY',
      'root/one.txt': 'CANARY',
      'root/plain.txt': 'plain',
      'root/sub/': '',
    })
    await link(join(tree.root, 'out.txt'), join(tree.root, 'root/in.txt'))
    await link(join(tree.root, 'root/one.txt'), join(tree.root, 'root/sub/two.txt'))
    const provider = files({ root: join(tree.root, 'root'), name: 'r', denyHardlinks: true })
    expect(await listed(provider)).toEqual(['plain.txt'])
    expect(await read(provider, 'plain.txt')).toMatchObject({ contents: [{ text: 'plain' }] })
    for (const path of ['in.txt', 'one.txt', 'sub/two.txt']) await expect(read(provider, path)).rejects.toMatchObject(NOT_FOUND)
    const { items } = await provider.children({ uri: 'file:///r', limit: 9 }, call)
    expect(items.map((item) => item.name)).toEqual(['plain.txt', 'sub'])
  })

  it.each(['follow', '', 0, null])('files() takes no %j for symlinks', (symlinks) => {
    expect(() => files({ root: '.', name: 'r', symlinks: symlinks as 'deny' })).toThrow(
      `Wanted "within-root" or "deny" for symbolic links, got ${JSON.stringify(symlinks)}`,
    )
  })

  it('files() serves a root that is itself a link, and only it', async () => {
    const tree = await temporaryTree({ 'data/a.md': 'a', 'data-evil/a.md': 'CANARY' })
    await symlink('data', join(tree.root, 'now'))
    const provider = files(join(tree.root, 'now'))
    expect(provider.prefixes).toEqual(['file:///now'])
    expect(await provider.read({ uri: 'file:///now/a.md', maxBytes: 9 }, call)).toMatchObject({ contents: [{ text: 'a' }] })
    await rename(join(tree.root, 'data'), join(tree.root, 'moved'))
    await symlink('data-evil', join(tree.root, 'data'))
    await expect(provider.read({ uri: 'file:///now/a.md', maxBytes: 9 }, call)).rejects.toMatchObject(NOT_FOUND)
    await expect(provider.list({ limit: 9 }, call)).rejects.toMatchObject({ code: 'unavailable' })
  })
})

describe.skipIf(process.platform === 'win32')('files() and what is no regular file', () => {
  it('files() does not wait for FIFOs, and reads on', async () => {
    const tree = await temporaryTree({ 'a.md': 'a', 'sub/b.md': 'b' })
    for (let i = 0; i < 8; i++) execFileSync('mkfifo', [join(tree.root, `fifo-${i}`)])
    const provider = files({ root: tree.root, name: 'r' })
    const refused = await Promise.allSettled(Array.from({ length: 8 }, (_, i) => read(provider, `fifo-${i}`)))
    expect(refused.map((one) => one.status)).toEqual(Array.from({ length: 8 }, () => 'rejected'))
    expect(await read(provider, 'a.md')).toMatchObject({ contents: [{ text: 'a' }] })
    expect(await listed(provider)).toEqual(['a.md', 'sub/b.md'])
  })

  it.skipIf(process.platform !== 'linux')('files() reads nothing of /proc, /sys and /dev, even where / is the root', async () => {
    const provider = files({ root: '/', name: 'all', anyRoot: true, hidden: true, ignore: false })
    for (const path of [
      'proc/self/environ',
      'proc/version',

      'proc/1/fd',
      'sys/kernel',
      'dev/zero',
      'dev/full',
      'dev/null',
    ]) {
      await expect(provider.read({ uri: `file:///all/${path}`, maxBytes: 1_000 }, call)).rejects.toMatchObject(NOT_FOUND)
    }
    expect(await provider.stat({ uri: 'file:///all/etc/passwd' }, call)).toMatchObject({ resource: { name: 'passwd' } })
  })

  it('files() neither lists nor reads sockets and devices', async () => {
    const tree = await temporaryTree({ 'a.md': 'a' })
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(join(tree.root, 'socket'), resolve))
    try {
      execFileSync('mknod', [join(tree.root, 'zero'), 'c', '1', '5'])
    } catch {
      // Making a device takes the rights of root; the socket is tried all the same.
    }
    const provider = files({ root: tree.root, name: 'r' })
    expect(await listed(provider)).toEqual(['a.md'])
    expect((await provider.children({ uri: 'file:///r', limit: 9 }, call)).items.map((item) => item.name)).toEqual(['a.md'])
    for (const path of ['socket', 'zero']) await expect(read(provider, path)).rejects.toMatchObject(NOT_FOUND)
    await new Promise((resolve) => server.close(resolve))
  })
})

describe('files() and secrets', () => {
  const SECRETS = [
    '.env',
    '.env.local',
    'server.pem',
    'tls.key',
    'a.p12',
    'a.kdbx',
    'id_rsa',
    'id_ed25519',
    '.netrc',
    '.pgpass',
    '.npmrc',
    '.pypirc',
    '.git-credentials',
    '.htpasswd',
    'x.tfstate',
    'x.tfvars',
    'my-secret.json',
    'credentials',
    '.vault-token',
    'a.sqlite-wal',
    'a.ovpn',
    'wallet.dat',
    '.bash_history',
    '.ssh/config',
    '.gnupg/k',
    '.aws/config',
    '.azure/x',
    '.kube/config',
    '.git/config',
    '.hg/x',
    '.svn/x',
    '.docker/config.json',
    '.config/gcloud/x',
  ]

  it.each(SECRETS)('files() neither lists nor reads %s: exact, upper case, nested, through a link', async (secret) => {
    const tree = await temporaryTree({
      [secret]: 'CANARY',
      [`up/${secret.toUpperCase()}`]: 'CANARY',
      [`x/y/${secret}`]: 'CANARY',
      'ok.md': 'ok',
    })
    await symlink(secret, join(tree.root, 'innocent.txt'))
    await symlink(join(tree.root, 'x/y', secret.split('/')[0] ?? ''), join(tree.root, 'innocent'))
    const provider = files({ root: tree.root, name: 'r', hidden: true, ignore: false })
    expect(await listed(provider)).toEqual(['ok.md'])
    const rest = secret.includes('/') ? `innocent/${secret.slice(secret.indexOf('/') + 1)}` : 'innocent'
    for (const path of [
      secret,
      `up/${secret.toUpperCase()}`,
      `x/y/${secret}`,
      'innocent.txt',
      rest,
      `${secret}/`,
      `${secret}/.`,
      `${secret}?`,
    ]) {
      await expect(read(provider, path)).rejects.toMatchObject(NOT_FOUND)
    }
    const folders = ['', 'x/', 'x/y/', 'up/', 'innocent/'].map((prefix) =>
      provider.complete({ template: 'file:///r/{+path}', variable: 'path', prefix, arguments: {}, limit: 100 }, call),
    )
    const values = (await Promise.all(folders)).flatMap((completion) => completion.values)
    expect(values.filter((value) => !harmless(value))).toEqual([])
  })

  it('files() serves a secret that is named in allowSecrets, and no other', async () => {
    const tree = await temporaryTree({
      '.env': 'A=1',
      'conf/.env': 'B=1',
      '.aws/config': 'c',
      '.aws/credentials': 'CANARY',
      '.gitignore': '.env\n',
    })
    const provider = files({ root: tree.root, name: 'r', allowSecrets: ['./.env', '.aws/config'] })
    expect(await listed(provider)).toEqual(['.aws/config', '.env'])
    expect(await read(provider, '.env')).toMatchObject({ contents: [{ text: 'A=1' }] })
    for (const path of ['conf/.env', '.aws/credentials', '.gitignore'])
      await expect(read(provider, path)).rejects.toMatchObject(NOT_FOUND)
  })
})

describe('files() on a file system that tells cases apart', () => {
  it.skipIf(process.platform !== 'linux')('files() lets through the one spelling that allowSecrets names', async () => {
    const tree = await temporaryTree({ '.env': 'A=1', '.ENV': 'CANARY', 'Conf/.env': 'CANARY', 'conf/.env': 'B=1' })
    const provider = files({ root: tree.root, name: 'r', allowSecrets: ['.env', 'conf/.env'] })
    expect(await listed(provider)).toEqual(['.env', 'conf/.env'])
    for (const path of ['.ENV', 'Conf/.env']) await expect(read(provider, path)).rejects.toMatchObject(NOT_FOUND)
  })
})

describe('files() holds nothing open', () => {
  it.skipIf(process.platform !== 'linux')('files() has as many descriptors after all this as before', async () => {
    const tree = await temporaryTree({ 'a/b/c.md': 'c', 'a/x.png': new Uint8Array(400_000), 'q.txt': 'q' })
    execFileSync('mkfifo', [join(tree.root, 'fifo')])
    await symlink('/etc', join(tree.root, 'etc'))
    const provider = files({ root: tree.root, name: 'r' })
    await listed(provider)
    const before = await count()
    for (let i = 0; i < 20; i++) {
      await listed(provider)
      await Promise.allSettled(
        ['a/b/c.md', 'q.txt', 'none', 'fifo', 'etc/passwd', 'a', 'etc', 'q.txt/'].map((path) => read(provider, path)),
      )
      const streamed = await provider.read({ uri: 'file:///r/a/x.png', maxBytes: 1_000_000 }, call)
      if (streamed.kind === 'contents') await streamed[Symbol.asyncDispose]?.()
      await provider.read({ uri: 'file:///r/a/x.png', maxBytes: 10 }, call).catch(() => {})
      await provider.list({ limit: 9 }, localCall({ signal: AbortSignal.abort() })).catch(() => {})
    }
    expect(await count()).toBe(before)
  })
})
