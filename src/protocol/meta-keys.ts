/** Reserved `_meta` keys (basic/index, `_meta`). */
export const META_VERSION = 'io.modelcontextprotocol/protocolVersion'
export const META_CLIENT_INFO = 'io.modelcontextprotocol/clientInfo'
export const META_CLIENT_CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'
export const META_LOG_LEVEL = 'io.modelcontextprotocol/logLevel'
export const META_SERVER_INFO = 'io.modelcontextprotocol/serverInfo'
export const META_SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId'

/** The skills extension: directories are declared in its settings. */
export const EXTENSION_SKILLS = 'io.modelcontextprotocol/skills'

/** Our own extension: ranges and versions of `resources/read`, and stat (docs/extension.md). */
export const EXTENSION_RESOURCES = 'dev.shelfmark/resources'

/** Of a read, `{ offset, length? }` in bytes; of its result, `{ offset, length, total }`: the part that was given. */
export const META_RANGE = 'dev.shelfmark/range'
/** Of a read, the version that the client holds; of its result, the version that the contents are of. */
export const META_RESOURCE_VERSION = 'dev.shelfmark/version'
/** Of the result of a read, `true`: the version that the client holds is the current one, and there are no contents. */
export const META_UNCHANGED = 'dev.shelfmark/unchanged'
/** On each item of a list that is made of several servers': which of them it is of. */
export const META_SERVER = 'dev.shelfmark/server'
/** Of contents, how many secrets in them were replaced. */
export const META_REDACTED = 'dev.shelfmark/redacted'
