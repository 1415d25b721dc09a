import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { cleanEnv, runCli, type Ran } from '../../support/server.ts'
import type { CallerName } from './callers.ts'
import type { Ground } from './ground.ts'

export type CommandRow = { readonly name: string; readonly routes: readonly string[] }

/** Each command, and the addresses it asks; none where it asks no server. */
export function readCommands(): CommandRow[] {
  const text = readFileSync(join(import.meta.dirname, 'table', 'commands.txt'), 'utf8')
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'))
  return lines.map((line) => {
    const [name = '', what = ''] = line.split(/ {2,}/)
    return { name, routes: what.startsWith('local:') ? [] : what.split(', ') }
  })
}

/** Every command and subcommand that the shells' completion offers. */
export async function offeredCommands(ground: Ground): Promise<string[]> {
  const { stdout } = await ground.server.cli('completion', 'bash')
  return (/local paths='([^']*)'/.exec(stdout)?.[1] ?? '').split('|').filter((name) => name !== '')
}

/** The command line of somebody with this caller's token, on the machine of the server. */
export function commandLine(ground: Ground, caller: CallerName, args: readonly string[]): Promise<Ran> {
  const token = /^Bearer (.*)$/.exec(ground.headers(caller, null)['authorization'] ?? '')?.[1]
  const env = cleanEnv({
    SIGNALBOX_HOME: ground.server.home,
    SIGNALBOX_URL: ground.server.address,
    ...(token !== undefined && { SIGNALBOX_TOKEN: token }),
  })
  return runCli(args, env)
}
