import { constants } from 'node:fs'
import { access, stat, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Check } from '../../client/contract/system.ts'
import { formatFaults, loadConfig, type LoadedConfig } from '../../config/index.ts'
import type { Context } from '../context.ts'
import { confinedProgram } from '../../lib/confined-program.ts'
import { bad, good, reason, warn } from './check.ts'
import { checkDatabase } from './database.ts'

const gigabyte = 1024 ** 3
const leastNode = [24, 11] as const

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
