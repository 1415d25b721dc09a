import type { Result } from '../../lib/result.ts'

type Located = Promise<Result<{ path: string }>>

/** Finds directories for sessions, with links resolved, or returns why a session may not use them. */
export type Places = {
  locateRepo(path: string): Located
  /** A directory that does not have to be a repo. */
  locateWorkspace(path: string): Located
  /** For an agent that connects to us and may run on another machine. */
  locateNamed(path: string): Located
  /** Whether the directory of an earlier session is still the same, and still allowed. */
  locateAgain(path: string): Promise<Result<void>>
}
