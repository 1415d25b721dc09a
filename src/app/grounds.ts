import type { SessionFacts, SessionState } from '../domain/session/decide.ts'
import type { SessionId } from '../domain/session/id.ts'
import type { ProtocolMode } from '../domain/session/schema.ts'
import { countSlots, loadDelegates, loadOpenAsks, loadSession } from '../domain/session/store.ts'
import { lineageOf } from '../domain/session/query.ts'
import { loadGrants, loadTerminal } from '../domain/terminal/store.ts'
import { actorName } from '../domain/user/actor.ts'
import { holdsMachine } from '../domain/user/decide.ts'
import type { UserId } from '../domain/user/id.ts'
import { loadHoldings } from '../domain/user/store.ts'
import { mayUseRepo } from '../domain/workspace/decide.ts'
import type { RepoId } from '../domain/workspace/id.ts'
import { repoOfWorkspace } from '../domain/workspace/store.ts'
import type { Executor } from '../db/open.ts'
import type { Command } from './command.ts'
import type { Context } from './registry.ts'
import type { Grounds, Workplace } from './rules.ts'

export const groundsOf = ({ standing, settings }: Context): Grounds => ({
  standing,
  adminsMayAnswer: settings.adminsMayAnswer,
})

export async function sessionGrounds(db: Executor, id: SessionId | null, context: Context): Promise<Grounds> {
  const found = id === null ? undefined : await loadSession(db, id)
  if (!found) return groundsOf(context)
  return { ...groundsOf(context), session: { ...found, delegates: await loadDelegates(db, found.id) } }
}

/** Commands that are refused once the owner may no longer work where the session does. */
const inWorkspace: ReadonlySet<Command['type']> = new Set([
  'session.recover',
  'session.touch',
  'session.rejoin',
  'session.steer',
  'queue.add',
  'alert.nudge',
  'ask.open',
  'ask.claim',
  'ask.undo',
  'checkpoint.record',
  'checkpoint.note_restored',
])

/** With where the session works, and who reaches it, if the command depends on that. */
export async function withWorkplace(
  db: Executor,
  grounds: Grounds,
  command: Command,
  context: Context,
): Promise<Grounds> {
  const { session, standing } = grounds
  if (!session || standing.actor.kind === 'system' || !inWorkspace.has(command.type)) return grounds
  return {
    ...grounds,
    workspace: await workplaceOf(db, session, context),
    reachedBy: session.protocolMode === 'terminal' ? await reachedBy(db, session.id) : [],
  }
}

export async function workplaceOf(
  db: Executor,
  place: { ownerUserId: UserId; repoId: RepoId | null; workspaceRoot: string },
  { settings }: Pick<Context, 'settings'>,
): Promise<Workplace> {
  const repo = await repoOfWorkspace(db, place)
  const owner = await loadHoldings(db, place.ownerUserId)
  return {
    isRepo: repo !== undefined,
    mayUse: owner !== null && repo !== undefined && mayUseRepo(place.ownerUserId, owner, repo.access),
    vouched: repo !== undefined || settings.vouched.includes(place.workspaceRoot),
    ownerHasMachine: owner !== null && holdsMachine(owner.grants),
  }
}

/** Of the lineage of whoever started it, and of those it was granted to, the agents may act on it. */
export async function reachedBy(db: Executor, id: SessionId): Promise<SessionId[]> {
  const row = await loadTerminal(db, id)
  const starters = row?.started_by ? await lineageOf(db, row.started_by) : []
  const granted = await Promise.all((await loadGrants(db, id)).map((one) => lineageOf(db, one)))
  return [...starters, ...granted.flat()]
}

export async function stateOf(db: Executor, grounds: Grounds): Promise<SessionState | undefined> {
  if (!grounds.session) return undefined
  const open = await loadOpenAsks(db, grounds.session.id)
  return { ...grounds.session, openAsks: open.map(({ id }) => id) }
}

export async function sessionFacts(db: Executor, protocol: ProtocolMode, context: Context): Promise<SessionFacts> {
  const taken = await countSlots(db, protocol)
  const slots = { taken, limit: context.settings.limits[protocol] }
  const by = actorName(context.standing.actor)
  return { now: context.now, slots, noteId: context.noteId, by, workspaceMark: context.workspaceMark ?? null }
}
