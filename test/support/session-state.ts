import type { SessionState } from '../../src/domain/session/decide.ts'
import type { SessionId } from '../../src/domain/session/id.ts'
import type { UserId } from '../../src/domain/user/id.ts'
import { newId, newRandomId } from '../../src/lib/id.ts'

/** An active session of an agent that connects to us, unless said otherwise. */
export const sessionState = (more: Partial<SessionState> = {}): SessionState => ({
  id: newRandomId<SessionId>(),
  ownerUserId: newId<UserId>(),
  protocolMode: 'mcp',
  status: 'active',
  connectivityStatus: 'online',
  openAsks: [],
  delegates: [],
  lastActivityAt: null,
  lastTool: null,
  wasPaused: 0,
  client: null,
  workspaceClaimed: 0,
  mode: 'remote',
  stallPaused: 0,
  stallPausedUntil: null,
  progress: null,
  tokenId: null,
  sessionMode: null,
  agentPhase: 'awake',
  isolation: null,
  turnOver: 0,
  name: null,
  pinnedAt: null,
  archivedAt: null,
  ...more,
})
