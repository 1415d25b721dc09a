import type * as z from 'zod'
import type { Executor, Tx } from '../../db/open.ts'
import type { OnDemand } from '../../lib/lazy.ts'
import type { Failed, Result } from '../../lib/result.ts'
import type { Visibility } from '../audit/schema.ts'
import type { SessionId } from '../session/id.ts'
import type { AgentGroupId, UserId } from '../user/id.ts'
import type { CommandContext } from './context.ts'
import type { Grounds } from './grounds.ts'

/** Who sees a change: viewers of the session, one person, or as stated. */
export type Audience =
  | { readonly session: SessionId }
  | { readonly person: UserId }
  | { readonly stream: string; readonly visibility: Visibility }
  | { readonly started: SessionId; readonly owner: UserId; readonly group: AgentGroupId | null }

/** A command with all the data needed to permit and decide it. */
export type LoadedCommand<Made> = {
  readonly grounds: Grounds
  /** Called only if the command is permitted. The decision itself is a pure function in `decide.ts`. */
  decide(): Result<Made[]> | Promise<Result<Made[]>>
  /** Replaces a refusal that would tell the caller more than they may know. */
  hide?(refused: Failed): Failed
}

/** A kind of rows in `deadlines`. The slice writes and removes them in `project`. */
export type DeadlineKind<C, Own> = {
  /** Dispatched when a row is due, possibly by several nodes at once; the decision checks whether it still is. */
  command(subjectId: string): C
  /** The due time this change sets, or null if it sets none; saves the clock a lookup. */
  setBy(change: Own): string | null
  /** Not due right after a start: people had no chance to act while the server was down. */
  readonly waitsForPeople: boolean
}

/**
 * A family of commands, described in one place. `C`: its commands. `Own`: the changes it writes. `Made`: those, and the
 * changes of other slices that its decisions produce.
 */
export type Slice<C extends { type: string }, Own extends { type: string; data: object }, Made extends object = Own> = {
  /** The event data of each change; `tables` for changes too frequent for the log. */
  readonly events: { readonly [T in Own['type']]: OnDemand<z.ZodType<Extract<Own, { type: T }>['data']>> | 'tables' }
  /** Commands on the same stream run one after another; taken as locks before anything is written. */
  streams(db: Executor, command: C): readonly string[] | Promise<readonly string[]>
  /** Returns a fault if the target of the command does not exist. */
  load(db: Executor, command: C, context: CommandContext): Promise<LoadedCommand<Made> | Failed>
  /** Writes a change to the tables, in the same transaction as its log line. */
  project(tx: Tx, change: Own, at: string): Promise<void>
  audience(change: Own): Audience
  /** People who see the change because it names them, in addition to its audience. */
  named?(change: Own): readonly UserId[]
  /** By the `kind` of their rows. */
  readonly deadlines?: Readonly<Record<string, DeadlineKind<C, Own>>>
  /** The id of the command's target, as stored in the tables. */
  subject(command: C, changes: readonly Made[]): string
}
