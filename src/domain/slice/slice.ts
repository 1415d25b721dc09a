import type * as z from 'zod'
import type { Executor, Tx } from '../../db/open.ts'
import type { Failed, Result } from '../../lib/result.ts'
import type { Visibility } from '../audit/schema.ts'
import type { SessionId } from '../session/id.ts'
import type { AgentGroupId, UserId } from '../user/id.ts'
import type { Context } from './context.ts'
import type { Grounds } from './grounds.ts'

/** Who hears of a change: whoever may see the session, one person, or as it says. */
export type Audience =
  | { readonly session: SessionId }
  | { readonly person: UserId }
  | { readonly stream: string; readonly visibility: Visibility }
  | { readonly started: SessionId; readonly owner: UserId; readonly group: AgentGroupId | null }

/** A command with everything loaded that it is judged and decided by. */
export type Case<Made> = {
  readonly grounds: Grounds
  /** Called only if the command is permitted. The decision itself is a pure function of `decide.ts`. */
  decide(): Result<Made[]> | Promise<Result<Made[]>>
  /** Replaces a refusal that would tell the caller more than they may know. */
  hide?(refused: Failed): Failed
}

/** A kind of rows in `deadlines`. The slice writes and removes them in `project`. */
export type DeadlineKind<C, Own> = {
  /** Dispatched when a row is due, perhaps by several nodes at once: the tables say whether it still is. */
  command(subjectId: string): C
  /** When a change sets a deadline of this kind, for when: the clock then need not look for it. */
  setBy(change: Own): string | null
  /** Nothing of it is due right after a start: people had no chance to act while the server was away. */
  readonly waitsForPeople: boolean
}

/**
 * A family of commands, described in one place. `C` are its commands, `Own` the changes it writes, `Made` those and the
 * changes of other slices that its decisions make.
 */
export type Slice<C extends { type: string }, Own extends { type: string; data: object }, Made extends object = Own> = {
  /** What the log says of each change; `tables` for those that are too many for the log. */
  readonly events: { readonly [T in Own['type']]: z.ZodType<Extract<Own, { type: T }>['data']> | 'tables' }
  /** Whose commands must wait for each other; taken as locks before anything is written. */
  streams(db: Executor, command: C): readonly string[] | Promise<readonly string[]>
  /** Returns a fault if what the command is about does not exist. */
  load(db: Executor, command: C, context: Context): Promise<Case<Made> | Failed>
  /** Writes a change to the tables; the log gets its line in the same transaction. */
  project(tx: Tx, change: Own, at: string): Promise<void>
  audience(change: Own): Audience
  /** People who hear of it because it names them, beside its audience. */
  named?(change: Own): readonly UserId[]
  /** By the `kind` of their rows. */
  readonly deadlines?: Readonly<Record<string, DeadlineKind<C, Own>>>
  /** The id of the thing the command was about, as it is in the tables. */
  subject(command: C, changes: readonly Made[]): string
}
