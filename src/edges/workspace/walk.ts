import { lstat, readdir, readlink, realpath } from 'node:fs/promises'
import { dirname } from 'node:path'
import { standsForNothing } from '../../lib/protected-files.ts'
import type { Directory } from './held-directory.ts'
import { errnoOf, ifErrno } from './errno.ts'

/** The workspace: as given, and as a real path. */
export type WorkspaceRoot = { given: string; real: string }

/** What a path leads to. `path` has no links; `changed`: something moved meanwhile, walk again. */
export type WalkResult =
  | { type: 'directory'; path: string }
  | { type: 'file'; path: string; name: string }
  | { type: 'special'; path: string; name: string }
  | { type: 'missing'; path: string; names: readonly [string, ...string[]] }
  | { type: 'outside' | 'changed' | 'loop' | 'too_long' | 'not_a_directory' }

/** The directories from the root to the current one, all held open. */
export type Trail = { root: WorkspaceRoot; directories: [Directory, ...Directory[]]; names: string[] }

const mostLinks = 40
const deepest = 256
const longest = 4096
const longestName = 255

export const currentOf = (trail: Trail): Directory => trail.directories.at(-1) ?? trail.directories[0]

/**
 * Walks down from the root name by name, as the system would, but resolves links itself: each directory is opened in the
 * one before it, so no swapped link can lead elsewhere.
 */
export async function walk(trail: Trail, path: string): Promise<WalkResult> {
  if (Buffer.byteLength(path) > longest) return { type: 'too_long' }
  const start = path.startsWith('/') ? await enter(trail.root, partsOf(path)) : partsOf(path)
  if (start === null) return { type: 'outside' }
  let ahead = start
  let links = 0
  const missing: string[] = []
  const pathNow = () => [trail.root.real === '/' ? '' : trail.root.real, ...trail.names, ...missing].join('/') || '/'

  for (let name = ahead.shift(); name !== undefined; name = ahead.shift()) {
    if (name === '..') {
      if (missing.pop() !== undefined || (await goUp(trail))) continue
      const back = await enter(trail.root, [...partsOf(dirname(trail.root.real)), ...ahead])
      if (back === null) return { type: 'outside' }
      ahead = back
      continue
    }
    if (Buffer.byteLength(name) > longestName) return { type: 'too_long' }
    const entry = missing.length > 0 ? 'missing' : await look(currentOf(trail), name, trail.names.length === 0)
    switch (entry) {
      case 'too_long':
        return { type: 'too_long' }
      case 'missing':
        missing.push(name)
        break
      case 'link': {
        links += 1
        if (links > mostLinks) return { type: 'loop' }
        const target = await readlink(currentOf(trail).entry(name)).catch(ifErrno(['EINVAL', 'ENOENT'], null))
        if (target === null) return { type: 'changed' }
        const rest = [...partsOf(target), ...ahead]
        const next = target.startsWith('/') ? await enter(trail.root, rest) : rest
        if (next === null) return { type: 'outside' }
        if (target.startsWith('/')) while (await goUp(trail));
        ahead = next
        break
      }
      case 'directory':
        if (trail.directories.length > deepest) return { type: 'too_long' }
        if (!(await goDown(trail, name))) return { type: 'changed' }
        break
      case 'file':
      case 'special':
        if (ahead.length > 0) return { type: 'not_a_directory' }
        return { type: entry, name, path: `${pathNow() === '/' ? '' : pathNow()}/${name}` }
      default:
        return entry satisfies never
    }
  }
  const [first, ...others] = missing
  return first === undefined
    ? { type: 'directory', path: pathNow() }
    : { type: 'missing', path: pathNow(), names: [first, ...others] }
}

/** False if the name is not a directory, or is now a link. */
export async function goDown(trail: Trail, name: string): Promise<boolean> {
  const child = await currentOf(trail)
    .child(name)
    .catch(ifErrno(['ENOTDIR', 'ELOOP', 'ENOENT'], null))
  if (child === null) return false
  trail.directories.push(child)
  trail.names.push(name)
  return true
}

async function goUp(trail: Trail): Promise<boolean> {
  const left = trail.names.pop() === undefined ? undefined : trail.directories.pop()
  await left?.close()
  return left !== undefined
}

async function look(directory: Directory, name: string, atTop: boolean) {
  try {
    const found = await lstat(directory.entry(name))
    if (found.isSymbolicLink()) return 'link'
    if (!found.isDirectory()) return found.isFile() ? 'file' : 'special'
    // The settings guard holds names with empty directories.
    if (atTop && standsForNothing(name) && (await readdir(directory.entry(name))).length === 0) return 'missing'
    return 'directory'
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return 'missing'
    if (errnoOf(error) === 'ENAMETOOLONG') return 'too_long'
    throw error
  }
}

/** The part of an absolute path after the root, however the root is written; null if it does not reach the root. */
async function enter(root: WorkspaceRoot, parts: string[]): Promise<string[] | null> {
  for (const base of [partsOf(root.real), partsOf(root.given)])
    if (base.every((name, index) => parts[index] === name)) return parts.slice(base.length)
  for (let length = 1; length <= parts.length; length += 1) {
    const real = await realpath(`/${parts.slice(0, length).join('/')}`).catch(() => null)
    if (real === null) return null
    if (real === root.real) return parts.slice(length)
  }
  return null
}

const partsOf = (path: string): string[] => path.split('/').filter((part) => part !== '' && part !== '.')
