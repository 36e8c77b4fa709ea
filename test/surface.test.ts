import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'

const root = new URL('../', import.meta.url)

/**
 * What each subpath of the package gives at run time, pinned by name: a name that comes or goes is a decision, and is
 * written down here with it.
 */
const surface: Readonly<Record<string, readonly string[]>> = {
  '.': [
    'ShelfError',
    'access',
    'audit',
    'cache',
    'concurrency',
    'createLibrary',
    'deadline',
    'definePolicy',
    'limits',
    'localCall',
    'notFound',
    'rate',
    'redact',
    'topicFilter',
  ],
  './uri': [
    'canonicalUri',
    'createTemplateTable',
    'decodeSegment',
    'encodeSegment',
    'expandTemplate',
    'explainMatch',
    'foldedUri',
    'matchTemplate',
    'normalUri',
    'parseTemplate',
    'parseUri',
    'templateVariables',
    'uriKey',
  ],
  './protocol': [
    'ACKNOWLEDGED',
    'CANCELLED',
    'COMPLETE',
    'DIRECTORY_READ',
    'DIRECTORY_TYPE',
    'DISCOVER',
    'EXTENSION_RESOURCES',
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
    'META_RANGE',
    'META_REDACTED',
    'META_RESOURCE_VERSION',
    'META_SERVER',
    'META_SERVER_INFO',
    'META_SUBSCRIPTION',
    'META_UNCHANGED',
    'META_VERSION',
    'MODERN_REVISIONS',
    'PING',
    'PROGRESS',
    'RESOURCES_CHANGED',
    'RESOURCES_LIST',
    'RESOURCES_READ',
    'RESOURCES_STAT',
    'RESOURCES_SUBSCRIBE',
    'RESOURCES_UNSUBSCRIBE',
    'RESOURCE_UPDATED',
    'REVISIONS',
    'SET_LEVEL',
    'SKILLS_GET',
    'SKILLS_LIST',
    'TEMPLATES_LIST',
    'TOOLS_CALL',
    'TOOLS_CHANGED',
    'TOOLS_LIST',
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
  './client': ['META_SERVER', 'createResultCache', 'openClient', 'openHub', 'pickContents'],
  './host': [
    'KINDS',
    'citationsIn',
    'fit',
    'itemsOf',
    'itemsOfSelection',
    'kindOf',
    'openAiChooser',
    'openSearch',
    'openTokenCounter',
    'outlineOf',
    'partsOf',
    'renderAiSdk',
    'renderAnthropic',
    'renderJson',
    'renderMarkdown',
    'renderOpenAi',
    'renderXml',
    'select',
  ],
  './host/tools': [
    'anthropicResult',
    'openAiResponsesResult',
    'openAiResult',
    'openResourceTools',
    'resourceToolsModule',
    'toolDefinitions',
  ],
  './testing': ['createFakeClock', 'openTemporaryTree', 'providerCases'],
  './providers/files': ['files'],
  './providers/memory': ['memory'],
  './providers/upstream': ['upstream'],
  './runtime/audit-file': ['openAuditFile'],
  './transports/stdio': ['connectStdio', 'serveStdio'],
  './transports/http': [
    'checkHttpOptions',
    'connectHttp',
    'createFetchHandler',
    'createNodeHandler',
    'createToken',
    'formatToken',
    'isTokenName',
    'jwtTokens',
    'loginInBrowser',
    'metadataPath',
    'parseTokens',
    'serveHttp',
    'staticTokens',
    'tokenFile',
  ],
  './transports/memory': ['connectMemory'],
  './transports/open': [
    'describeServer',
    'findServer',
    'formatCommand',
    'formatDescription',
    'listServers',
    'openServer',
    'parseServer',
    'resolveServer',
    'splitCommand',
  ],
  './adapters/express': ['createExpressHandler'],
  './adapters/fastify': ['createFastifyHandler'],
  './adapters/hono': ['createHonoHandler'],
  './adapters/sdk': ['exceptReads', 'openSdkLibrary'],
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
      'ambiguous',
      'busy',
      'cancelled',
      'duplicate',
      'header-mismatch',
      'internal',
      'invalid-answer',
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
      'server-error',
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

      Serve
        shelfmark serve <source>... [options]     data as resources, to any MCP host

        shelfmark token <name>                    a bearer token for those who may come over HTTP

      Read from any server
        shelfmark ls <server>                     list every resource, of all pages
        shelfmark tree <server> [<uri>]           the same as a tree
        shelfmark find <server> <word>...         those that are described by these words
        shelfmark read <server> <uri>...          print contents, or write them to a file
        shelfmark stat <server> <uri>...          what a resource is, without its contents
        shelfmark complete <server> <template> <variable> [<typed>]
                                                  values for a variable of a URI template
        shelfmark watch <server> [<uri>...]       a line for each change

      Choose for a model
        shelfmark pick <server>... "<question>"   what answers it, within a budget of tokens

      Check any server
        shelfmark check <server>                  what it does wrong, by section of the specification

      A <server> is a URL, a command in quotes, @name of an mcp.json, or a folder.

      Examples
        shelfmark serve ./docs                    on standard input and output, as hosts start it
        shelfmark serve ./docs --http 7467        over HTTP, at http://127.0.0.1:7467/mcp
        shelfmark ls "npx -y @modelcontextprotocol/server-everything"
        shelfmark read http://127.0.0.1:7467/mcp file:///docs/guide.md

        shelfmark <command> --help                all about one of them
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
      Hosts that subscribe are told when files come, go or get other contents.

      A source is also another MCP server: mcp:https://..., mcp:@name of an mcp.json, or a command in
      quotes, "mcp:node server.js". One server keeps its URIs; of several each begins them with a name of
      its own, for example github+repo://readme, which name=mcp:... chooses. It is started when a host asks.

      An operation may take 30 seconds, 64 may be under way at once, and who has a token may make 50 a second,
      with 16 under way; --config sets other limits.

      Options
        --config <file>      sources, rules, limits and all else from a YAML or JSON file (docs/configuration.md), read
                             again whenever it changes, and at SIGHUP; options that are given win, sources are added
        --dry-run            say what would be served, to whom and by which rules; serve nothing, write nothing
        --http [host:]port   serve over HTTP at http://<host>:<port>/mcp instead of standard input and output;
                             default host 127.0.0.1, port 0 takes any free one; a host that others can reach
                             wants --tokens or --jwt-issuer, and --tls-cert with --tls-key or --behind-proxy
        --tokens <file>      only who has a bearer token of this file may read; \`shelfmark token\` makes one
        --jwt-issuer <url>   who has a token (JWT) may read that this authorization server signed for --public-url
        --public-url <url>   where clients come, as https://docs.example.com/mcp: told to those without a token
        --jwt-audience <id>  what the tokens are for, where the server calls it otherwise than --public-url
        --jwks <url>         the keys of the server, where its metadata does not say it
        --required-scope <scope>
                             what a token needs for anything at all; may be given more than once
        --tls-cert <file>, --tls-key <file>
                             serve https with this certificate and key, both PEM
        --behind-proxy       TLS ends at a proxy, which alone can reach this server
        --allow-host <name>  a further name, with its port, under which clients come; may be given more than once
        --allow-origin <url> a page that may ask, as https://app.example.com; may be given more than once
        --name <name>        what the server calls itself to hosts (default: shelfmark)
        --hidden             serve hidden files too
        --no-ignore          serve what .gitignore files leave out
        --poll               find changes by looking every second: for network drives, whose changes no system tells of
        --tools, --no-tools  offer the tools find_resources, read_resource and list_resources too, for hosts that know
                             only tools, or offer resources alone (default: the tools too)
        --template-tools     a further tool for each URI template, with its variables as arguments
        --max-read <size>    the largest resource that is read in one piece, as 10MiB (default 5MiB)
        --audit <file>       append a line of JSON for each operation: who, what, outcome, bytes; never contents.
                             At 10 MiB it becomes <file>.1, and so on; five are kept
        --trust              start servers of the working folder's mcp.json without asking
        -h, --help           this text

      Examples
        shelfmark serve ./docs
        shelfmark serve ./docs handbook=/srv/handbook --name team --http 7467
        shelfmark serve mcp:@github mcp:https://example.com/mcp --http 7467
        shelfmark serve --config shelfmark.yaml --dry-run

      To connect a host that starts servers itself, give it this command:
        shelfmark serve /absolute/path/to/folder
      or, from a clone:
        node /absolute/path/to/shelfmark/dist/bin/shelfmark.js serve /absolute/path/to/folder
      Hosts that take URLs get the endpoint that --http prints.

      Exit codes: 0 done, 1 the operation failed, 2 wrong usage.
      "
    `)
  })

  test.each(['ls', 'tree', 'read', 'stat', 'find', 'complete', 'watch', 'check', 'pick'])(
    'of shelfmark %s tells every option it has',
    async (name) => {
      const { HELP, OPTIONS } = (await import(`../src/cli/commands/${name}.ts`)) as { HELP: string; OPTIONS: object }
      expect(HELP).toMatch(new RegExp(`^shelfmark ${name} <server>`))
      expect(HELP.split('\n').filter((line) => line.length > 120)).toEqual([])
      for (const option of Object.keys(OPTIONS)) expect(HELP).toContain(`--${option}`)
      expect(HELP).toContain('Examples')
      expect(HELP).toContain('Exit codes')
    },
  )
})
