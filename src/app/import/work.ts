import type { Tx } from '../../db/open.ts'
import type { MessagingGroupId, WiringId } from '../../domain/chat/id.ts'
import type { SessionId } from '../../domain/session/id.ts'
import type { AgentGroupId, UserId } from '../../domain/user/id.ts'
import type { Seed } from './rows.ts'
import type { Tally } from './tally.ts'

/** One import, within its transaction. The maps lead from ids of the file to ours. */
export type Work = {
  readonly tx: Tx
  readonly seed: Seed
  readonly tally: Tally
  readonly now: string
  /** Where the agent groups of the file have their folders. */
  readonly groupsDir: string
  readonly groups: Map<string, AgentGroupId>
  readonly chats: Map<string, MessagingGroupId>
  readonly people: Map<string, UserId>
  readonly sessions: Map<string, SessionId>
  readonly newGroups: Set<AgentGroupId>
  /** Wirings that this import made, each with its destination. */
  readonly newWirings: Set<WiringId>
}

export const missing = (what: 'agent group' | 'chat' | 'person' | 'session', id: string): string =>
  `its ${what} ${id} is not in the file, or was left out`
