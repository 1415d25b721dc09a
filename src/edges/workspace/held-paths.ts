import { realpath } from 'node:fs/promises'
import { resolve } from 'node:path'
import { ok, type Failed, type Result } from '../../lib/result.ts'
import { openDirectory, type Directory, type Hold } from './held-directory.ts'
import { ifErrno } from './errno.ts'
import { expectedOf, type DirectoryMark } from '../../lib/directory-mark.ts'
import {
  invalidPath,
  keepsChanging,
  outsideWorkspace,
  refusedBySystem,
  replacedWorkspace,
  workspaceMissing,
} from './faults.ts'
import { walk, type WalkResult, type WorkspaceRoot, type Trail } from './walk.ts'

export type FoundPath = Extract<WalkResult, { path: string }>

/** Something was swapped between check and use: try again. */
export const changed = Symbol('changed')

export type UsePath<T> = (trail: Trail, found: FoundPath) => Promise<Result<T> | typeof changed>

const mostTries = 64

/** Opens paths in a workspace through held directories, so that nothing can be swapped. Refusals go to `refused`. */
export function createHeldPaths(deps: {
  root: string
  hold: Hold
  /** The mark of the root when its session began, if it belongs to a session. */
  mark?: (() => Promise<DirectoryMark | null>) | undefined
  refused(path: string, why: string): Promise<void>
}) {
  let pinned: (WorkspaceRoot & { identity: string | null }) | null = null

  // Resolved once, so that a root that becomes a link later is not followed.
  const findRoot = async (): Promise<Result<NonNullable<typeof pinned>>> => {
    if (pinned !== null) return ok(pinned)
    const given = resolve(deps.root)
    const real = await realpath(given).catch(() => null)
    if (real === null) return workspaceMissing(given)
    if (deps.mark === undefined) return ok((pinned = { given, real, identity: null }))
    const expected = expectedOf(given, await deps.mark())
    if (real !== expected.real) return replaced(given)
    return ok((pinned = { given, ...expected }))
  }

  const replaced = (root: string) => refuse(root, 'the workspace was replaced', replacedWorkspace(root))

  const refuse = async (path: string, why: string, fault: Failed): Promise<Failed> => {
    // Wrapped, so that it is not mistaken for a problem with the path.
    await deps.refused(path, why).catch((cause: unknown) => {
      throw new Error('A refused path could not be recorded.', { cause })
    })
    return fault
  }

  async function once<T>(
    root: NonNullable<typeof pinned>,
    path: string,
    use: UsePath<T>,
  ): Promise<Result<T> | typeof changed> {
    const top = await openTop(root)
    if (!top.ok) return top
    const trail: Trail = { root, directories: [top.value], names: [] }
    try {
      const place = await walk(trail, path)
      if ('path' in place) return await use(trail, place)
      if (place.type === 'changed') return changed
      if (place.type === 'outside') return await refuse(path, 'outside the workspace', outsideWorkspace(path))
      return invalidPath(place.type, path)
    } finally {
      for (const directory of trail.directories) await directory.close()
    }
  }

  /** Opens the root, if it has no link in its path and is still the same directory. */
  async function openTop(root: NonNullable<typeof pinned>): Promise<Result<Directory>> {
    const top = await openDirectory(deps.hold, root.real)
      .catch(ifErrno(['ENOENT'], null))
      .catch(ifErrno(['ENOTDIR', 'ELOOP'], 'another' as const))
    if (top === null) return workspaceMissing(root.given)
    if (top === 'another') return replaced(root.given)
    const isSame =
      (await top.where()) === root.real && (root.identity === null || (await top.identity()) === root.identity)
    if (isSame) return ok(top)
    await top.close()
    return replaced(root.given)
  }

  return {
    refuse,
    /** Real path of the workspace, checked again. */
    async root(): Promise<Result<string>> {
      const root = await findRoot()
      if (!root.ok) return root
      const top = await openTop(root.value)
      if (!top.ok) return top
      await top.value.close()
      return ok(root.value.real)
    },
    async at<T>(path: string, use: UsePath<T>): Promise<Result<T>> {
      if (path === '') return invalidPath('empty', path)
      if (path.includes('\0')) return refuse(path, 'NUL byte in a path', outsideWorkspace(path))
      const root = await findRoot()
      if (!root.ok) return root
      try {
        for (let tries = 0; tries < mostTries; tries += 1) {
          const result = await once(root.value, path, use).catch(ifErrno(['ENOENT', 'ELOOP', 'ENOTDIR'], changed))
          if (result !== changed) return result
        }
        return keepsChanging(path)
      } catch (error) {
        return refusedBySystem(path, error)
      }
    },
  }
}

export type HeldPaths = ReturnType<typeof createHeldPaths>

export const locatePath = (paths: HeldPaths, path: string): Promise<Result<{ path: string; exists: boolean }>> =>
  paths.at(path, (_trail, found) => Promise.resolve(ok({ path: found.path, exists: found.type !== 'missing' })))
