import { homedir } from 'node:os'
import { posix, win32 } from 'node:path'
import type { Environment } from './environment.ts'

/** The data directory: `SIGNALBOX_HOME`, else the platform's default. Always absolute. */
export function dataDirectory(
  env: Environment,
  platform: NodeJS.Platform = process.platform,
  home: string = homedir(),
): string {
  const path = platform === 'win32' ? win32 : posix
  const named = env['SIGNALBOX_HOME']
  // Service files and containers don't expand ~.
  if (named) return /^~(?=$|[/\\])/.test(named) ? path.join(home, named.slice(1)) : path.resolve(named)
  if (platform === 'win32') return path.join(env['LOCALAPPDATA'] || path.join(home, 'AppData', 'Local'), 'Signalbox')
  if (platform === 'darwin') return path.join(home, 'Library', 'Application Support', 'Signalbox')
  const data = env['XDG_DATA_HOME'] ?? ''
  return path.join(path.isAbsolute(data) ? data : path.join(home, '.local', 'share'), 'signalbox')
}
