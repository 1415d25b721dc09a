import type { Command } from './command.ts'

/** Workspaces as they are on the disk: what each was when a session began, and whether it still is that. */
export type Roots = {
  /** Null if there is no such directory here. */
  mark(path: string): Promise<string | null>
  holds(path: string, mark: string | null): Promise<boolean>
}

/** Looked at before the transaction begins, as disks may be slow. */
export const markFor = async (command: Command, roots: Roots | undefined): Promise<string | null> =>
  command.type === 'session.start' || command.type === 'terminal.open'
    ? ((await roots?.mark(command.session.workspaceRoot)) ?? null)
    : null
