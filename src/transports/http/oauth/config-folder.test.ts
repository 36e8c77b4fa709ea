import { describe, expect, it } from 'vitest'
import { configFolder } from './config-folder.ts'

describe('configFolder()', () => {
  it.each([
    [{ XDG_CONFIG_HOME: '/x/config' }, '/x/config/shelfmark'],
    [{ XDG_CONFIG_HOME: 'relative' }, '/home/ada/.config/shelfmark'],
    [{ XDG_CONFIG_HOME: '' }, '/home/ada/.config/shelfmark'],
    [{}, '/home/ada/.config/shelfmark'],
  ])('configFolder() of %j is %s', (environment, folder) => {
    expect(configFolder(environment, false, '/home/ada').replaceAll('\\', '/')).toBe(folder)
  })

  it('configFolder() on Windows is among the data of programs', () => {
    const slashes = (text: string) => text.replaceAll('\\', '/')
    expect(slashes(configFolder({ APPDATA: 'C:\\Users\\ada\\AppData\\Roaming' }, true))).toBe(
      'C:/Users/ada/AppData/Roaming/shelfmark',
    )
    expect(slashes(configFolder({}, true, '/home/ada'))).toBe('/home/ada/AppData/Roaming/shelfmark')
  })
})
