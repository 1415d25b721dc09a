import { sql } from 'kysely'
import { AgentState, nothingKnown, type Diagnosis } from '../domain/agent/about.ts'
import { diagnose, type Signs } from '../domain/agent/diagnose.ts'
import { listHosted, loadAgent } from '../domain/agent/store.ts'
import { alertStats, getAlert, listAlerts, type AlertPage } from '../domain/alert/query.ts'
import type { AlertId, StallSettings } from '../domain/alert/schema.ts'
import { stallWork } from '../domain/alert/store-work.ts'
import { countOpenAsks, getAsk, listAsks, type AskPage } from '../domain/ask/query.ts'
import type { AskId } from '../domain/ask/id.ts'
import { askOfSessions, asksBeingApplied } from '../domain/ask/store-past.ts'
import type { Place } from '../domain/audit/cursor.ts'
import { isFiltered, readEvents, searchEvents, type EventFilter } from '../domain/audit/store.ts'
import { listCheckpoints } from '../domain/checkpoint/query.ts'
import type { CheckpointId } from '../domain/checkpoint/schema.ts'
import { loadCheckpoint } from '../domain/checkpoint/store.ts'
import type { MessageId } from '../domain/message/schema.ts'
import { searchMessages, type MessageSearch } from '../domain/message/query.ts'
import { lastMessage, listMessages, messagesById } from '../domain/message/store.ts'
import { writeExchange } from '../domain/pattern/exchange.ts'
import {
  confirmedAnswer,
  getPattern,
  inferInput,
  inputHistory,
  keptPatterns,
  listInputEvents,
  listPatternRules,
  listPatterns,
  type InputPage,
  type PatternPage,
  type Question,
  type RulePage,
} from '../domain/pattern/query.ts'
import type { InputEventId, PatternId } from '../domain/pattern/schema.ts'
import { loadEvent } from '../domain/pattern/store.ts'
import type { Clock } from '../lib/clock.ts'
import { confirmedRules } from '../domain/policy/store.ts'
import { loadObservation, trustedWorkspaces, trustOf } from '../domain/policy/store-trust.ts'
import { listDevices } from '../domain/push/query.ts'
import { loadSettings } from '../domain/push/store.ts'
import { headOfQueue, listQueue, loadQueueItem, waitingItems } from '../domain/queue/store.ts'
import type { QueueItemId } from '../domain/queue/schema.ts'
import type { SessionId } from '../domain/session/id.ts'
import {
  countSessions,
  getSession,
  isNarrow,
  lineageOf,
  listSessions,
  type SessionPage,
} from '../domain/session/query.ts'
import type { ProtocolMode } from '../domain/session/schema.ts'
import {
  recoverableSessions,
  recoveredAs,
  sharedSession,
  silentSessions,
  tokenOfSession,
} from '../domain/session/store-clients.ts'
import { countSlots, loadDelegates, loadSession } from '../domain/session/store.ts'
import { reachableTerminals } from '../domain/terminal/query.ts'
import { openTerminals } from '../domain/terminal/store.ts'
import { isAdmin, personOf, viewerOf, type Actor, type Standing, type Viewer } from '../domain/user/actor.ts'
import type { TokenId, UserId } from '../domain/user/id.ts'
import { firstOwner, listTokens, listUsers } from '../domain/user/query.ts'
import { holderOf, loadStanding } from '../domain/user/store.ts'
import { findLogin, findToken, hasLoginLink, sessionsWithToken } from '../domain/user/store-access.ts'
import { lookingFor } from '../db/aside.ts'
import type { Database } from '../db/open.ts'
import type { Live } from './live.ts'
import { readEvent } from './events.ts'
import { createAccessReads } from './read-access.ts'
import type { Settings } from '../domain/slice/context.ts'
import { endOf, newestOf } from './tail.ts'
import { createViews, type Look, type VisibleSession } from './views.ts'
import { fail, notFound, ok, type Failed, type Result } from '../lib/result.ts'

/** Whether someone may look at all; what they then see is a matter of their viewer. */
const gates = {
  anyone: (who: Standing): Failed | null => (who.unknown ? stranger() : null),
  person: (who: Standing): Failed | null =>
    who.unknown ? stranger() : who.actor.kind === 'agent' ? agentsMayNotLook() : null,
  admin: (who: Standing): Failed | null => gates.person(who) ?? (isAdmin(who) ? null : needsAdmin()),
}
const stranger = () => fail({ kind: 'unauthenticated', code: 'not_authorised', message: 'Unknown user.' })
const agentsMayNotLook = () =>
  fail({ kind: 'forbidden', code: 'agents_may_not', message: "An agent's token can't read this." })
const needsAdmin = () =>
  fail({ kind: 'forbidden', code: 'needs_role', message: 'This needs the admin role.', hint: 'Ask an owner.' })

const notHosted = {
  kind: 'invalid' as const,
  code: 'not_hosted',
  message: 'The agent of this session connects from outside; its modes and options are unknown.',
}
const noSigns: Signs = { turn: null, heardAt: null, openTools: [], repeats: null, failure: null }

export type Reads = ReturnType<typeof createReads>

/** Who looks at what: one row a read, each behind its gate, each seeing only what its viewer may. */
export function createReads(
  database: Database,
  live: Pick<Live, 'overlay'>,
  settings: () => Pick<Settings, 'adminsMayAnswer' | 'vouched'>,
) {
  const { read: db, aside, flavor } = database
  /** Whoever sees all reads along an index; what others may see is looked for among all there is. */
  const forViewer = (viewer: Viewer) => (viewer.sees === 'all' ? db : aside)

  const behind =
    <A extends unknown[], T>(
      gate: keyof typeof gates,
      look: (viewer: Viewer, who: Standing, ...args: A) => Promise<Result<T>>,
    ): Look<A, T> =>
    async (who, ...args) =>
      gates[gate](who) ?? lookingFor.run(personOf(who.actor) ?? '', () => look(viewerOf(who), who, ...args))

  const visibleSession: VisibleSession = async (viewer, id) => {
    const session = await getSession(db, viewer, id)
    return session ? ok(session) : notFound('session', id)
  }

  /** No viewer, no personal data. */
  const me = ({ actor }: Standing): UserId => personOf(actor) ?? ('' as UserId)

  const seenByAll = async (ids: readonly SessionId[]) =>
    (await Promise.all(ids.map((id) => getSession(db, { sees: 'all' }, id)))).filter((found) => found !== undefined)

  const agentState = async (id: SessionId): Promise<AgentState | null> => {
    const row = await loadAgent(db, id)
    if (!row) return null
    const known = { ...nothingKnown, usage: null, turn: null, ...(row.about as object), ...(row.state as object) }
    return AgentState.parse(known)
  }

  const access = createAccessReads({ database, behind })

  return {
    ...access,
    ...createViews({ database, live, settings, behind, visibleSession }),
    sessions: behind('anyone', async (viewer, _who, page: SessionPage) => {
      const from = isNarrow(page) ? aside : forViewer(viewer)
      const sessions = await listSessions(from, flavor.name, viewer, page)
      return ok({ sessions, total: await countSessions(from, flavor.name, viewer, page) })
    }),
    session: behind('anyone', (viewer, _who, id: SessionId) => visibleSession(viewer, id)),
    sessionDetail: behind('anyone', async (viewer, who, id: SessionId, wanted: 'all' | 'none' = 'all') => {
      const session = await visibleSession(viewer, id)
      if (!session.ok) return session
      const [repo, messages, lineage, delegates] = [
        await access.repoOfSession(who, session.value.repoId),
        wanted === 'none' ? [] : live.overlay(id, await listMessages(aside, id)),
        await lineageOf(db, id),
        await loadDelegates(db, id),
      ]
      const queue = (await listQueue(db, id)).filter((item) => item.status === 'waiting' || item.status === 'sent')
      return ok({ ...session.value, repo, messages, lineage, delegates, agentState: await agentState(id), queue })
    }),
    messages: behind('anyone', async (viewer, _who, id: SessionId, since: string | undefined) => {
      const session = await visibleSession(viewer, id)
      return session.ok ? ok(live.overlay(id, await listMessages(aside, id, since), since)) : session
    }),
    agentState: behind('anyone', async (viewer, _who, id: SessionId) => {
      const session = await visibleSession(viewer, id)
      if (!session.ok) return session
      const state = await agentState(id)
      return state ? ok(state) : fail(notHosted)
    }),
    /** The last an agent wrote to its error output, as it was kept. */
    stderr: behind('person', async (viewer, _who, id: SessionId) => {
      const session = await visibleSession(viewer, id)
      return session.ok ? ok((await loadAgent(db, id))?.stderr ?? '') : session
    }),
    diagnosis: behind(
      'anyone',
      async (
        viewer,
        _who,
        id: SessionId,
        facts: { now: number; silentAfterMs: number },
      ): Promise<Result<Diagnosis>> => {
        const session = await visibleSession(viewer, id)
        if (!session.ok) return session
        const open = await listAsks(db, { sees: 'all' }, { sessionId: id, statuses: ['open'], limit: 1 })
        const row = await loadAgent(db, id)
        const signs = { ...noSigns, heardAt: session.value.lastActivityAt, ...(row && (row.state as object)) }
        const { status, terminatedAt, updatedAt } = session.value
        return ok(diagnose({ status, openAsks: open, endedAt: terminatedAt ?? updatedAt }, signs, facts))
      },
    ),
    queue: behind('anyone', async (viewer, _who, id: SessionId) => {
      const session = await visibleSession(viewer, id)
      return session.ok ? ok(await listQueue(db, id)) : session
    }),
    queueItem: behind('anyone', async (viewer, _who, id: SessionId, itemId: QueueItemId) => {
      const session = await visibleSession(viewer, id)
      if (!session.ok) return session
      const item = await loadQueueItem(db, itemId)
      return item && item.sessionId === id ? ok(item) : notFound('queue_item', itemId)
    }),
    searchMessages: behind('anyone', async (viewer, _who, search: MessageSearch) =>
      ok(await searchMessages(aside, flavor.name, viewer, search)),
    ),
    alerts: behind('anyone', async (viewer, _who, page: AlertPage) =>
      ok(await listAlerts(forViewer(viewer), viewer, page)),
    ),
    alert: behind('anyone', async (viewer, _who, id: AlertId) => {
      const alert = await getAlert(db, viewer, id)
      return alert ? ok(alert) : notFound('alert', id)
    }),
    alertStats: behind('anyone', async (viewer, _who, filter: { sessionId?: SessionId | undefined }) =>
      ok(await alertStats(forViewer(viewer), viewer, filter)),
    ),
    asks: behind('anyone', async (viewer, _who, page: AskPage) => ok(await listAsks(forViewer(viewer), viewer, page))),
    ask: behind('anyone', async (viewer, _who, id: AskId) => {
      const ask = await getAsk(db, viewer, id)
      return ask ? ok(ask) : notFound('ask', id)
    }),
    openAsks: behind('anyone', async (viewer) => ok(await countOpenAsks(forViewer(viewer), viewer))),
    users: behind('admin', async () => ok(await listUsers(db))),
    user: behind('person', async (_viewer, who, id: UserId) => {
      const mine = who.actor.kind === 'person' && who.actor.userId === id
      if (!mine && !isAdmin(who)) return notFound('user', id)
      const [user] = await listUsers(db, id)
      return user ? ok(user) : notFound('user', id)
    }),
    /** Oneself. An agent learns whose it is, not what its person is known as or may do. */
    me: behind('anyone', async (_viewer, { actor }) => {
      if (!('userId' in actor)) return notFound('user', actor.kind)
      const [user] = await listUsers(db, actor.userId)
      if (!user) return notFound('user', actor.userId)
      return ok(actor.kind === 'agent' ? { ...user, identities: [], roles: [], memberOf: [] } : user)
    }),
    tokens: behind('person', async (_viewer, who, all: boolean) => {
      if (all && !isAdmin(who)) return needsAdmin()
      const mine = who.actor.kind === 'person' ? who.actor.userId : undefined
      return ok(await listTokens(db, all ? undefined : mine))
    }),
    /** Whether it is a person who looks. */
    isPerson: behind('person', async () => ok(null)),
    /** Whether someone may administer at all, for edges that look at the world before they dispatch. */
    mayAdminister: behind('admin', async (_viewer, who) => {
      const reads = who.actor.kind === 'person' && who.actor.scope === 'read'
      return reads
        ? fail({ kind: 'forbidden', code: 'read_only_token', message: 'This token is read-only.' })
        : ok(null)
    }),
    audit: behind('person', async (viewer, _who, filter: EventFilter & { limit: number; before?: Place | undefined }) =>
      ok((await searchEvents(aside, flavor, viewer, filter)).map(readEvent)),
    ),
    events: behind('anyone', async (viewer, _who, after: Place, limit: number, filter: EventFilter) =>
      ok(
        (
          await readEvents(isFiltered(filter) ? aside : forViewer(viewer), flavor, { after, limit, viewer, filter })
        ).map(readEvent),
      ),
    ),
    /** Sessions someone hears of beyond their own: delegated to them, or started with their token. */
    heardSessions: async (who: Standing): Promise<SessionId[]> => {
      const { actor } = who
      if (actor.kind === 'person')
        return (
          await db.selectFrom('session_delegates').select('session_id').where('user_id', '=', actor.userId).execute()
        ).map((row) => row.session_id)
      if (actor.kind !== 'agent') return []
      const rows =
        actor.tokenId === null
          ? []
          : await db.selectFrom('sessions').select('id').where('token_id', '=', actor.tokenId).execute()
      return [...rows.map((row) => row.id), ...(actor.sessionId === null ? [] : [actor.sessionId])]
    },

    /** Those of a session and its lineage, newest first. */
    checkpoints: behind('anyone', async (viewer, _who, page: { sessionId?: SessionId; limit?: number }) => {
      const { sessionId, limit } = page
      const bounded = limit === undefined ? {} : { limit }
      if (sessionId === undefined) return ok(await listCheckpoints(db, { viewer, ...bounded }))
      const session = await visibleSession(viewer, sessionId)
      if (!session.ok) return session
      // An agent takes up what its lineage left; a person may have been lent one session of it.
      const seen = viewer.sees === 'agent' ? {} : { viewer }
      return ok(await listCheckpoints(db, { sessionIds: await lineageOf(db, sessionId), ...seen, ...bounded }))
    }),
    checkpoint: behind('anyone', async (viewer, _who, id: CheckpointId) => {
      const found = await loadCheckpoint(db, id)
      const session = found && (await visibleSession(viewer, found.sessionId))
      return found && session?.ok ? ok(found) : notFound('checkpoint', id)
    }),
    // For the edge that agents connect to: what stands in the tables, for whoever was recognised.
    lineage: (id: SessionId) => lineageOf(db, id),
    /** What the workspace of a session was when it began. */
    workspaceMark: async (id: SessionId) => (await loadSession(db, id))?.workspaceMark ?? null,
    askOfLineage: async (id: string, sessionId: SessionId) => askOfSessions(db, id, await lineageOf(db, sessionId)),
    asksBeingApplied: (node: string) => asksBeingApplied(db, node),
    waitingItems: (id: SessionId) => waitingItems(db, id),
    lastMessage: (id: SessionId) => lastMessage(db, id),
    tokenOfSession: (id: SessionId) => tokenOfSession(db, id),
    recoveredAs: (id: SessionId) => recoveredAs(db, id),
    silentSessions: (before: string, unlessAt?: { exceptNode: string; since: string }) =>
      silentSessions(db, before, unlessAt),
    /** Those that a token was made for are left to it. */
    recoverable: async (userId: UserId, workspaceRoot: string, now: string) => {
      const found = await recoverableSessions(db, userId, workspaceRoot)
      const promised = await sessionsWithToken(db, found, now)
      return seenByAll(found.filter((id) => !promised.includes(id)))
    },
    sharedSession: async (userId: UserId, tokenId: TokenId | null, workspaceRoot: string) => {
      const id = await sharedSession(db, userId, tokenId, workspaceRoot)
      return id === null ? null : ((await seenByAll([id]))[0] ?? null)
    },
    confirmedRules: (workspaceRoot: string) => confirmedRules(db, workspaceRoot),
    /** Who vouched for a workspace, if anybody did. */
    trust: (workspaceRoot: string) => trustOf(db, workspaceRoot, settings().vouched),
    observedPolicy: (workspaceRoot: string) => loadObservation(db, workspaceRoot),
    trustedWorkspaces: behind('admin', async () => ok(await trustedWorkspaces(db))),

    /** One's own, and the one at an endpoint where it is named. */
    pushDevices: behind('person', async (_viewer, who, endpoint?: string) =>
      ok(await listDevices(db, me(who), endpoint)),
    ),
    notificationSettings: behind('person', async (_viewer, who) => ok(await loadSettings(db, me(who)))),

    patterns: behind('person', async (_viewer, who, page: Omit<PatternPage, 'userId'>) =>
      ok(await listPatterns(db, { ...page, userId: me(who) })),
    ),
    pattern: behind('person', async (_viewer, who, id: PatternId) => {
      const found = await getPattern(db, me(who), id)
      return found ? ok(found) : notFound('pattern', id)
    }),
    exportPatterns: behind('person', async (_viewer, who) => ok(writeExchange(await keptPatterns(db, me(who))))),
    /** One's own; an admin, who may take back anybody's, is shown the one they name. */
    patternRules: behind('person', async (_viewer, who, filter: Omit<RulePage, 'userId'>) =>
      ok(await listPatternRules(db, { ...filter, userId: filter.id !== undefined && isAdmin(who) ? null : me(who) })),
    ),
    inputEvents: behind('anyone', async (viewer, _who, page: InputPage & { sessionId: SessionId }) => {
      const session = await visibleSession(viewer, page.sessionId)
      return session.ok ? ok(await listInputEvents(db, page)) : session
    }),
    ownInputEvents: behind('person', async (_viewer, who, page: Omit<InputPage, 'userId'>) =>
      ok(await listInputEvents(db, { ...page, userId: me(who) })),
    ),
    inputHistory: behind('anyone', async (viewer, _who, id: SessionId) => {
      const session = await visibleSession(viewer, id)
      return session.ok ? ok(await inputHistory(db, id)) : session
    }),
    infer: behind('anyone', async (_viewer, who, question: Omit<Question, 'userId'>, now: number) =>
      'userId' in who.actor
        ? ok(await inferInput(db, { ...question, userId: who.actor.userId }, now))
        : notFound('user', who.actor.kind),
    ),
    /** For whoever was recognised: what is expected of them, and an event as it was written. */
    inputsOf: (clock: Pick<Clock, 'now'>) => ({
      inferInput: (question: Question) => inferInput(db, question, clock.now()),
      inputEvent: async (id: InputEventId) => loadEvent(db, id),
    }),
    confirmedAnswer: (question: Parameters<typeof confirmedAnswer>[1]) => confirmedAnswer(db, question),

    // For the edge that holds terminals.
    /** Terminals someone may reach, newest first; one of them, where it is named. */
    terminals: async (who: Standing, id?: SessionId) => {
      const { actor } = who
      const lineage = actor.kind === 'agent' && actor.sessionId !== null ? await lineageOf(db, actor.sessionId) : []
      return reachableTerminals(db, viewerOf(who), lineage, id)
    },
    openTerminals: (node: string) => openTerminals(db, node),

    // For the edges that host agents: what stands in the tables, whoever looks.
    slots: (protocol: ProtocolMode) => countSlots(db, protocol),
    hosted: (nodeId: string) => listHosted(db, nodeId),
    agent: (id: SessionId) => loadAgent(db, id),
    messagesById: (ids: readonly MessageId[]) => messagesById(db, ids),
    headOfQueue: (id: SessionId) => headOfQueue(db, id),

    // For the edges themselves: who is it, and what is due.
    standing: (actor: Actor) => loadStanding(db, actor),
    credentialByToken: (hash: string) => findToken(db, hash),
    credentialByCookie: (hash: string) => findLogin(db, hash),
    hasLoginLink: (hash: string) => hasLoginLink(db, hash),
    holderOfIdentity: (identity: string) => holderOf(db, [identity]),
    firstOwner: () => firstOwner(db),
    /** The newest event's place; null where there is none. */
    newestPlace: () => newestOf(database),
    endOfLog: () => endOf(database),
    deadlines: (kind: string, dueBefore: string | null, limit: number) => {
      let query = db.selectFrom('deadlines').selectAll().where('kind', '=', kind).orderBy('due_at').limit(limit)
      if (dueBefore !== null) query = query.where('due_at', '<=', dueBefore)
      return query.execute()
    },
    /** Kinds of rows that are due and nobody knows what to do about. */
    async strangeDeadlines(known: readonly string[], dueBefore: string): Promise<string[]> {
      const query = db.selectFrom('deadlines').select('kind').distinct().where('due_at', '<=', dueBefore)
      return (await query.where('kind', 'not in', known).execute()).map(({ kind }) => kind)
    },
    stallWork: (rules: StallSettings, now: number) => stallWork(db, rules, now),
    ping: async (): Promise<boolean> => {
      await sql`select 1`.execute(db)
      return database.intact()
    },
  }
}
