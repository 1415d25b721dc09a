import { expectedOf } from '../lib/directory-mark.ts'
import type { Command } from './command.ts'

/** Marks identify the directory of a workspace, so that a replaced directory is noticed. */
export type WorkspaceMarks = {
  /** Null if there is no such directory here. */
  mark(path: string): Promise<string | null>
  holds(path: string, mark: string | null): Promise<boolean>
}

/**
 * Read before the transaction begins: disks may be slow. `known`: read by the caller when it located the directory; if a
 * link has led elsewhere since, it is read again.
 */
export async function markFor(
  command: Command,
  roots: WorkspaceMarks | undefined,
  known?: string | null,
): Promise<string | null> {
  if (command.type !== 'session.start' && command.type !== 'terminal.open') return null
  const { workspaceRoot } = command.session
  if (roots && known && expectedOf(workspaceRoot, known).real === workspaceRoot) return known
  return (await roots?.mark(workspaceRoot)) ?? null
}
