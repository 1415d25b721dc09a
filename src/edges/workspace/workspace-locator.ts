import { existsSync } from 'node:fs'
import { lstat, readdir, realpath } from 'node:fs/promises'
import { isAbsolute, join, resolve } from 'node:path'
import { realPlace } from '../../lib/look-at-file.ts'
import { fail, ok, type Failed, type Result } from '../../lib/result.ts'
import { isInside } from './inside.ts'
import { expectedOf, lookAgain, markDirectory, type DirectoryMark } from '../../lib/directory-mark.ts'

const deepest = 4
const mostFound = 500

/** Finds repos and workspaces on the disk, and checks where they may be. */
export type WorkspaceLocator = {
  locateRepo(path: string): Promise<Result<{ path: string }>>
  /** A directory that need not be a repo. */
  locateWorkspace(path: string): Promise<Result<{ path: string }>>
  /** For an agent that connects to us: it may run on another machine, so the directory need not exist here. */
  locateNamed(path: string): Promise<Result<{ path: string; mark: DirectoryMark | null }>>
  /** For the resolved path of an existing session: whether it is still the same, and still allowed. */
  locateAgain(path: string): Promise<Result<void>>
  findRepos(): Promise<Result<string[]>>
}

export function createWorkspaceLocator(deps: {
  /** Parent of all repos; null means anywhere. */
  root: string | null
  /** Signalbox's own files; no agent may work there. */
  dataDir: string
  /** Where Signalbox makes worktrees; these need not be in the root. */
  worktrees: string
  /** Where the folders of agent groups are; these need not be in the root either. */
  groups: string
  /** Called for each path that leads out of the root. */
  refused(path: string): Promise<void>
}): WorkspaceLocator {
  /** What the server has open stays there, whatever its path leads to later. */
  let own: string | null = null

  const marks = createWorkspaceMarks(deps.worktrees)

  /** Resolves links as far as the path exists. */
  async function locateNamed(path: string): Promise<Result<{ path: string; mark: DirectoryMark | null }>> {
    if (!isAbsolute(path))
      return fail({ kind: 'invalid', code: 'path_not_absolute', message: `${path} is not an absolute path.` })
    const named = resolve(path)
    // Most directories exist: one wait for the disk is enough for both paths and the mark.
    const [mark, root] = await Promise.all([
      marks.mark(named),
      deps.root === null ? null : realpath(deps.root).catch(() => null),
    ])
    const real = mark === null ? await realPlace(named) : expectedOf(named, mark).real
    if (deps.root !== null && root === null) return fail(rootMissing(deps.root))
    // Also refused if it does not exist, so that nobody can probe paths outside.
    if (root !== null && !isInside(root, real)) return refuse(path, outside(path))
    own ??= await realpath(deps.dataDir).catch(() => null)
    return touchesDataDir(own ?? deps.dataDir, real) ? refuse(path, dataDirRefused(path)) : ok({ path: real, mark })
  }

  async function locateWorkspace(path: string): Promise<Result<{ path: string }>> {
    const named = await locateNamed(path)
    if (!named.ok) return named
    return named.value.mark !== null
      ? named
      : fail({ kind: 'not_found', code: 'path_not_found', message: `Directory not found: ${path}` })
  }

  async function refuse(path: string, refusal: Failed): Promise<Failed> {
    await deps.refused(path)
    return refusal
  }

  return {
    locateWorkspace,
    locateNamed,
    async locateAgain(path) {
      const worktrees = await realpath(deps.worktrees).catch(() => deps.worktrees)
      if (path !== worktrees && isInside(worktrees, path)) {
        // A removed worktree is created again at the same path.
        const real = await realpath(path).catch(() => path)
        return real === path ? ok(undefined) : refuse(path, replaced(path))
      }
      const groups = await realPlace(deps.groups)
      const ofGroup = path !== groups && isInside(groups, path)
      const located = ofGroup ? ok({ path: await realPlace(path) }) : await locateWorkspace(path)
      if (!located.ok) return located
      return located.value.path === path ? ok(undefined) : refuse(path, replaced(path))
    },
    async locateRepo(path) {
      const located = await locateWorkspace(path)
      if (!located.ok) return located
      const real = located.value.path
      if (!(await hasGit(real)))
        return fail({
          kind: 'invalid',
          code: 'not_a_repo',
          message: `${path} is not a Git repository.`,
          hint: `Make it one with: git init ${path}`,
        })
      return ok({ path: real })
    },
    async findRepos() {
      if (deps.root === null)
        return fail({
          kind: 'invalid',
          code: 'no_workspace_root',
          message: 'No directory to scan is set.',
          hint: 'Set agent_workspace_root in config.toml, or the variable AGENT_WORKSPACE_ROOT.',
        })
      const root = await realpath(deps.root).catch(() => null)
      return root === null ? fail(rootMissing(deps.root)) : ok(await search(root))
    },
  }
}

const hasGit = async (directory: string): Promise<boolean> =>
  lstat(join(directory, '.git')).then(
    () => true,
    () => false,
  )

/** Breadth first; skips links, hidden directories and the insides of repos. */
async function search(root: string): Promise<string[]> {
  const found: string[] = []
  let level = [root]
  for (let depth = 0; depth <= deepest && level.length > 0 && found.length < mostFound; depth += 1) {
    const next: string[] = []
    for (const directory of level) {
      if (await hasGit(directory)) {
        found.push(directory)
        continue
      }
      const entries = await readdir(directory, { withFileTypes: true }).catch(() => [])
      for (const entry of entries)
        if (entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules')
          next.push(join(directory, entry.name))
    }
    level = next
  }
  return found.toSorted()
}

/** The data directory, everything in it but the practice repo, and its parents, from which approved writes could reach it. */
const touchesDataDir = (dataDir: string, path: string): boolean => {
  const practice = join(dataDir, 'practice')
  if (path !== practice && isInside(practice, path)) return false
  return isInside(dataDir, path) || isInside(path, dataDir)
}

const dataDirRefused = (path: string): Failed =>
  fail({
    kind: 'forbidden',
    code: 'path_violation',
    message: `${path} belongs to Signalbox, or contains its data directory. Agents can't work there.`,
    hint: 'Work in another directory, or move the data directory (SIGNALBOX_HOME). This attempt was recorded.',
  })

const rootMissing = (root: string) => ({
  kind: 'unavailable' as const,
  code: 'workspace_root_missing',
  message: `The workspace root ${root} does not exist.`,
  hint: 'Create it, or change agent_workspace_root.',
})

const outside = (path: string): Failed =>
  fail({
    kind: 'forbidden',
    code: 'path_violation',
    message: `${path} is outside the workspace root.`,
    hint: 'Move the repository there, or change agent_workspace_root. This attempt was recorded.',
  })

const replaced = (path: string): Failed =>
  fail({
    kind: 'forbidden',
    code: 'path_violation',
    message: `${path} is no longer the same directory: a link in its path now points elsewhere.`,
    hint: 'Put the directory back, or start a new session in the new place. This attempt was recorded.',
  })

/** Marks workspaces when a session begins, to notice later if one was replaced. */
export const createWorkspaceMarks = (worktrees: string) => {
  let ours: string | null = null
  return {
    async mark(path: string): Promise<string | null> {
      // Signalbox removes its own worktrees and creates them again at the same path.
      return markDirectory(path, async (real) => {
        // Most servers have none. They are beside the database, so that looking there blocks no more than the database does.
        if (ours === null && existsSync(worktrees)) ours = await realpath(worktrees).catch(() => null)
        const all = ours ?? worktrees
        return real !== all && isInside(all, real)
      })
    },
    holds: async (path: string, mark: string | null): Promise<boolean> => (await lookAgain(path, mark)) !== 'replaced',
  }
}
