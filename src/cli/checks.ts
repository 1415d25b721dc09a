import { constants, existsSync } from 'node:fs'
import { access, readFile, stat, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createServer } from 'node:net'
import type { Check } from '../client/contract/system.ts'
import { formatFaults, loadConfig, type LoadedConfig } from '../config/index.ts'
import { confinedProgram } from '../lib/confined-program.ts'
import { lookAtConfinement } from '../lib/confinement.ts'
import { lookAtEngine } from '../lib/container/look-at-engine.ts'
import { socketPath } from '../lib/socket-path.ts'
import type { Context } from './context.ts'
import { exit, Failure } from './failure.ts'

export const good = (name: string, detail: string): Check => ({ name, status: 'ok', detail, hint: null })
export const warn = (name: string, detail: string, hint: string): Check => ({ name, status: 'warn', detail, hint })
export const bad = (name: string, detail: string, hint: string): Check => ({ name, status: 'fail', detail, hint })

export const reason = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const gigabyte = 1024 ** 3
const leastNode = [22, 12] as const

/** Checks that need no server. */
export async function localChecks(context: Context): Promise<{ loaded: LoadedConfig | null; checks: Check[] }> {
  const { env, dataDir, configFile } = context
  const result = loadConfig({ env, dataDir, configFile })
  const loaded = result.ok ? result.value : null
  const config = result.ok
    ? good('configuration', result.value.file ?? 'no file: all defaults')
    : bad('configuration', formatFaults(result.faults), 'Fix it, then check again with: signalbox config check')
  const others = await Promise.all([
    checkDirectory(dataDir),
    loaded ? checkDatabase(context, loaded) : null,
    checkDisk(dataDir),
    checkGit(),
    checkChatKey(dataDir),
  ])
  return { loaded, checks: [checkNode(), config, ...others.filter((check) => check !== null)] }
}

export function checkNode(version = process.versions.node): Check {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const isNew = major > leastNode[0] || (major === leastNode[0] && minor >= leastNode[1])
  return isNew ? good('Node.js', version) : bad('Node.js', version, `Install Node.js ${leastNode.join('.')} or newer.`)
}

export async function checkDirectory(dataDir: string): Promise<Check> {
  const name = 'data directory'
  try {
    const found = await stat(dataDir)
    if (!found.isDirectory())
      return bad(name, `${dataDir} is not a directory`, 'Choose another with SIGNALBOX_HOME or --home.')
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
    const mode = (found.mode & 0o777).toString(8)
    if (process.platform !== 'win32' && (found.mode & 0o077) !== 0)
      return bad(name, `${dataDir} is open to other users (mode ${mode})`, `Fix it with: chmod 700 ${dataDir}`)
    return good(name, `${dataDir} is writable and private`)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : ''
    if (code === 'ENOENT') return good(name, `${dataDir} is missing: the first start creates it`)
    return bad(
      name,
      `${dataDir} is not writable`,
      `Change its owner, or choose another with --home. (${reason(error)})`,
    )
  }
}

async function checkDisk(dataDir: string): Promise<Check> {
  const name = 'disk space'
  try {
    const { bavail, bsize } = await statfs(await nearest(dataDir))
    const free = bavail * bsize
    const text = `${(free / gigabyte).toFixed(1)} GB free`
    if (free < gigabyte / 10) return bad(name, text, 'Free some space: a full disk stops every session.')
    return free < gigabyte ? warn(name, text, 'Free some space soon.') : good(name, text)
  } catch (error) {
    return warn(name, `unknown: ${reason(error)}`, 'Check with: df -h')
  }
}

/** The directory, or its nearest existing parent. */
async function nearest(path: string): Promise<string> {
  try {
    await stat(path)
    return path
  } catch {
    return dirname(path) === path ? path : nearest(dirname(path))
  }
}

/** Only if there is a key: the first chat makes it. */
async function checkChatKey(dataDir: string): Promise<Check | null> {
  const content = await readFile(join(dataDir, 'chat-key'), 'utf8').catch(() => null)
  if (content === null) return null
  return good('chat key', content.trim() === 'keychain' ? 'in the system keychain' : join(dataDir, 'chat-key'))
}

async function checkGit(): Promise<Check> {
  const git = await confinedProgram('git')
  if (git === null) return warn('git', 'not found', 'Install git: repos, checkpoints and diffs need it.')
  const { stdout } = await git.run({ args: ['--version'], cwd: '/', env: { LC_ALL: 'C' }, sees: {}, timeMs: 10_000 })
  const version = stdout
    .toString()
    .trim()
    .replace(/^git version /, '')
  return good('git', `${version}, ${git.confined ? 'in a sandbox' : 'without a sandbox: install bubblewrap'}`)
}

const name = 'database'

/** Checks without creating anything: a missing file stays missing. */
async function checkDatabase(context: Context, loaded: LoadedConfig): Promise<Check> {
  const kind = loaded.config.database.url === null ? 'SQLite' : 'PostgreSQL'
  try {
    const maintenance = await context.parts.maintenance()
    if (kind === 'SQLite' && !existsSync(maintenance.databaseFile(loaded.dataDir)))
      return good(name, 'SQLite, missing: the first start creates it')
    const { current, newest } = await maintenance.databaseStatus(loaded)
    if (current > newest)
      return bad(
        name,
        `${kind} has schema ${current}; this Signalbox knows up to ${newest}`,
        'Start the newer Signalbox again, or restore the backup made before the upgrade.',
      )
    if (current < newest)
      return warn(
        name,
        `${kind}, schema ${current} of ${newest}`,
        'The next start brings it up to date, or: signalbox db migrate',
      )
    return good(name, `${kind}, schema ${current}, up to date`)
  } catch (error) {
    const hint =
      kind === 'SQLite'
        ? 'Check who owns signalbox.db in the data directory; backups are in backups/ there.'
        : 'Check database.url, and that the database server is running and accepts this user.'
    return bad(name, `${kind} can't be opened: ${reason(error)}`, hint)
  }
}

/** Checks of the server, from outside and by the server itself. */
export async function serverChecks(context: Context, loaded: LoadedConfig | null): Promise<Check[]> {
  if (loaded === null && context.url === undefined) return []
  try {
    const { client } = await context.api()
    const status = await client.getStatus({})
    const { version } = context.parts
    const running =
      status.version === version
        ? good('server', `${status.version} at ${status.address}`)
        : warn(
            'server',
            `${status.version} at ${status.address}; this is ${version}`,
            'Restart the server to run the same version.',
          )
    const own = await client
      .getDoctor({})
      .then(({ checks }) => checks)
      .catch((error: unknown) => [warn('checks', reason(error), 'Only admins see them.')])
    const socket = context.url === undefined && loaded ? await checkSocket(loaded) : []
    return [running, ...socket, ...own.map(ofServer)]
  } catch (error) {
    if (!(error instanceof Failure) || error.exit !== exit.noServer)
      return [bad('server', reason(error), 'See its log, and restart it.')]
    const hint = error.hint ?? 'Start it with: signalbox serve'
    const absent = warn('server', 'not running', hint)
    if (context.url !== undefined || !loaded) return [{ ...absent, status: 'fail' }]
    const { isolation } = loaded.config.acp
    const confinement = await lookAtConfinement({ path: context.env['PATH'] ?? '', isolation })
    const engine = await lookAtEngine({ configured: loaded.config.containers.engine, env: context.env })
    return [absent, await checkPort(loaded), ...confinement, engine]
  }
}

const ofServer = ({ name, status, detail, hint }: Check): Check => ({ name: `server: ${name}`, status, detail, hint })

async function checkSocket({ dataDir, config }: LoadedConfig): Promise<Check[]> {
  if (process.platform === 'win32') return []
  const path = socketPath(dataDir, config.ipcName)
  const { mode, uid } = await stat(path)
  if ((mode & 0o077) !== 0)
    return [
      bad(
        'socket',
        `${path} is open to other users (mode ${(mode & 0o777).toString(8)})`,
        `Fix it with: chmod 600 ${path}`,
      ),
    ]
  if (uid !== process.getuid?.())
    return [warn('socket', `${path} belongs to another user`, "Run this as the server's user.")]
  return [good('socket', `${path} is private`)]
}

function checkPort({ config }: LoadedConfig): Promise<Check> {
  const { httpPort: port } = config
  const { host } = config.http
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', (error: NodeJS.ErrnoException) => {
      resolve(
        error.code === 'EADDRINUSE'
          ? warn(
              'port',
              `${host}:${port} is used by another program`,
              'The next start uses another port, or choose one with --port.',
            )
          : bad(
              'port',
              `${host}:${port}: ${error.message}`,
              'Choose another with http_port and http.host, or --port and --host.',
            ),
      )
    })
    probe.listen(port, host, () => probe.close(() => resolve(good('port', `${host}:${port} is free`))))
  })
}
