import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withLock } from './lock.mjs'
import { npmCi } from './npm-ci.mjs'
import { root } from './say.mjs'

const lockfile = join(root, 'package-lock.json')
const modules = join(root, 'node_modules')
const stamp = join(modules, '.signalbox-installed')

/** Runs `npm ci` unless node_modules already holds what package-lock.json asks for on this platform. */
export async function ensureInstalled() {
  if (isStamped() || adopt()) return
  await withLock(async () => {
    if (isStamped() || adopt()) return
    await npmCi()
    writeStamp()
  })
}

function fingerprint() {
  const hash = createHash('sha256').update(readFileSync(lockfile)).digest('hex')
  return `${hash} ${process.platform} ${process.arch}\n`
}

function isStamped() {
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === fingerprint()
}

/** Packages installed by hand with npm are as good as ours. */
function adopt() {
  if (!matchesLockfile()) return false
  writeStamp()
  return true
}

function writeStamp() {
  writeFileSync(stamp, fingerprint())
}

/** @typedef {{ version?: string, optional?: boolean, devOptional?: boolean, os?: string | string[], cpu?: string | string[], libc?: unknown }} Package */

/** npm leaves a list of what it installed; an interrupted install has none. */
function matchesLockfile() {
  const wanted = packagesOf(lockfile)
  const present = packagesOf(join(modules, '.package-lock.json'))
  if (!wanted || !present) return false
  for (const [path, pack] of Object.entries(wanted)) {
    if (path === '') continue
    const found = present[path]
    if (found ? found.version !== pack.version || !fitsHere(found) : isNeededHere(pack)) return false
  }
  return true
}

/** @param {string} path @returns {Record<string, Package> | undefined} */
function packagesOf(path) {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).packages : undefined
}

/** @param {Package} pack */
function isNeededHere(pack) {
  if (!pack.optional && !pack.devOptional) return true
  // Which C library this is would take too long to find out here; npm knows.
  return Boolean(pack.os && pack.cpu) && !pack.libc && fitsHere(pack)
}

/** @param {Package} pack */
function fitsHere(pack) {
  return allows(pack.os, process.platform) && allows(pack.cpu, process.arch)
}

/** @param {string | string[] | undefined} names @param {string} mine */
function allows(names, mine) {
  const list = names === undefined ? [] : [names].flat()
  const barred = list.filter((name) => name.startsWith('!'))
  return barred.length > 0 ? !barred.includes(`!${mine}`) : list.length === 0 || list.includes(mine)
}
