import type { Visibility } from '../domain/audit/schema.ts'
import type { SessionId } from '../domain/session/id.ts'
import { loadSession } from '../domain/session/store.ts'
import type { AgentGroupId, UserId } from '../domain/user/id.ts'
import type { Tx } from '../db/open.ts'
import { isOf, type Change } from './command.ts'

export type Audience = {
  stream: string
  sessionId: SessionId | null
  ownerUserId: UserId | null
  agentGroupId: AgentGroupId | null
  visibility: Visibility
}

const nobody = { sessionId: null, ownerUserId: null, agentGroupId: null }

/** Whom an event concerns, written beside it so that whoever hears the log needs no other table. */
export async function audienceOf(tx: Tx, change: Change, known: Map<SessionId, Audience>): Promise<Audience> {
  if (change.type === 'session.started') {
    const { id, ownerUserId } = change.data
    const { agentGroupId } = change.body
    return { stream: id, sessionId: id, ownerUserId, agentGroupId, visibility: 'owner' }
  }
  if (isOf(change, 'session', 'agent')) return ofSession(tx, change.data.id, known)
  if (isOf(change, 'message', 'queue', 'alert', 'checkpoint', 'terminal', 'input'))
    return ofSession(tx, change.data.sessionId, known)
  if (isOf(change, 'ask')) {
    const { id, sessionId } = change.data
    return sessionId === null ? { ...nobody, stream: id, visibility: 'admin' } : ofSession(tx, sessionId, known)
  }
  if (isOf(change, 'user')) return ofPerson(change.data.id)
  if (isOf(change, 'pattern')) return ofPerson(change.data.userId)
  if (isOf(change, 'identity', 'role', 'member', 'token', 'login', 'push')) return ofPerson(change.data.userId)
  // It names who may use a repo.
  if (change.type === 'repo.access_set') return { ...nobody, stream: change.data.id, visibility: 'admin' }
  if (isOf(change, 'repo')) return { ...nobody, stream: change.data.id, visibility: 'public' }
  // They name workspaces, which not everybody may use.
  if (isOf(change, 'policy')) return { ...nobody, stream: change.data.id, visibility: 'admin' }
  if (isOf(change, 'security')) return { ...nobody, stream: 'security', visibility: 'admin' }
  return change satisfies never
}

const ofPerson = (id: UserId): Audience => ({ ...nobody, stream: id, ownerUserId: id, visibility: 'owner' })

async function ofSession(tx: Tx, id: SessionId, known: Map<SessionId, Audience>): Promise<Audience> {
  const found = known.get(id)
  if (found) return found
  const session = await loadSession(tx, id)
  const audience: Audience = {
    stream: id,
    sessionId: id,
    ownerUserId: session?.ownerUserId ?? null,
    agentGroupId: session?.agentGroupId ?? null,
    visibility: 'owner',
  }
  known.set(id, audience)
  return audience
}
