import { isAbsolute, join } from 'node:path'

/**
 * The folder that programs of a user keep their configuration in: `XDG_CONFIG_HOME`, else `.config` in the home folder. A
 * relative one does not count (XDG Base Directory Specification).
 */
export function configHome(env: Readonly<Record<string, string | undefined>>, home: string): string {
  const folder = env['XDG_CONFIG_HOME']
  return folder !== undefined && isAbsolute(folder) ? folder : join(home, '.config')
}
