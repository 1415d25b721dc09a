import type { AskId } from '../ask/id.ts'
import type { SessionMode } from '../chat/id.ts'
import type { MessageId } from '../message/schema.ts'
import type { TokenId, UserId } from '../user/id.ts'
import type { SessionId } from './id.ts'
import type { OperationalMode, ProtocolMode } from './schema.ts'
import type { AgentPhase, ContainerSlots } from './phase.ts'
import type { SessionStatus } from './status.ts'

/** How lists show it. */
export type Listing = { name: string | null; pinnedAt: string | null; archivedAt: string | null }

export type SessionState = Listing & {
  id: SessionId
  ownerUserId: UserId
  protocolMode: ProtocolMode
  status: SessionStatus
  connectivityStatus: 'online' | 'offline' | 'stalled'
  openAsks: readonly AskId[]
  delegates: readonly UserId[]
  lastActivityAt: string | null
  lastTool: string | null
  wasPaused: number
  client: 'connection' | 'alone' | null
  workspaceClaimed: number
  mode: OperationalMode
  stallPaused: number
  stallPausedUntil: string | null
  /** As stored: JSON. */
  progress: string | null
  /** The agent token that may act for it. */
  tokenId: TokenId | null
  sessionMode: SessionMode | null
  agentPhase: AgentPhase
  turnOver: number
  isolation: string | null
}

export type SessionFacts = {
  now: number
  /** Sessions of the same protocol that take a slot now, and the limit. */
  slots: { taken: number; limit: number }
  containers?: ContainerSlots
  /** The id of the system message that some transitions add. */
  noteId: MessageId
  /** How the caller is recorded. */
  by: string
  /** Identifies the workspace directory of a session that starts. */
  workspaceMark?: string | null
  /** The live session that messages of the same thread reach. */
  inThread?: SessionId | null
}
