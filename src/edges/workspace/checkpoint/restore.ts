import { errnoOf } from '../errno.ts'
import type { Hold } from '../held-directory.ts'
import { ContentMissing, openContents } from './contents.ts'
import { DirectoryMoved, openFileRestorer } from './file-restorer.ts'
import type { RestoreStep } from './restore-log.ts'
import type { Difference, LeafAtPath } from './tree.ts'

/** A file that the session created, and its hash at that time. */
export type MadeFile = { path: string; hash: string }

export type RestoreResult = {
  restored: string[]
  recreated: string[]
  /** New files that stay; renamed if they were in the way. */
  kept: string[]
  removed: string[]
  failed: { path: string; why: string }[]
}

const mostTries = 8

/**
 * Restores a workspace to a checkpoint. Each file is complete before it gets its name. If interrupted, it can be run again
 * with the same result.
 */
export async function restoreFiles(input: {
  root: string
  identity?: string | null
  hold: Hold
  directory: string
  restorePoint: string
  difference: Difference
  removeNew: readonly MadeFile[]
  mark: string
  note(step: RestoreStep): void
}): Promise<RestoreResult> {
  const { difference, removeNew } = input
  await using contents = await openContents(input.directory, input.restorePoint)
  await using hands = await openFileRestorer(input)
  const done: RestoreResult = { restored: [], recreated: [], kept: [], removed: [], failed: [] }
  const made = new Map(removeNew.map(({ path, hash }) => [path, hash]))
  for (const { path, leaf } of difference.added) {
    const hash = leaf.kind === 'file' ? made.get(path) : undefined
    const gone = hash !== undefined && hash === leaf.hash && (await hands.remove(path, { hash }))
    done[gone ? 'removed' : 'kept'].push(path)
  }
  const putAll = async (files: readonly LeafAtPath[], list: string[], isNew: boolean) => {
    for (const { path, leaf } of files) {
      const why = await attempt(() => hands.put(path, leaf, { contents, isNew }))
      if (why === null) list.push(path)
      else done.failed.push({ path, why })
    }
  }
  await putAll(difference.modified, done.restored, false)
  await putAll(difference.deleted, done.recreated, true)
  done.kept = withMoved(renamed(done.kept, hands.movedAside, input.mark), hands.movedAside)
  return done
}

/** Null on success, or why this file failed; throws for a full disk and other general errors. */
async function attempt(act: () => Promise<void>): Promise<string | null> {
  for (let tries = 1; ; tries += 1)
    try {
      await act()
      return null
    } catch (error) {
      const code = errnoOf(error)
      const isSwapped =
        error instanceof DirectoryMoved ||
        ['ENOENT', 'ELOOP', 'ENOTDIR', 'EISDIR', 'ENOTEMPTY', 'EEXIST'].includes(code ?? '')
      if (isSwapped && tries < mostTries) continue
      if (isSwapped) return 'It kept changing while it was restored.'
      if (error instanceof ContentMissing) return error.message
      if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS' || code === 'EBUSY')
        return `Permission denied (${code}).`
      throw error
    }
}

/** What was moved aside without being in a checkpoint, such as a pipe, stays too. */
const withMoved = (kept: readonly string[], aside: readonly string[]): string[] => {
  const isListed = (path: string) => kept.some((one) => one === path || one.startsWith(`${path}/`))
  return [...kept, ...aside.filter((path) => !isListed(path))].sort()
}

/** Replaces the paths of entries that were moved aside by their new names. */
function renamed(kept: readonly string[], aside: readonly string[], mark: string): string[] {
  const before = new Map(aside.map((path) => [path.replace(new RegExp(`\\.kept-${mark}(?:-\\d+)?$`), ''), path]))
  const nameOf = (path: string): string => {
    for (const [old, now] of before)
      if (path === old || path.startsWith(`${old}/`)) return `${now}${path.slice(old.length)}`
    return path
  }
  return kept.map(nameOf).sort()
}

/**
 * Takes back what an earlier restore did beside contents: removes files that it made, moves back what it moved aside. Only what
 * nobody changed since. The paths of the files it removed.
 */
export async function undoRestore(input: {
  root: string
  identity?: string | null
  hold: Hold
  mark: string
  steps: readonly RestoreStep[]
  note(step: RestoreStep): void
}): Promise<string[]> {
  await using hands = await openFileRestorer(input)
  const removed: string[] = []
  for (const step of input.steps.toReversed()) if (await hands.takeBack(step)) removed.push(step.path)
  return removed.sort()
}
