import type { Kind } from './kind.ts'

const BY_EXTENSION: Readonly<Partial<Record<Kind, string>>> = {
  markdown: 'md markdown mdx mdown mkd',
  text: 'txt text rst adoc asciidoc org tex nfo srt vtt',
  code:
    'js mjs cjs jsx ts mts cts tsx py pyi rb php phtml java kt kts scala groovy go rs c h cc cpp cxx hh hpp m mm cs fs fsx vb swift dart lua pl pm r jl ' +
    'ex exs erl hrl hs elm clj cljs cljc edn lisp el scm ml mli nim zig v sol sql sh bash zsh fish ps1 bat cmd awk css scss sass less vue svelte astro ' +
    'graphql gql proto thrift tf hcl cmake gradle asm s f90 pas d cu glsl wgsl ipynb patch diff',
  configuration: 'yaml yml toml ini cfg conf cnf properties env editorconfig desktop service plist lock',
  json: 'json jsonc json5 jsonl ndjson geojson webmanifest map',
  xml: 'xml html htm xhtml svg xsd xsl xslt rss atom wsdl kml gpx pom csproj',
  table: 'csv tsv psv',
  log: 'log out err trace',
  image: 'png jpg jpeg gif webp avif bmp ico tif tiff heic heif jxl',
  pdf: 'pdf',
  audio: 'mp3 wav ogg oga flac m4a aac opus aiff mid midi',
  video: 'mp4 m4v mov webm mkv avi mpg mpeg ogv',
  archive: 'zip gz tgz tar bz2 xz zst 7z rar jar war whl gem deb rpm',
}

const BY_NAME: Readonly<Record<string, Kind>> = {
  dockerfile: 'code',
  containerfile: 'code',
  makefile: 'code',
  gnumakefile: 'code',
  rakefile: 'code',
  gemfile: 'code',
  jenkinsfile: 'code',
  vagrantfile: 'code',
  justfile: 'code',
  'cmakelists.txt': 'code',
  readme: 'text',
  license: 'text',
  licence: 'text',
  copying: 'text',
  notice: 'text',
  authors: 'text',
  changelog: 'text',
  changes: 'text',
  'requirements.txt': 'configuration',
  'go.mod': 'configuration',
  'go.sum': 'configuration',
  syslog: 'log',
}

const EXTENSIONS: ReadonlyMap<string, Kind> = new Map(
  Object.entries(BY_EXTENSION).flatMap(([kind, extensions]) =>
    extensions.split(' ').map((extension) => [extension, kind as Kind] as const),
  ),
)
const NAMES: ReadonlyMap<string, Kind> = new Map(Object.entries(BY_NAME))

/** The kind that a file of this name has by custom. */
export function kindOfName(name: string): Kind | undefined {
  const lower = name.toLowerCase()
  const named = NAMES.get(lower)
  if (named !== undefined) return named
  // Logs that were put aside are numbered: `app.log.1`.
  if (/\.log\.\d+$/.test(lower)) return 'log'
  const dot = lower.lastIndexOf('.')
  if (dot < 0) return undefined
  const known = EXTENSIONS.get(lower.slice(dot + 1))
  if (known !== undefined) return known
  // `.gitignore`, `.npmrc`, `.eslintrc`.
  return dot === 0 && /^\.\w+(?:rc|ignore|attributes)$/.test(lower) ? 'configuration' : undefined
}
