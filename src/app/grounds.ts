import type { SessionFacts, SessionState } from '../domain/session/decide.ts'
import type { SessionId } from '../domain/session/id.ts'
import type { ProtocolMode } from '../domain/session/schema.ts'
import { countSlots, loadDelegates, loadOpenAsks, loadSession } from '../domain/session/store.ts'
import { actorName } from '../domain/user/actor.ts'
import type { Executor } from '../db/open.ts'
import type { Grounds } from './authorize.ts'
import type { Context } from './registry.ts'

export const groundsOf = ({ standing, settings }: Context): Grounds => ({
  standing,
  adminsMayAnswer: settings.adminsMayAnswer,
})

export async function sessionGrounds(db: Executor, id: SessionId | null, context: Context): Promise<Grounds> {
  const found = id === null ? undefined : await loadSession(db, id)
  if (!found) return groundsOf(context)
  return { ...groundsOf(context), session: { ...found, delegates: await loadDelegates(db, found.id) } }
}

export async function stateOf(db: Executor, grounds: Grounds): Promise<SessionState | undefined> {
  if (!grounds.session) return undefined
  const open = await loadOpenAsks(db, grounds.session.id)
  return { ...grounds.session, openAsks: open.map(({ id }) => id) }
}

export async function sessionFacts(db: Executor, protocol: ProtocolMode, context: Context): Promise<SessionFacts> {
  const taken = await countSlots(db, protocol)
  const slots = { taken, limit: context.settings.limits[protocol] }
  return { now: context.now, slots, noteId: context.noteId, by: actorName(context.standing.actor) }
}
