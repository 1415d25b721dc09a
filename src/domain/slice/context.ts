import type { StallSettings } from '../alert/schema.ts'
import type { AskTimeouts } from '../ask/state.ts'
import type { RiskLevel } from '../ask/schema.ts'
import type { MessageId } from '../message/schema.ts'
import type { ProtocolMode } from '../session/schema.ts'
import type { Standing } from '../user/actor.ts'

/** The part of the configuration that decisions depend on. */
export type Settings = {
  readonly timeouts: AskTimeouts
  readonly limits: Readonly<Record<ProtocolMode, number>>
  /** How many containers may run at once. */
  readonly containers?: number
  /** Agents that people started are restarted after a crash, as agents of groups are. */
  readonly restartOnCrash?: boolean
  readonly adminsMayAnswer: boolean
  /** The person whose message led to an administrative ask may not answer it. */
  readonly separateRequester?: boolean
  readonly stall: StallSettings
  /** Whose days and months budgets are for; the server's own by default. */
  readonly timeZone?: string | null
  /** Workspaces named in the configuration, with links resolved. */
  readonly vouched: readonly string[]
  /** Where the folders of agent groups are, with links resolved. */
  readonly groupsRoot?: string
  /** The command lines of `[commands]`. */
  readonly commands?: readonly string[]
  /** How many people must consent per risk, and who may answer besides the owner, by identity (B4). */
  readonly routing?: Readonly<Record<RiskLevel, { readonly needed: number; readonly reviewers: readonly string[] }>>
}

/** What a decision depends on besides the loaded data. */
export type CommandContext = {
  readonly now: number
  readonly standing: Standing
  readonly settings: Settings
  readonly noteId: MessageId
  /** The policy rule that answers the ask being opened, if any. */
  readonly rule: string | null
  /** Identifies the workspace directory of a session that starts. */
  readonly workspaceMark?: string | null
}
