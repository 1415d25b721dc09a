import { listAllowances } from '../../domain/session/store-allowances.ts'
import { AgentState, nothingKnown, type Diagnosis } from '../../domain/agent/about.ts'
import { listLives } from '../../domain/agent/store-lives.ts'
import { diagnose, type Signs } from '../../domain/agent/diagnose.ts'
import { shownOptions } from '../agent-offers.ts'
import { loadAgent } from '../../domain/agent/store.ts'
import { listAsks } from '../../domain/ask/query.ts'
import { listCheckpoints, type CheckpointFilter } from '../../domain/checkpoint/query.ts'
import type { CheckpointId } from '../../domain/checkpoint/schema.ts'
import { loadCheckpoint } from '../../domain/checkpoint/store.ts'
import { searchMessages, type MessageSearch } from '../../domain/message/query.ts'
import { listMessages } from '../../domain/message/store.ts'
import type { QueueItemId } from '../../domain/queue/schema.ts'
import { listQueue, loadQueueItem } from '../../domain/queue/store.ts'
import type { SessionId } from '../../domain/session/id.ts'
import {
  countSessions,
  isNarrow,
  lineageOf,
  listSessions,
  sessionsAmong,
  type SessionPage,
} from '../../domain/session/query.ts'
import type { Session } from '../../domain/session/schema.ts'
import { liveSessionsIn } from '../../domain/session/store-places.ts'
import { hasEnded } from '../../domain/session/status.ts'
import { sessionCards } from '../../domain/session/store-cards.ts'
import { loadDelegates } from '../../domain/session/store.ts'
import type { Standing, Viewer } from '../../domain/user/actor.ts'
import type { RepoId } from '../../domain/workspace/id.ts'
import type { Repo } from '../../domain/workspace/schema.ts'
import { fail, notFound, ok, type Result } from '../../lib/result.ts'
import { readsAsAgentOf } from '../agent-group/cli-scope.ts'
import { asOf, type ReadContext } from './context.ts'

type CheckpointPage = { sessionId?: SessionId } & Pick<CheckpointFilter, 'limit' | 'before'>

const notHosted = {
  kind: 'invalid' as const,
  code: 'not_hosted',
  message: 'The agent of this session connects from outside; its modes and options are unknown.',
}
const noSigns: Signs = { turn: null, heardAt: null, openTools: [], repeats: null, failure: null }

/** An agent that may read its agent group's rows sees its sessions too. */
function rowsSeenBy(viewer: Viewer, who: Standing): Viewer {
  const group = readsAsAgentOf(who)
  return viewer.sees === 'agent' && group !== null ? { ...viewer, group } : viewer
}

const withoutWords = (session: Session): Session => ({
  ...session,
  name: null,
  prompt: null,
  metadata: {},
  progressSnapshot: null,
})

/** Sessions: their messages, agents, queues and checkpoints. */
export function createSessionReads(
  { database, live, now, behind, visibleSession, forViewer }: ReadContext,
  repoOfSession: (who: Standing, id: RepoId | null) => Promise<Repo | null>,
) {
  const { read: db, aside, flavor } = database

  async function agentState(id: SessionId): Promise<AgentState | null> {
    const row = await loadAgent(db, id)
    if (!row) return null
    const known = { ...nothingKnown, usage: null, turn: null, ...(row.about as object), ...(row.state as object) }
    return AgentState.parse({ ...known, configOptions: shownOptions(known) })
  }

  /** Which of these an agent sees as rows only, because they belong to its agent group and not to itself. */
  async function hidingWords(viewer: Viewer, sessions: readonly Session[]): Promise<Session[]> {
    if (viewer.sees !== 'agent') return [...sessions]
    const own = await sessionsAmong(
      db,
      viewer,
      sessions.map(({ id }) => id),
    )
    return sessions.map((session) => (own.has(session.id) ? session : withoutWords(session)))
  }

  /** C10: another session of the agent's own group, without what was said in it. */
  async function rowAlone(viewer: Viewer, who: Standing, id: SessionId) {
    const session = await visibleSession(rowsSeenBy(viewer, who), id)
    if (!session.ok) return session
    const nothing = {
      repo: null,
      messages: [],
      lineage: [id],
      delegates: [],
      agentState: null,
      queue: [],
      sharedWith: 0,
    }
    return ok({ ...withoutWords(session.value), ...nothing })
  }

  return {
    sessions: behind('anyone', async (own, who, page: SessionPage) => {
      // A search finds words that were said, so an agent searches its own sessions only.
      const viewer = page.q === undefined ? rowsSeenBy(own, who) : own
      const from = isNarrow(page) ? aside : forViewer(viewer)
      return ok({
        sessions: (await hidingWords(own, await listSessions(from, flavor.name, viewer, page))).map((one) =>
          asOf(one, now()),
        ),
        total: await countSessions(from, flavor.name, viewer, page),
      })
    }),
    session: behind('anyone', (viewer, _who, id: SessionId) => visibleSession(viewer, id)),
    sessionDetail: behind('anyone', async (viewer, who, id: SessionId, wanted: 'all' | 'none' = 'all') => {
      const session = await visibleSession(viewer, id)
      if (!session.ok) return session
      const before = live.growing(id)
      const [repo, messages, lineage, delegates] = [
        await repoOfSession(who, session.value.repoId),
        wanted === 'none' ? [] : live.overlay(id, await listMessages(aside, id), { before }),
        await lineageOf(db, id),
        await loadDelegates(db, id),
      ]
      const queue = (await listQueue(db, id)).filter((item) => item.status === 'waiting' || item.status === 'sent')
      const { status, workspaceRoot, protocolMode } = session.value
      const isAlone = hasEnded(status) || protocolMode === 'terminal'
      const sharedWith = isAlone ? 0 : (await liveSessionsIn(db, workspaceRoot)).filter((one) => one !== id).length
      const state = await agentState(id)
      return ok({ ...session.value, repo, messages, lineage, delegates, agentState: state, queue, sharedWith })
    }),
    /** For an agent that reads its group's rows: another session of the group, without what was said in it. */
    sessionRow: behind('anyone', (viewer, who, id: SessionId) => rowAlone(viewer, who, id)),
    messages: behind('anyone', async (viewer, _who, id: SessionId, since: string | undefined) => {
      const session = await visibleSession(viewer, id)
      if (!session.ok) return session
      const before = live.growing(id)
      return ok(live.overlay(id, await listMessages(aside, id, since), { before, since }))
    }),
    agentState: behind('anyone', async (viewer, _who, id: SessionId) => {
      const session = await visibleSession(viewer, id)
      if (!session.ok) return session
      const state = await agentState(id)
      return state ? ok(state) : fail(notHosted)
    }),
    /** The end of an agent's error output. */
    stderr: behind('person', async (viewer, _who, id: SessionId) => {
      const session = await visibleSession(viewer, id)
      return session.ok ? ok((await loadAgent(db, id))?.stderr ?? '') : session
    }),
    lives: behind('person', async (viewer, _who, id: SessionId) => {
      const session = await visibleSession(viewer, id)
      return session.ok ? ok(await listLives(db, id)) : session
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
        const { status, terminatedAt, updatedAt, activity, sleepingSince } = session.value
        const endedAt = terminatedAt ?? updatedAt
        return ok(diagnose({ status, openAsks: open, endedAt, activity, sleepingSince }, signs, facts))
      },
    ),
    allowances: behind('anyone', async (viewer, _who, id: SessionId) => {
      const session = await visibleSession(viewer, id)
      return session.ok ? ok(await listAllowances(db, id)) : session
    }),
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
    /** Messages with these words, newest first, each with the title of its session. */
    searchMessages: behind('anyone', async (viewer, _who, search: MessageSearch) => {
      const found = await searchMessages(aside, flavor.name, viewer, { ...search, limit: search.limit + 1 })
      const shown = found.slice(0, search.limit)
      const cards = await sessionCards(db, [...new Set(shown.map(({ sessionId }) => sessionId))])
      const messages = shown.map((message) =>
        Object.assign(message, { sessionTitle: cards.get(message.sessionId)?.title ?? '' }),
      )
      return ok({ messages, more: found.length > shown.length })
    }),
    /** Checkpoints of a session and its lineage, newest first. */
    checkpoints: behind('anyone', async (viewer, _who, page: CheckpointPage) => {
      const { sessionId, limit, before } = page
      const bounded = { before, ...(limit !== undefined && { limit }) }
      if (sessionId === undefined) return ok(await listCheckpoints(db, { viewer, ...bounded }))
      const session = await visibleSession(viewer, sessionId)
      if (!session.ok) return session
      // An agent sees its whole lineage. A person may see only one session of it.
      const seen = viewer.sees === 'agent' ? {} : { viewer }
      return ok(await listCheckpoints(db, { sessionIds: await lineageOf(db, sessionId), ...seen, ...bounded }))
    }),
    checkpoint: behind('anyone', async (viewer, _who, id: CheckpointId) => {
      const found = await loadCheckpoint(db, id)
      const session = found && (await visibleSession(viewer, found.sessionId))
      return found && session?.ok ? ok(found) : notFound('checkpoint', id)
    }),
  }
}
