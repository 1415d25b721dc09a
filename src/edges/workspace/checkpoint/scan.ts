import { closeSync, fstatSync, lstatSync, openSync, readFileSync, readlinkSync, type BigIntStats } from 'node:fs'
import { join } from 'node:path'
import { plainFlags } from '../../../lib/plain-file.ts'
import type { Hold } from '../held-directory.ts'
import { errnoOf } from '../errno.ts'
import { isStagedName } from '../staged-name.ts'
import { isSettled, fingerprintOf, type FileCache, type CachedFile } from './file-cache.ts'
import { holdDirectory, WorkspaceReplaced, type HeldDirectory } from './held-directory-sync.ts'
import { ignoredByGit, ignoreRules, type Ignored, type IgnoreRules } from './ignored.ts'
import { createReader } from './read-file.ts'
import type { ContentSink } from './sink.ts'
import { directoryFingerprint } from './unchanged.ts'
import type { SeenDirectory } from './workspace-state.ts'
import { hashOfText, writeDirectory, type TreeEntry, type TreeLeaf } from './tree.ts'

export type SkippedFile = {
  path: string
  why: 'git' | 'unreadable' | 'special' | 'changing' | 'too_large' | 'not_utf8'
}

export type Scanned = {
  tree: string
  /** New directories by their hash. */
  directories: Map<string, string>
  files: Map<string, CachedFile>
  /** What was read or compared; not what is in unchanged directories. */
  leaves: { path: string; leaf: TreeLeaf; blob: string }[]
  fileCount: number
  notKept: SkippedFile[]
  /** The directories that were read. */
  seen: SeenDirectory[]
  /** The directories that were taken as they were. */
  carried: string[]
}

/** A directory with everything in it that is as it was, and does not have to be read. */
export type UnchangedDirectory = { hash: string | null; fileCount: number; paths: readonly string[] }

export const mostFiles = 500_000
export class TooManyFiles extends Error {}

/** `isNested`: in a repo within the workspace, whose own rules count. */
type ActiveRules = { byGit: Ignored | null; byFiles: IgnoreRules; isNested: boolean }

/** Reads a workspace through held directories, so that nothing outside is opened whatever is swapped meanwhile. */
export async function scan(input: {
  root: string
  /** Identity of the root, if it is known. */
  identity?: string | null
  hold: Hold
  /** What Git ignores in the workspace, if Git can be used. */
  ignored: Ignored | null
  /** Real paths to leave out: our own data. */
  skip: readonly string[]
  /** Paths to include although they are ignored now: ignore files may have changed since a checkpoint. */
  isWanted(path: string): boolean
  cache: FileCache
  sink: ContentSink
  isKnown(directory: string): boolean
  /** Null if a directory must be read. */
  unchanged?(path: string): UnchangedDirectory | null
  now(): number
}): Promise<Scanned> {
  const found: Scanned = {
    tree: '',
    directories: new Map(),
    files: new Map(),
    leaves: [],
    fileCount: 0,
    notKept: [],
    seen: [],
    carried: [],
  }
  // What changes from now on must be found next time.
  const startedAt = input.now()
  const read = createReader(input.sink)

  async function directory(held: HeldDirectory, at: string, given: ActiveRules): Promise<string> {
    const fingerprint = directoryFingerprint(held.status(), startedAt)
    const [countBefore, skippedBefore] = [found.fileCount, found.notKept.length]
    const names = held.names()
    const rules = await rulesOf(held, at, names, given)
    const known: string[] = []
    let count = 0
    const entries = new Map<string, TreeEntry>()
    for (const name of names.sort()) {
      const path = at === '' ? name : `${at}/${name}`
      if (isGit(name)) {
        // Not reported for the workspace itself.
        if (at !== '') found.notKept.push({ path, why: 'git' })
        continue
      }
      if (isStagedName(name)) continue
      const status = statusOf(held.entry(name))
      if (status === null) {
        if (name.includes('\ufffd')) found.notKept.push({ path, why: 'not_utf8' })
        continue
      }
      if (isIgnored(rules, path, status.isDirectory()) && !input.isWanted(path)) continue
      if (input.skip.includes(join(input.root, path))) continue
      if (status.isDirectory()) {
        const hash = await subdirectory(held, name, path, rules)
        if (hash !== null) entries.set(name, { kind: 'directory', hash })
        continue
      }
      const leaf = await leafOf(held.entry(name), path, status)
      if (leaf === null) continue
      entries.set(name, leaf)
      count += 1
      if (found.files.has(path)) known.push(name)
    }
    const text = writeDirectory(entries)
    const hash = hashOfText(text)
    if (!input.isKnown(hash)) found.directories.set(hash, text)
    // What was left out is reported each time, so it is looked for each time.
    const mustBeRead = rules.isNested || known.length < count || found.notKept.length > skippedBefore
    const isEmpty = found.fileCount === countBefore
    const seen = { path: at, hash: isEmpty ? null : hash, names: known, count }
    found.seen.push({ ...seen, fingerprint: mustBeRead ? '' : fingerprint })
    return hash
  }

  /** Null if nothing in it is kept: empty directories are left out. */
  async function subdirectory(
    parent: HeldDirectory,
    name: string,
    path: string,
    rules: ActiveRules,
  ): Promise<string | null> {
    const unchanged = rules.isNested ? null : (input.unchanged?.(path) ?? null)
    if (unchanged !== null) {
      found.fileCount += unchanged.fileCount
      if (found.fileCount > mostFiles) throw new TooManyFiles()
      for (const one of unchanged.paths) found.carried.push(one)
      return unchanged.hash
    }
    let held: HeldDirectory
    try {
      held = parent.child(name)
    } catch (error) {
      const why = errnoOf(error) === 'EACCES' ? 'unreadable' : 'changing'
      if (errnoOf(error) !== 'ENOENT') found.notKept.push({ path, why })
      return null
    }
    const before = { leaves: found.leaves.length, fileCount: found.fileCount }
    try {
      const hash = held.isInPlace() ? await directory(held, path, rules) : null
      if (hash !== null && held.isInPlace()) return found.fileCount > before.fileCount ? hash : null
      throw Object.assign(new Error(`${path} was moved.`), { code: 'ELOOP' })
    } catch (error) {
      if (errnoOf(error) === null || errnoOf(error) === 'EMFILE') throw error
      found.leaves.length = before.leaves
      found.fileCount = before.fileCount
      found.notKept.push({ path, why: errnoOf(error) === 'EACCES' ? 'unreadable' : 'changing' })
      return null
    } finally {
      held.close()
    }
  }

  async function rulesOf(
    held: HeldDirectory,
    at: string,
    names: readonly string[],
    given: ActiveRules,
  ): Promise<ActiveRules> {
    let { byGit, byFiles, isNested } = given
    // A nested repo has its own ignore rules.
    if (at !== '' && names.includes('.git')) {
      isNested = true
      const own = held.isInPlace() ? await ignoredByGit(join(input.root, at)) : null
      if (own !== null) byGit = within(at, own)
    }
    if (byGit === null && names.includes('.gitignore')) {
      const text = textOf(held.entry('.gitignore'))
      if (text !== null) byFiles = byFiles.with(at, text)
    }
    return { byGit, byFiles, isNested }
  }

  async function leafOf(entry: string, path: string, status: BigIntStats): Promise<TreeLeaf | null> {
    if (found.fileCount >= mostFiles) throw new TooManyFiles()
    if (status.isSymbolicLink()) {
      const target = readlinkSync(entry)
      if (target.includes('\ufffd')) return refuse(path, 'not_utf8')
      const bytes = Buffer.from(target)
      const leaf = { kind: 'link' as const, hash: hashOfText(target), target }
      const blob = await input.sink.put(leaf.hash, bytes)
      found.leaves.push({ path, leaf, blob })
      found.fileCount += 1
      if (isSettled(status, startedAt))
        found.files.set(path, { fingerprint: fingerprintOf(status), hash: leaf.hash, blob })
      return leaf
    }
    if (!status.isFile()) return refuse(path, 'special')
    const fingerprint = fingerprintOf(status)
    const known = input.cache.files.get(path)
    const isKnown = known !== undefined && known.fingerprint === fingerprint && input.sink.isKept(known)
    const content = isKnown ? { ...known, status } : await read(entry, status)
    if (typeof content === 'string') return refuse(path, content)
    const { hash, blob } = content
    const { mode, size } = content.status
    if (isSettled(content.status, startedAt))
      found.files.set(path, { fingerprint: fingerprintOf(content.status), hash, blob: blob || keptBlob(known, hash) })
    const leaf = { kind: 'file' as const, mode: Number(mode) & 0o777, hash, size: Number(size) }
    found.leaves.push({ path, leaf, blob })
    found.fileCount += 1
    return leaf
  }

  const refuse = (path: string, why: SkippedFile['why']): null => {
    found.notKept.push({ path, why })
    return null
  }

  const top = holdDirectory(input.hold, input.root)
  try {
    if (!top.isInPlace() || (input.identity && top.identity() !== input.identity))
      throw new WorkspaceReplaced(input.root)
    found.tree = await directory(top, '', { byGit: input.ignored, byFiles: ignoreRules(), isNested: false })
    return found
  } finally {
    top.close()
  }
}

const keptBlob = (known: CachedFile | undefined, hash: string): string => (known?.hash === hash ? known.blob : '')

const isIgnored = ({ byGit, byFiles }: ActiveRules, path: string, isDirectory: boolean): boolean =>
  byGit === null ? byFiles.has(path, isDirectory) : byGit.has(path, isDirectory)

const within = (base: string, ignored: Ignored): Ignored => ({
  ...ignored,
  has: (path, isDirectory) => ignored.has(path.slice(base.length + 1), isDirectory),
})

// Some file systems ignore case and these characters in names: `.GIT` is `.git` there.
const unseen = /[\u200C-\u200F\u202A-\u202E\u206A-\u206F\uFEFF]/g
const isGit = (name: string): boolean => name.normalize('NFKC').replaceAll(unseen, '').toLowerCase() === '.git'

function statusOf(path: string): BigIntStats | null {
  try {
    return lstatSync(path, { bigint: true })
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null
    throw error
  }
}

const longestRules = 1024 * 1024

/** Null if it is not a regular file: links and pipes are not followed. */
function textOf(path: string): string | null {
  let fd: number
  try {
    fd = openSync(path, plainFlags)
  } catch {
    return null
  }
  try {
    const status = fstatSync(fd)
    return status.isFile() && status.size <= longestRules ? readFileSync(fd, 'utf8') : null
  } catch {
    return null
  } finally {
    closeSync(fd)
  }
}
