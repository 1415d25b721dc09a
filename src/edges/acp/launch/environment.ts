import { createHash } from 'node:crypto'
import { basename, delimiter, join } from 'node:path'
import { findProgram } from '../../../lib/absolute-program.ts'
import { newSecret } from '../../../lib/secret.ts'
import { isRecord, jsonOrNull } from '../../../lib/parse-json.ts'
import { confinedProgram } from '../../../lib/confined-program.ts'
import { asVariables, largestConfig, readGitConfig, settingsIn, writeGitConfig } from '../../../lib/git-config.ts'
import { readPlainFile } from '../../../lib/plain-file.ts'
import type { AgentDefinition, JsonTable } from './definition.ts'
import { realOrNull } from './paths.ts'

/** What every agent gets of the server's environment. Keys, tokens and session buses are not passed on. */
const common = (
  'PATH HOME USER LOGNAME SHELL LANG LC_* TZ TERM TMPDIR XDG_* NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR ' +
  'HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY http_proxy https_proxy all_proxy no_proxy'
).split(' ')
const usualPath = '/usr/local/bin:/usr/bin:/bin'

export async function agentEnvironment(input: {
  readonly agent: AgentDefinition
  readonly hostEnv: NodeJS.ProcessEnv
  readonly sessionId: string
  /** Directory of the Node that runs Signalbox: most agents need Node, and it may not be on the PATH. */
  readonly nodeDirectory: string
}): Promise<Record<string, string>> {
  const { agent, hostEnv } = input
  const env: Record<string, string> = { ...agent.defaultEnv }
  const allowed = [...common, ...agent.passEnv]
  for (const [name, value] of Object.entries(hostEnv))
    if (value !== undefined && allowed.some((pattern) => matches(pattern, name))) env[name] = value
  Object.assign(env, agent.env)
  for (const name of Object.keys(env)) if (name.toUpperCase().startsWith('SIGNALBOX_')) delete env[name]
  for (const [name, table] of Object.entries(agent.jsonEnv)) env[name] = filledIn(env[name], table)
  for (const name of agent.passwords) env[name] ||= newSecret('')
  if (basename(agent.command) === 'cline') Object.assign(env, { ...hubOf(input.sessionId), ...env })
  const path = env['PATH'] || usualPath
  env['PATH'] = (await findProgram('node', path)) === null ? `${path}${delimiter}${input.nodeDirectory}` : path
  env['SIGNALBOX_SESSION_ID'] = input.sessionId
  return env
}

/** Cline's sessions share one hub that runs their tools, across sandboxes. Each session gets its own hub. */
function hubOf(sessionId: string): Record<string, string> {
  const port = 20_000 + (createHash('sha256').update(sessionId).digest().readUInt16BE(0) % 10_000)
  return { CLINE_HUB_DISCOVERY_PATH: `/tmp/signalbox-cline-${sessionId}/hub.json`, CLINE_HUB_PORT: String(port) }
}

const matches = (pattern: string, name: string): boolean =>
  pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern

/** The operator's fields win. A value that is not a JSON object is left as it is. */
function filledIn(own: string | undefined, table: JsonTable): string {
  if (own === undefined || own.trim() === '') return JSON.stringify(table)
  const value = jsonOrNull(own, isRecord)
  return value ? JSON.stringify(under(value, table)) : own
}

function under(own: Record<string, unknown>, table: JsonTable): Record<string, unknown> {
  const result = { ...own }
  for (const [name, value] of Object.entries(table)) {
    const theirs = result[name]
    if (theirs === undefined) result[name] = value
    else if (isRecord(theirs) && typeof value === 'object') result[name] = under(theirs, value)
  }
  return result
}

const wanted = new Set(['user.name', 'user.email', 'safe.directory'])

/**
 * The operator's Git configuration is hidden in the sandbox, because it may hold tokens. User name, email and trusted
 * directories are passed as variables. The operator's files are read as if in the repository, since conditional includes
 * may depend on it. From the repository's own file only name and email are taken, and no includes.
 */
export async function gitIdentity(
  workspace: string,
  env: Readonly<Record<string, string>>,
  /** The Git directory that a worktree shares with its repository. */
  commonDir: string | null,
): Promise<Record<string, string>> {
  const git = await confinedProgram('git')
  const gitDir = commonDir ?? (await realOrNull(join(workspace, '.git')))
  if (git === null) return {}
  const config = gitDir === null ? null : join(gitDir, 'config')
  const file = config === null ? null : await readPlainFile(config, largestConfig)
  const local = file?.kind === 'file' ? await readGitConfig(git, file.bytes) : null
  const own = (local ?? []).filter(({ name }) => name === 'user.name' || name === 'user.email')
  // With a commondir, Git would read another repository's file.
  const isWhole = gitDir !== null && (await realOrNull(join(gitDir, 'commondir'))) === null
  const inRepo = local !== null && isWhole && config !== null && git.confined
  const replaced = inRepo ? [{ path: config, text: writeGitConfig(own) }] : []
  const read = await git.run({
    args: ['config', '--includes', '--null', '--list'],
    cwd: '/',
    env: { ...env, GIT_DIR: inRepo ? gitDir : '/nonexistent' },
    sees: { everything: true, replaced },
    timeMs: 5000,
  })
  const settings = settingsIn(read.stdout.toString()).filter(({ name }) => wanted.has(name))
  const all = inRepo ? settings : [...settings, ...own]
  return all.length === 0 ? {} : asVariables(all.map(({ name, value }) => [name, value]))
}
