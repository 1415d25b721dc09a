import { realpath } from 'node:fs/promises'
import { lookAgain, markDirectory } from '../../lib/directory-mark.ts'
import { isInside } from './inside.ts'

/** Workspaces as they are on this machine: what they were when a session began, and whether they still are. */
export const createWorkspaceMarks = (worktrees: string) => ({
  async mark(path: string): Promise<string | null> {
    const ours = await realpath(worktrees).catch(() => worktrees)
    const real = await realpath(path).catch(() => path)
    // Worktrees that Signalbox makes are removed and made again by it, in the same place.
    return markDirectory(path, real !== ours && isInside(ours, real))
  },
  holds: async (path: string, mark: string | null): Promise<boolean> => (await lookAgain(path, mark)) !== 'replaced',
})
