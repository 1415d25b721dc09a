import type { Result } from '../../lib/result.ts'

type Located = Promise<Result<{ path: string }>>

/** Finds directories for sessions, with links resolved, or returns why a session may not use them. */
export type Places = {
  locateRepo(path: string): Located
  /** A directory that does not have to be a repo. */
  locateWorkspace(path: string): Located
  /** The folder of an agent group, made if it is missing. */
  locateGroupFolder(folder: string, instructions: string): Located
  /** For an agent that connects to us and may run on another machine; with its mark if the directory exists here. */
  locateNamed(path: string): Promise<Result<{ path: string; mark?: string | null }>>
  /** Whether the directory of an earlier session is still the same, and still allowed. */
  locateAgain(path: string): Promise<Result<void>>
}
