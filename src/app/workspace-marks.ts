import type { Command } from './command.ts'

/** Marks identify the directory of a workspace, so that a replaced directory is noticed. */
export type WorkspaceMarks = {
  /** Null if there is no such directory here. */
  mark(path: string): Promise<string | null>
  holds(path: string, mark: string | null): Promise<boolean>
}

/** Read before the transaction begins: disks may be slow. */
export const markFor = async (command: Command, roots: WorkspaceMarks | undefined): Promise<string | null> =>
  command.type === 'session.start' || command.type === 'terminal.open'
    ? ((await roots?.mark(command.session.workspaceRoot)) ?? null)
    : null
