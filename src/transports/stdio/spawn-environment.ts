/** What a program needs to find its tools, its user's folders and its language, on POSIX. */
const POSIX = ['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'TERM', 'TMPDIR', 'TZ']

/** Without some of these a program on Windows does not even start. */
const WINDOWS = [
  'PATH',
  'PATHEXT',
  'SYSTEMROOT',
  'SYSTEMDRIVE',
  'WINDIR',
  'COMSPEC',
  'TEMP',
  'TMP',
  'APPDATA',
  'LOCALAPPDATA',
  'PROGRAMDATA',
  'PROGRAMFILES',
  'USERPROFILE',
  'USERNAME',
  'HOMEDRIVE',
  'HOMEPATH',
  'PROCESSOR_ARCHITECTURE',
  'NUMBER_OF_PROCESSORS',
  'LANG',
  'TZ',
]

type Environment = { readonly [name: string]: string | undefined }

/**
 * The environment of a server: an allow-list out of our own, and what its owner says. The rest of our own stays here:
 * it is full of secrets that no server was meant to see.
 *
 * @param extra goes before what is inherited; undefined takes a variable away
 */
export function spawnEnvironment(
  extra: Environment = {},
  own: Environment = process.env,
  windows: boolean = process.platform === 'win32',
): Record<string, string> {
  // Names there have no case: `Path` and `PATH` would be two values of one variable.
  const key = (name: string): string => (windows ? name.toUpperCase() : name)
  const allowed = new Set(windows ? WINDOWS : POSIX)
  const given = new Set(Object.keys(extra).map(key))
  const environment: Record<string, string> = {}
  for (const [name, value] of Object.entries(own)) {
    if (value === undefined || given.has(key(name))) continue
    // What begins like this is a function of bash, which a shell further down would run.
    if (value.startsWith('()')) continue
    if (allowed.has(key(name)) || key(name).startsWith('LC_')) environment[name] = value
  }
  for (const [name, value] of Object.entries(extra)) if (value !== undefined) environment[name] = value
  return environment
}
