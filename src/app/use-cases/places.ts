import type { Result } from '../../lib/result.ts'

type Located = Promise<Result<{ path: string }>>

/** Directories of this machine as sessions may use them, links resolved; or why they may not. */
export type Places = {
  locateRepo(path: string): Located
  /** A directory that need not be a repo. */
  locateWorkspace(path: string): Located
  /** For an agent that connects to us, and may run on another machine. */
  locateNamed(path: string): Located
  /** Whether the place of an earlier session is still what it was, and still allowed. */
  locateAgain(path: string): Promise<Result<void>>
}
