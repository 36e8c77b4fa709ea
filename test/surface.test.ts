import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'

const root = new URL('../', import.meta.url)

/**
 * What each subpath of the package gives at run time, pinned by name: a name that comes or goes is a decision, and is
 * written down here with it.
 */
const surface: Readonly<Record<string, readonly string[]>> = {
  '.': ['ShelfError', 'createLibrary', 'definePolicy', 'localCall', 'notFound', 'topicFilter'],
  './uri': [
    'canonicalUri',
    'createTemplateTable',
    'decodeSegment',
    'encodeSegment',
    'expandTemplate',
    'explainMatch',
    'matchTemplate',
    'normalUri',
    'parseTemplate',
    'parseUri',
    'templateVariables',
  ],
  './protocol': [
    'ACKNOWLEDGED',
    'CANCELLED',
    'COMPLETE',
    'DIRECTORY_READ',
    'DIRECTORY_TYPE',
    'DISCOVER',
    'EXTENSION_SKILLS',
    'FIRST_MODERN',
    'INITIALIZE',
    'INITIALIZED',
    'LATEST_LEGACY',
    'LISTEN',
    'LOG_LEVELS',
    'MESSAGE',
    'META_CLIENT_CAPABILITIES',
    'META_CLIENT_INFO',
    'META_LOG_LEVEL',
    'META_SERVER_INFO',
    'META_SUBSCRIPTION',
    'META_VERSION',
    'MODERN_REVISIONS',
    'PING',
    'PROGRESS',
    'RESOURCES_CHANGED',
    'RESOURCES_LIST',
    'RESOURCES_READ',
    'RESOURCES_SUBSCRIBE',
    'RESOURCES_UNSUBSCRIBE',
    'RESOURCE_UPDATED',
    'REVISIONS',
    'SET_LEVEL',
    'SKILLS_GET',
    'SKILLS_LIST',
    'TEMPLATES_LIST',
    'UNCACHED',
    'WIRE_ERRORS',
    'isInternal',
    'isLegacy',
    'isLogLevel',
    'isObject',
    'isRequestId',
    'isRevision',
    'isStrings',
    'objectParam',
    'readMessage',
    'shapeImplementation',
    'shapeItems',
    'stringParam',
    'toWireError',
  ],
  './testing': ['createFakeClock', 'openTemporaryTree', 'providerCases'],
  './providers/files': ['files'],
  './providers/memory': ['memory'],
  './transports/stdio': ['serveStdio'],
  './transports/http': ['serveHttp'],
  './transports/memory': ['connectMemory'],
}

const { exports: subpaths } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as {
  exports: Record<string, { default: string } | string>
}

const modules = Object.entries(subpaths).flatMap(([subpath, target]) => {
  const file = typeof target === 'string' ? undefined : new URL(target.default, root)
  return file && existsSync(file) ? [[subpath, file.href] as const] : []
})

describe('exports', () => {
  test.each(modules)('of %s', async (subpath, file) => {
    const names = Object.keys((await import(file)) as object).toSorted()
    expect(names).toEqual(surface[subpath])
  })

  test('are pinned for nothing that is gone', () => {
    const built = modules.map(([subpath]) => subpath)
    expect(Object.keys(surface).filter((subpath) => !built.includes(subpath))).toEqual([])
  })
})

describe('error codes', () => {
  test('are a closed set', async () => {
    const { WIRE_ERRORS } = await import('../src/protocol/index.ts')
    expect(Object.keys(WIRE_ERRORS).toSorted()).toEqual([
      'busy',
      'cancelled',
      'duplicate',
      'header-mismatch',
      'internal',
      'invalid-cursor',
      'invalid-option',
      'invalid-params',
      'invalid-request',
      'invalid-template',
      'invalid-uri',
      'invalid-values',
      'method-not-found',
      'missing-capability',
      'not-found',
      'parse-error',
      'refused',
      'timeout',
      'too-large',
      'unavailable',
      'unsupported',
      'unsupported-version',
    ])
  })
})

describe('help', () => {
  test('of shelfmark', async () => {
    const { HELP } = await import('../src/cli/help.ts')
    expect(HELP).toMatchInlineSnapshot(`
      "shelfmark - the resources layer of the Model Context Protocol (MCP)

      Usage
        shelfmark serve <source>... [options]   serve data as resources to any MCP host

      Examples
        shelfmark serve ./docs                  on standard input and output, as hosts start it
        shelfmark serve ./docs --http 7467      over HTTP, at http://127.0.0.1:7467/mcp
        shelfmark serve ./docs notes=~/Notes    two folders, one under a name of its own

        shelfmark serve --help                  all about sources and options
        shelfmark --version
      "
    `)
  })

  test('of shelfmark serve', async () => {
    const { SERVE_HELP } = await import('../src/cli/help.ts')
    expect(SERVE_HELP).toMatchInlineSnapshot(`
      "shelfmark serve <source>... - serve data as MCP resources

      A source is a folder: ./docs, /srv/manuals, or name=./docs to choose the name in its URIs.
      A file docs/guide.md of it is then the resource file:///docs/guide.md. Hidden files and what
      .gitignore leaves out are not served; secrets (.env, keys, credentials, .git) never are.

      Options
        --http [host:]port   serve over HTTP at http://<host>:<port>/mcp instead of standard input and output;
                             the host must be a loopback address (default 127.0.0.1), port 0 takes any free one
        --name <name>        what the server calls itself to hosts (default: shelfmark)
        --hidden             serve hidden files too
        --no-ignore          serve what .gitignore files leave out
        --max-read <bytes>   the largest resource that is read in one piece (default 5242880)
        -h, --help           this text

      Examples
        shelfmark serve ./docs
        shelfmark serve ./docs handbook=/srv/handbook --name team --http 7467

      To connect a host that starts servers itself, give it this command:
        shelfmark serve /absolute/path/to/folder
      or, from a clone:
        node /absolute/path/to/shelfmark/dist/bin/shelfmark.js serve /absolute/path/to/folder
      Hosts that take URLs get the endpoint that --http prints.

      Exit codes: 0 done, 1 the operation failed, 2 wrong usage.
      "
    `)
  })
})
