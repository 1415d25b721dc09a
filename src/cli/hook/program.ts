import { shellWord } from '../../lib/shell-words.ts'
import { existsSync, realpathSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { dataDirectory } from '../../config/data-directory.ts'
import type { Context } from '../context.ts'
import { launchOf } from '../mcp/install/launch.ts'

/** The command for hooks: by name if it is on the PATH or the settings are shared, else by path. */
export function programFor(context: Context, shared: boolean): string {
  if (shared) return 'signalbox'
  const script = process.argv[1] ?? 'signalbox'
  const program = isOnPath(script, context.env) ? 'signalbox' : inFull(script)
  return [program, ...whichServer(context).map(shellWord)].join(' ')
}

/** By path: in a clone, the script, which survives an update of Node. */
function inFull(script: string): string {
  const { command, args } = launchOf([], {}, { program: script, node: process.execPath })
  return [command, ...args].map(shellWord).join(' ')
}

/** Flags so that hooks find the same server without our environment. */
function whichServer({ url, env, dataDir, configFile }: Context): string[] {
  if (url !== undefined) return ['--url', url]
  const { SIGNALBOX_HOME: _named, ...others } = env
  const config = configFile ?? (env['SIGNALBOX_CONFIG'] || undefined)
  return [
    ...(dataDirectory(others) === dataDir ? [] : ['--home', dataDir]),
    ...(config === undefined ? [] : ['--config', resolve(config)]),
  ]
}

function isOnPath(script: string, env: NodeJS.ProcessEnv): boolean {
  const found = (env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'signalbox'))
    .find((path) => existsSync(path))
  return found !== undefined && existsSync(script) && realpathSync(found) === realpathSync(script)
}
