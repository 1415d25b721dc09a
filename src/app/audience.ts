import type { Tx } from '../db/open.ts'
import type { Visibility } from '../domain/audit/schema.ts'
import type { SessionId } from '../domain/session/id.ts'
import { loadSession, type LoadedSession } from '../domain/session/store.ts'
import type { AgentGroupId, UserId } from '../domain/user/id.ts'
import type { Change } from './command.ts'
import { sliceOf } from './slices.ts'

/** Who may see an event. Stored with the event, so that log readers need no other table. */
export type AudienceColumns = {
  stream: string
  sessionId: SessionId | null
  ownerUserId: UserId | null
  agentGroupId: AgentGroupId | null
  visibility: Visibility
}

const nobody = { sessionId: null, ownerUserId: null, agentGroupId: null }

type OwnedSession = Pick<LoadedSession, 'id' | 'ownerUserId' | 'agentGroupId'>

/** The audience of the session that a command has loaded to decide about it. */
export const knownAudiences = (session: OwnedSession | undefined): Map<SessionId, AudienceColumns> =>
  new Map(session ? [[session.id, ofViewers(session.id, session)]] : [])

const ofViewers = (id: SessionId, session: OwnedSession | undefined): AudienceColumns => ({
  stream: id,
  sessionId: id,
  ownerUserId: session?.ownerUserId ?? null,
  agentGroupId: session?.agentGroupId ?? null,
  visibility: 'owner',
})

/** `known`: sessions that this command has already loaded. */
export async function audienceOf(
  tx: Tx,
  change: Change,
  known: Map<SessionId, AudienceColumns>,
): Promise<AudienceColumns> {
  const audience = sliceOf(change).audience(change)
  if ('session' in audience) return ofSession(tx, audience.session, known)
  if ('person' in audience)
    return { ...nobody, stream: audience.person, ownerUserId: audience.person, visibility: 'owner' }
  if ('visibility' in audience) return { ...nobody, ...audience }
  const { started, owner, group } = audience
  const columns: AudienceColumns = {
    stream: started,
    sessionId: started,
    ownerUserId: owner,
    agentGroupId: group,
    visibility: 'owner',
  }
  known.set(started, columns)
  return columns
}

async function ofSession(tx: Tx, id: SessionId, known: Map<SessionId, AudienceColumns>): Promise<AudienceColumns> {
  const found = known.get(id)
  if (found) return found
  const audience = ofViewers(id, await loadSession(tx, id))
  known.set(id, audience)
  return audience
}
