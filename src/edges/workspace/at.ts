import { realpath } from 'node:fs/promises'
import { resolve } from 'node:path'
import { ok, type Failed, type Result } from '../../lib/result.ts'
import { openDirectory, type Hold } from './directory.ts'
import { unless } from './errno.ts'
import { invalidPath, keepsChanging, outsideWorkspace, refusedBySystem, workspaceMissing } from './faults.ts'
import { walk, type Place, type Root, type Trail } from './walk.ts'

export type Found = Extract<Place, { path: string }>

/** Something was swapped between looking and using: look again. */
export const changed = Symbol('changed')

export type Use<T> = (trail: Trail, found: Found) => Promise<Result<T> | typeof changed>

const mostTries = 64

/** Leads to a path and hands over what is there, with the directories on the way held; a refusal is told to `refused`. */
export function createPaths(deps: { root: string; hold: Hold; refused(path: string, why: string): Promise<void> }) {
  let pinned: Root | null = null

  // Looked up once: a root that becomes a link to elsewhere later is not followed there.
  const findRoot = async (): Promise<Root | null> => {
    const given = resolve(deps.root)
    const real = pinned?.real ?? (await realpath(given).catch(() => null))
    return real === null ? null : (pinned = { given, real })
  }

  const refuse = async (path: string, why: string, fault: Failed): Promise<Failed> => {
    // Wrapped, so that it is not taken for trouble with the path itself.
    await deps.refused(path, why).catch((cause: unknown) => {
      throw new Error('A refused path could not be recorded.', { cause })
    })
    return fault
  }

  async function once<T>(root: Root, path: string, use: Use<T>): Promise<Result<T> | typeof changed> {
    const top = await openDirectory(deps.hold, root.real).catch(unless(['ENOENT', 'ENOTDIR', 'ELOOP'], null))
    if (top === null) return workspaceMissing(root.given)
    const trail: Trail = { root, directories: [top], names: [] }
    try {
      if ((await top.where()) !== root.real) return workspaceMissing(root.given)
      const place = await walk(trail, path)
      if ('path' in place) return await use(trail, place)
      if (place.type === 'changed') return changed
      if (place.type === 'outside') return await refuse(path, 'outside the workspace', outsideWorkspace(path))
      return invalidPath(place.type, path)
    } finally {
      for (const directory of trail.directories) await directory.close()
    }
  }

  return {
    refuse,
    /** Real path of the workspace. */
    async root(): Promise<Result<string>> {
      const root = await findRoot()
      return root === null ? workspaceMissing(deps.root) : ok(root.real)
    },
    async at<T>(path: string, use: Use<T>): Promise<Result<T>> {
      if (path === '') return invalidPath('empty', path)
      if (path.includes('\0')) return refuse(path, 'NUL byte in a path', outsideWorkspace(path))
      const root = await findRoot()
      if (root === null) return workspaceMissing(deps.root)
      try {
        for (let tries = 0; tries < mostTries; tries += 1) {
          const result = await once(root, path, use).catch(unless(['ENOENT', 'ELOOP', 'ENOTDIR'], changed))
          if (result !== changed) return result
        }
        return keepsChanging(path)
      } catch (error) {
        return refusedBySystem(path, error)
      }
    },
  }
}

export type Paths = ReturnType<typeof createPaths>

export const locate = (paths: Paths, path: string): Promise<Result<{ path: string; exists: boolean }>> =>
  paths.at(path, (_trail, found) => Promise.resolve(ok({ path: found.path, exists: found.type !== 'missing' })))
