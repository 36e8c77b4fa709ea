import { homedir } from 'node:os'
import { join } from 'node:path'
import { configHome } from '../../../user-files/index.ts'

/** The folder for what this program keeps of its user: `XDG_CONFIG_HOME`, `~/.config`, or `%APPDATA%`; in it `shelfmark`. */
export function configFolder(
  environment: { readonly [name: string]: string | undefined } = process.env,
  windows: boolean = process.platform === 'win32',
  home: string = homedir(),
): string {
  if (!windows) return join(configHome(environment, home), 'shelfmark')
  const data = environment['APPDATA']
  return join(data !== undefined && /^[a-z]:[\\/]/i.test(data) ? data : join(home, 'AppData', 'Roaming'), 'shelfmark')
}
