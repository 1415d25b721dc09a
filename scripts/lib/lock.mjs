import {
  closeSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { root, say } from './say.mjs'

const folder = join(root, '.cache')
const path = join(folder, 'launch.lock')
const beat = 2000
const silent = 20_000

/**
 * One launch at a time installs or builds. The lock sits outside node_modules, which `npm ci` deletes.
 * @template T
 * @param {() => Promise<T>} work
 */
export async function withLock(work) {
  mkdirSync(folder, { recursive: true })
  let told = false
  while (!take()) {
    if (breakStale()) continue
    if (!told) say('Another launch is installing or building; waiting…')
    told = true
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  const release = () => rmSync(path, { force: true })
  const stop = () => process.exit(130)
  const heart = setInterval(() => utimesSync(path, new Date(), new Date()), beat)
  process.on('exit', release)
  process.on('SIGINT', stop).on('SIGTERM', stop).on('SIGHUP', stop)
  try {
    return await work()
  } finally {
    clearInterval(heart)
    process.off('exit', release)
    process.off('SIGINT', stop).off('SIGTERM', stop).off('SIGHUP', stop)
    release()
  }
}

function take() {
  try {
    const file = openSync(path, 'wx')
    writeSync(file, `${hostname()} ${process.pid}`)
    closeSync(file)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

/** A holder that was killed leaves its lock behind: its process is gone, or it has stopped touching the file. */
function breakStale() {
  try {
    const held = readFileSync(path, 'utf8')
    const quiet = Date.now() - statSync(path).mtimeMs
    const [host, pid] = held.split(' ')
    const gone = host === hostname() && pid !== undefined && !alive(Number(pid))
    if (!gone && quiet < silent) return false
    const aside = `${path}.${process.pid}`
    renameSync(path, aside)
    // Another launch may have taken the lock meanwhile: then put it back.
    if (readFileSync(aside, 'utf8') !== held) linkSync(aside, path)
    rmSync(aside)
    return true
  } catch (error) {
    const code = codeOf(error)
    if (code === 'ENOENT' || code === 'EEXIST') return true
    throw error
  }
}

/** @param {number} pid */
function alive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}

/** @param {unknown} error */
function codeOf(error) {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
