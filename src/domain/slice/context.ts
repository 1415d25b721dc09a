import type { StallSettings } from '../alert/schema.ts'
import type { AskTimeouts } from '../ask/decide.ts'
import type { RiskLevel } from '../ask/schema.ts'
import type { MessageId } from '../message/schema.ts'
import type { ProtocolMode } from '../session/schema.ts'
import type { Standing } from '../user/actor.ts'

/** The part of the configuration that decisions depend on. */
export type Settings = {
  readonly timeouts: AskTimeouts
  readonly limits: Readonly<Record<ProtocolMode, number>>
  readonly adminsMayAnswer: boolean
  readonly stall: StallSettings
  /** Workspaces that the configuration names, links resolved. */
  readonly vouched: readonly string[]
  /** The texts of `[commands]`. */
  readonly commands?: readonly string[]
  /** How many people asks of a risk need, and who may answer them beside the owner, by what they are known as (B4). */
  readonly routing?: Readonly<Record<RiskLevel, { readonly needed: number; readonly reviewers: readonly string[] }>>
}

/** What a command is decided with, beside what it loads. */
export type Context = {
  readonly now: number
  readonly standing: Standing
  readonly settings: Settings
  readonly noteId: MessageId
  /** The policy rule that answers an ask being opened, if one does. */
  readonly rule: string | null
  /** What the workspace of a session that starts is now. */
  readonly workspaceMark?: string | null
}
