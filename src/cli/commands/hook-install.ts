import { mkdir, readFile, realpath, rename, stat, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join, delimiter, resolve } from 'node:path'
import { existsSync, realpathSync } from 'node:fs'
import { parseJson } from '../../lib/parse-json.ts'
import { shellWord } from '../../lib/shell-words.ts'
import { dataDirectory } from '../../config/data-directory.ts'
import { programName } from '../program-name.ts'
import type { Handler } from '../command.ts'
import type { Context } from '../context.ts'
import { exit, Failure } from '../failure.ts'
import { ClaudeSettings, withHooks, withoutHooks } from '../hook/settings.ts'
import type { installFlags } from '../table/hook.ts'
import { launchOf } from '../../lib/mcp-clients/launch.ts'

export const installHooks: Handler<typeof installFlags> = async ({ flags }, context) => {
  const scope = flags.scope ?? 'user'
  const file = settingsFile(scope, context)
  const old = await readSettings(file)
  const program = programFor(context, scope === 'project')
  const settings = flags.remove ? withoutHooks(old) : withHooks(old, { program, ...flags })
  if (flags.print) {
    context.out.note(file)
    context.out.print(JSON.stringify(settings, null, 2))
    return exit.ok
  }
  const changed = JSON.stringify(settings) !== JSON.stringify(old)
  if (changed) await write(file, settings)
  if (context.json) context.out.json({ file, changed })
  else context.out.print(words(file, changed, flags.remove))
  return exit.ok
}

function words(file: string, changed: boolean, removed: boolean): string {
  if (!changed) return `${file}: up to date.`
  return removed
    ? `Hooks removed from ${file}.`
    : `Hooks written to ${file}. Claude Code asks in Signalbox from its next session on. Open asks: ${programName()} asks`
}

function settingsFile(scope: string, { env }: Context): string {
  if (scope === 'user') return join(env['CLAUDE_CONFIG_DIR'] || join(homedir(), '.claude'), 'settings.json')
  return join(process.cwd(), '.claude', scope === 'local' ? 'settings.local.json' : 'settings.json')
}

async function readSettings(file: string): Promise<ClaudeSettings> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '{}'
    throw error
  })
  const read = parseJson(text, ClaudeSettings)
  if (read.ok) return read.value
  throw new Failure({
    exit: exit.failed,
    code: 'settings_unreadable',
    message: `${file} is not valid for Claude Code, so nothing was changed.`,
    hint: `Fix it, or add the output of this yourself: ${programName()} hook install claude --print --scope local`,
    cause: new Error(read.fault.message),
  })
}

/** Written atomically, following links for people who keep settings elsewhere. */
async function write(file: string, settings: ClaudeSettings): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  const target = await realpath(file).catch(() => file)
  const mode = await stat(target).then(
    (found) => found.mode & 0o777,
    () => 0o600,
  )
  const aside = `${target}.signalbox-${process.pid}`
  await writeFile(aside, `${JSON.stringify(settings, null, 2)}\n`, { mode })
  await rename(aside, target)
}

/** The command for hooks: by name if it is on the PATH or the settings are shared, else by path. */
function programFor(context: Context, shared: boolean): string {
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
