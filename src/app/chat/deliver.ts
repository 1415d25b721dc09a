import type { Answer } from '../../domain/ask/answer.ts'
import type { AskId } from '../../domain/ask/id.ts'
import { outcomesOf } from '../../domain/ask/outcomes.ts'
import { loadAsk } from '../../domain/ask/store.ts'
import { loadGroup } from '../../domain/agent-group/store.ts'
import { answerIn, replyTo } from '../../domain/chat/answer-text.ts'
import type { Access } from '../../domain/chat/access.ts'
import { promptOf } from '../../domain/chat/prompt-text.ts'
import type { IncomingMessage } from '../../domain/chat/incoming.ts'
import type { Delivery, InboxRow } from '../../domain/chat/records.ts'
import type { Chat, Wiring } from '../../domain/chat/schema.ts'
import type { SessionKey } from '../../domain/chat/session-key.ts'
import { keptFor, settleKept } from '../../domain/chat/store-deliveries.ts'
import { sessionOfKey, type KeyedSession } from '../../domain/chat/store-sessions.ts'
import type { QueueItemId } from '../../domain/queue/schema.ts'
import { loadQueueItem } from '../../domain/queue/store.ts'
import type { SessionId } from '../../domain/session/id.ts'
import { takesSlot } from '../../domain/session/status.ts'
import { loadOpenAsks, loadSession } from '../../domain/session/store.ts'
import type { UserId } from '../../domain/user/id.ts'
import { loadStanding } from '../../domain/user/store.ts'
import type { Database } from '../../db/open.ts'
import { derivedId } from '../../lib/derived-id.ts'
import { ok, type Fault, type Result } from '../../lib/result.ts'
import type { App } from '../app.ts'
import type { AnswerAsk } from '../use-cases/answer-ask.ts'
import type { Requester } from '../use-cases/requester.ts'
import type { Sessions } from '../use-cases/start-session.ts'

/** A message on its way to the agent of one wiring, from someone who may write there. */
export type Engaged = {
  readonly row: InboxRow
  readonly message: IncomingMessage
  readonly chat: Chat
  readonly wiring: Wiring
  readonly key: SessionKey
  readonly userId: UserId
  readonly access: Access
  /** What was done with it when it was handled before. */
  readonly before: Delivery | undefined
}

/** Reached a session, answered an ask, or why neither; `again`: it may work later. */
export type Delivered =
  | { readonly kind: 'delivered'; readonly sessionId: SessionId | null; readonly detail: string | null }
  | { readonly kind: 'refused' | 'again'; readonly fault: Fault }

export type DeliverDeps = {
  app: Pick<App, 'dispatch' | 'check'>
  database: Pick<Database, 'read' | 'write'>
  sessions: Pick<Sessions, 'start' | 'continue'>
  answerAsk: AnswerAsk
  /** Stores what is about to be done, so that doing it again after a crash does it once. */
  intend(detail: string): Promise<void>
}

const mostContext = 50
const answerPrefix = 'answer:'

export async function deliver(deps: DeliverDeps, engaged: Engaged): Promise<Delivered> {
  const { database, app } = deps
  const { row, wiring, key, userId } = engaged
  const by = await requesterOf(database, userId)
  const itemId = derivedId<QueueItemId>(row.id, wiring.id)
  const queued = await loadQueueItem(database.read, itemId)
  if (queued) return reached(queued.sessionId)
  const live = await sessionOfKey(database.read, wiring.agentGroupId, key)
  if (live && takesSlot(live.status)) {
    const started = sessionIds(row, wiring).includes(live.id)
    if (started) return reached(live.id)
    const answered = await answerInThread(deps, engaged, live.id, by)
    if (answered) return answered
    return withContext(deps, engaged, async (text) => {
      const add = {
        type: 'queue.add' as const,
        id: itemId,
        sessionId: live.id,
        text,
        when: 'next' as const,
        through: wiring.id,
      }
      const added = await app.dispatch(add, by.actor)
      return added.ok ? ok(live.id) : added
    })
  }
  return start(deps, engaged, live, by)
}

const reached = (sessionId: SessionId): Delivered => ({ kind: 'delivered', sessionId, detail: null })

async function requesterOf({ read }: DeliverDeps['database'], userId: UserId): Promise<Requester> {
  const actor = { kind: 'person' as const, userId, scope: 'full' as const }
  return { actor, standing: await loadStanding(read, actor), once: {} }
}

/** Sends the text with what was said before, which then is not said again. */
async function withContext(
  { database: { read, write } }: DeliverDeps,
  { message, wiring, key, access }: Engaged,
  send: (text: string) => Promise<Result<SessionId>>,
): Promise<Delivered> {
  const thread = key.threadId ?? ''
  const before = await keptFor(read, wiring.id, thread, mostContext)
  const text = promptOf(
    { message, access },
    before.map((one) => ({ message: one.message, access: 'known' as const })),
  )
  if (text === '') return { kind: 'refused', fault: empty }
  const sent = await send(text)
  if (!sent.ok) return { kind: isPassing(sent.fault) ? 'again' : 'refused', fault: sent.fault }
  if (before.length > 0) await settleKept(write, wiring.id, thread, sent.value)
  return reached(sent.value)
}

/** The session a row starts has an id made from it; an attempt that ended in an error has the next one. */
const mostStarts = 10
const sessionIds = (row: InboxRow, wiring: Wiring): SessionId[] =>
  Array.from({ length: mostStarts }, (_, n) => derivedId<SessionId>(row.id, wiring.id, 'session', n))

async function start(
  deps: DeliverDeps,
  engaged: Engaged,
  last: KeyedSession | undefined,
  by: Requester,
): Promise<Delivered> {
  const { database, sessions } = deps
  const { row, wiring, chat, key, userId } = engaged
  let id: SessionId | undefined
  for (const candidate of sessionIds(row, wiring)) {
    const found = await loadSession(database.read, candidate)
    if (found && found.status !== 'error') return reached(candidate)
    if (!found) {
      id = candidate
      break
    }
  }
  const group = await loadGroup(database.read, wiring.agentGroupId)
  if (id === undefined || !group) return { kind: 'refused', fault: neverStarted }
  const wantedId = id
  return withContext(deps, engaged, async (prompt) => {
    // The conversation goes on, if the sender is the one who had it.
    if (last && last.ownerUserId === userId && last.status !== 'error') {
      const continued = await sessions.continue(last.id, { id: wantedId, prompt }, by)
      if (continued.ok || isPassing(continued.fault)) return continued
    }
    return sessions.start(
      {
        id: wantedId,
        protocolMode: 'acp',
        ...(group.repoId !== null && { repoId: group.repoId }),
        ...(group.repoId === null && group.workspaceRoot !== null && { workspaceRoot: group.workspaceRoot }),
        prompt,
        mode: 'remote',
        ...(group.agent !== null && { agent: group.agent }),
        worktree: false,
        metadata: {},
        chat: {
          agentProvider: group.agentProvider,
          agentGroupId: group.id,
          messagingGroupId: key.chatId,
          threadId: key.threadId,
          channelId: key.chatId === null ? null : chat.platformId.slice(0, 200),
          threadTs: key.threadId,
          sessionMode: key.mode,
        },
      },
      by,
    )
  })
}

/** Words such as `approve` answer the open ask of the session; of others who may not, they are a message. */
async function answerInThread(
  deps: DeliverDeps,
  { row, message, wiring, before }: Engaged,
  sessionId: SessionId,
  by: Requester,
): Promise<Delivered | null> {
  const intended = before?.detail?.startsWith(answerPrefix) ? (before.detail.slice(answerPrefix.length) as AskId) : null
  const question = await questionFor(deps, { sessionId, text: message.text, intended }, by)
  const answer = answerIn(message.text) ?? question?.answer ?? null
  if (!answer) return null
  const fitting = answer === question?.answer ? [question.id] : await openAsksFor(deps, sessionId, answer, by)
  const [only, ...others] = intended === null ? fitting : [intended]
  if (only === undefined) return null
  if (others.length > 0) return { kind: 'refused', fault: severalAsks }
  await deps.intend(`${answerPrefix}${only}`)
  const once = { key: `chat:${row.id}:${wiring.id}` }
  const answered = await deps.answerAsk(only, answer, { ...by, once })
  if (answered.ok) return { kind: 'delivered', sessionId, detail: `${answerPrefix}${only}` }
  return { kind: isPassing(answered.fault) ? 'again' : 'refused', fault: answered.fault }
}

/** The only question that is open, if the sender may answer it; one that was about to be answered comes first. */
async function questionFor(
  { app, database: { read } }: DeliverDeps,
  { sessionId, text, intended }: { sessionId: SessionId; text: string; intended: AskId | null },
  { actor }: Requester,
): Promise<{ id: AskId; answer: Answer } | null> {
  const open = (await loadOpenAsks(read, sessionId)).filter(({ kind }) => kind === 'question')
  const id = intended ?? (open.length === 1 ? open[0]?.id : undefined)
  const ask = id === undefined ? undefined : await loadAsk(read, id)
  const answer = ask?.subject.kind === 'question' ? replyTo(ask.subject, text) : null
  if (!ask || !answer) return null
  const refused = intended === null ? await app.check({ type: 'ask.answer', id: ask.id, answer }, actor) : null
  return refused === null ? { id: ask.id, answer } : null
}

async function openAsksFor(
  { app, database }: DeliverDeps,
  sessionId: SessionId,
  answer: Answer,
  { actor }: Requester,
): Promise<AskId[]> {
  const found: AskId[] = []
  for (const { id, kind } of await loadOpenAsks(database.read, sessionId))
    if (
      outcomesOf[kind].includes(answer.outcome) &&
      (await app.check({ type: 'ask.answer', id, answer }, actor)) === null
    )
      found.push(id)
  return found
}

/** Full, busy or starting: worth another try. An agent that does not start is not. */
const isPassing = ({ kind, code }: Fault): boolean =>
  kind === 'limited' ||
  (kind === 'unavailable' && !code.startsWith('agent_')) ||
  ['session_not_active', 'session_already_exists', 'thread_taken'].includes(code)

const empty: Fault = { kind: 'invalid', code: 'empty_message', message: 'The message has no text and no files.' }
const neverStarted: Fault = {
  kind: 'unavailable',
  code: 'agent_unavailable',
  message: 'The agent could not be started.',
}
const severalAsks: Fault = {
  kind: 'conflict',
  code: 'several_asks',
  message: 'Several asks are open.',
  hint: 'Reply to the one that you mean.',
}
