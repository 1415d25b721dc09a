import { realpath } from 'node:fs/promises'
import { lookAgain, markDirectory } from '../../lib/directory-mark.ts'
import { isInside } from './inside.ts'

/** Workspaces as they are on this machine: what they were when a session began, and whether they still are. */
export const createWorkspaceMarks = (worktrees: string) => {
  let ours: string | null = null
  return {
    async mark(path: string): Promise<string | null> {
      ours ??= await realpath(worktrees).catch(() => null)
      const made = ours ?? worktrees
      // Worktrees that Signalbox makes are removed and made again by it, in the same place.
      return markDirectory(path, (real) => real !== made && isInside(made, real))
    },
    holds: async (path: string, mark: string | null): Promise<boolean> => (await lookAgain(path, mark)) !== 'replaced',
  }
}
