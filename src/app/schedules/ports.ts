import type { SessionId } from '../../domain/session/id.ts'
import type { Isolation } from '../../domain/session/schema.ts'
import type { Standing } from '../../domain/user/actor.ts'
import type { Result } from '../../lib/result.ts'

/** Where a precheck runs: beside the agent it decides about, confined like it. */
export type PrecheckPlace = {
  readonly sessionId: SessionId
  readonly agent: string | null
  readonly workspace: string
  readonly isolation: Isolation | null
  readonly by: Standing
}

export type PrecheckResult = {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
  readonly timedOut: boolean
}

/** Runs a script with a limit on its time and output. */
export type Precheck = (script: string, place: PrecheckPlace) => Promise<Result<PrecheckResult>>
