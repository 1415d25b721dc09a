import type { Visibility } from '../domain/audit/schema.ts'
import type { SessionId } from '../domain/session/id.ts'
import { loadSession } from '../domain/session/store.ts'
import type { AgentGroupId, UserId } from '../domain/user/id.ts'
import type { Tx } from '../db/open.ts'
import type { Change } from './command.ts'

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
  switch (change.type) {
    case 'session.started': {
      const { id, ownerUserId } = change.data
      return { stream: id, sessionId: id, ownerUserId, agentGroupId: null, visibility: 'owner' }
    }
    case 'session.status_changed':
    case 'session.connectivity_changed':
    case 'session.delegated':
    case 'session.undelegated':
    case 'session.touched':
      return ofSession(tx, change.data.id, known)
    case 'message.added':
      return ofSession(tx, change.data.sessionId, known)
    case 'ask.opened':
    case 'ask.voted':
    case 'ask.answered':
    case 'ask.expired':
    case 'ask.expiry_lifted':
    case 'ask.interrupted':
    case 'ask.cancelled':
    case 'ask.claimed':
    case 'ask.released':
    case 'ask.consumed':
    case 'ask.failed': {
      const { id, sessionId } = change.data
      return sessionId === null ? { ...nobody, stream: id, visibility: 'admin' } : ofSession(tx, sessionId, known)
    }
    case 'user.created':
    case 'user.renamed':
    case 'user.removed':
      return ofPerson(change.data.id)
    case 'identity.linked':
    case 'identity.unlinked':
    case 'identity.offered':
    case 'identity.claimed':
    case 'role.granted':
    case 'role.revoked':
    case 'member.added':
    case 'member.removed':
    case 'token.created':
    case 'token.revoked':
    case 'token.touched':
    case 'login.offered':
    case 'login.started':
    case 'login.ended':
      return ofPerson(change.data.userId)
    case 'repo.registered':
    case 'repo.removed':
      return { ...nobody, stream: change.data.id, visibility: 'public' }
    case 'security.reported':
      return { ...nobody, stream: 'security', visibility: 'admin' }
    default:
      return change satisfies never
  }
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
