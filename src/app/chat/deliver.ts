import type { AskId } from '../../domain/ask/id.ts'
import { loadAsk } from '../../domain/ask/store.ts'
import { loadGroup } from '../../domain/agent-group/store.ts'
import { loadContainerConfig } from '../../domain/agent-group/store-container-config.ts'
import { answerTo } from '../../domain/chat/answer-text.ts'
import type { Access } from '../../domain/chat/access.ts'
import { promptOf } from '../../domain/chat/prompt-text.ts'
import type { IncomingMessage } from '../../domain/chat/incoming.ts'
import type { Delivery, InboxRow } from '../../domain/chat/records.ts'
import type { Chat, Wiring } from '../../domain/chat/schema.ts'
import { contextOf, type SessionKey } from '../../domain/chat/session-key.ts'
import { keptFor, settleKept } from '../../domain/chat/store-deliveries.ts'
import { sessionOfKey, type KeyedSession } from '../../domain/chat/store-sessions.ts'
import type { QueueItemId } from '../../domain/queue/schema.ts'
import { loadQueueItem } from '../../domain/queue/store.ts'
import type { SessionId } from '../../domain/session/id.ts'
import { takesSlot } from '../../domain/session/status.ts'
import { loadSession } from '../../domain/session/store.ts'
import type { UserId } from '../../domain/user/id.ts'
import { loadStanding } from '../../domain/user/store.ts'
import type { Database } from '../../db/open.ts'
import { derivedId } from '../../lib/derived-id.ts'
import type { Logger } from '../../lib/log.ts'
import { ok, type Fault, type Result } from '../../lib/result.ts'
import type { App } from '../app.ts'
import type { AnswerAsk } from '../use-cases/answer-ask.ts'
import type { Requester } from '../use-cases/requester.ts'
import type { Sessions } from '../use-cases/start-session.ts'
import { receiveFiles, type FetchFile, type SaveFile, type WithFiles } from './receive-files.ts'
import { fittingAsks, severalAsks, type FittingAsk } from './open-asks.ts'

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
  /** Undefined if its platform has no files. */
  readonly fetch: FetchFile | undefined
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
  save: SaveFile
  log: Logger
  /** Stores what is about to be done, so that doing it again after a crash does it once. */
  intend(detail: string): Promise<void>
}

const mostContext = 50

/** What was said before, as much as the agent group takes in one prompt; the message itself counts too. */
async function saidBefore(read: Database['read'], { id, agentGroupId }: Wiring, thread: string) {
  const most = (await loadContainerConfig(read, agentGroupId))?.maxMessagesPerPrompt ?? null
  const context = most === null ? mostContext : Math.min(mostContext, most - 1)
  return context === 0 ? [] : keptFor(read, id, thread, context)
}
const answerPrefix = 'answer:'

export async function deliver(deps: DeliverDeps, engaged: Engaged): Promise<Delivered> {
  const { database, app } = deps
  const { row, wiring, key, userId } = engaged
  const by = await requesterOf(database, userId)
  const itemId = derivedId<QueueItemId>(row.id, wiring.id)
  const queued = await loadQueueItem(database.read, itemId)
  if (queued) return reached(queued.sessionId)
  const spoken: Spoken = {
    ...engaged,
    before: await saidBefore(database.read, wiring, contextOf(key, engaged.message)),
  }
  const say = (sessionId: SessionId) =>
    withContext(deps, spoken, sessionId, async (text) => {
      const add = { type: 'queue.add' as const, id: itemId, sessionId, text, when: 'next' as const, through: wiring.id }
      const added = await app.dispatch(add, by.actor)
      return added.ok ? ok(sessionId) : added
    })
  const live = await sessionOfKey(database.read, wiring.agentGroupId, key)
  if (live && takesSlot(live.status)) {
    const started = sessionIds(row, wiring).includes(live.id)
    // With files it was started without its prompt.
    if (started) return hasFiles(spoken) ? say(live.id) : reached(live.id)
    return (await answerInThread(deps, engaged, live.id, by)) ?? say(live.id)
  }
  const begun = await start(deps, spoken, live, by)
  return begun.kind === 'delivered' && begun.sessionId !== null && hasFiles(spoken) ? say(begun.sessionId) : begun
}

/** Together with what was said before without addressing the agent. */
type Spoken = Omit<Engaged, 'before'> & { readonly before: readonly WithFiles[] }

/** Files are saved in the workspace of a session, so the session has to be there before the prompt. */
const hasFiles = ({ message, before, access, fetch }: Spoken): boolean =>
  fetch !== undefined &&
  ((access === 'known' && message.files.length > 0) || before.some((one) => one.message.files.length > 0))

const reached = (sessionId: SessionId): Delivered => ({ kind: 'delivered', sessionId, detail: null })

export async function requesterOf({ read }: DeliverDeps['database'], userId: UserId): Promise<Requester> {
  const actor = { kind: 'person' as const, userId, scope: 'full' as const }
  return { actor, standing: await loadStanding(read, actor), once: {} }
}

/** Sends the text with what was said before, which then is not said again. */
async function withContext(
  { database: { read, write }, save, log }: DeliverDeps,
  spoken: Spoken,
  /** Null: it is started with this text. */
  sessionId: SessionId | null,
  send: (text: string) => Promise<Result<SessionId>>,
): Promise<Delivered> {
  const { row, message, wiring, key, access, before, fetch } = spoken
  const session = sessionId !== null && hasFiles(spoken) ? await loadSession(read, sessionId) : undefined
  // Files of others are named, and never fetched.
  const own = access === 'known' ? [{ id: row.id, message }] : []
  const saved = session && (await receiveFiles({ fetch, save, log }, [...before, ...own], session))
  const text = promptOf(
    { message, access },
    before.map((one) => ({ message: one.message, access: 'known' as const })),
    saved,
  )
  if (text === '') return { kind: 'refused', fault: empty }
  const sent = await send(text)
  if (!sent.ok) return { kind: isPassing(sent.fault) ? 'again' : 'refused', fault: sent.fault }
  if (before.length > 0) await settleKept(write, wiring.id, contextOf(key, message), sent.value)
  return reached(sent.value)
}

/** The session a row starts has an id made from it; an attempt that ended in an error has the next one. */
const mostStarts = 10
const sessionIds = (row: InboxRow, wiring: Wiring): SessionId[] =>
  Array.from({ length: mostStarts }, (_, n) => derivedId<SessionId>(row.id, wiring.id, 'session', n))

async function start(
  deps: DeliverDeps,
  spoken: Spoken,
  last: KeyedSession | undefined,
  by: Requester,
): Promise<Delivered> {
  const { database, sessions } = deps
  const { row, wiring, chat, key, userId } = spoken
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
  const begin = async (prompt: string | undefined): Promise<Result<SessionId>> => {
    // The conversation continues, if the sender is the one who had it.
    if (last && last.ownerUserId === userId && last.status !== 'error') {
      const continued = await sessions.continue(last.id, { id: wantedId, prompt }, by)
      if (continued.ok || isPassing(continued.fault)) return continued
    }
    return sessions.start(
      {
        id: wantedId,
        protocolMode: 'acp',
        prompt,
        mode: 'remote',
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
  }
  if (!hasFiles(spoken)) return withContext(deps, spoken, null, begin)
  const begun = await begin(undefined)
  if (!begun.ok) return { kind: isPassing(begun.fault) ? 'again' : 'refused', fault: begun.fault }
  return reached(begun.value)
}

/** Words such as `approve` answer the open ask of the session; of others who may not, they are a message. */
async function answerInThread(
  deps: DeliverDeps,
  { row, message, wiring, before }: Engaged,
  sessionId: SessionId,
  by: Requester,
): Promise<Delivered | null> {
  const intended = before?.detail?.startsWith(answerPrefix) ? (before.detail.slice(answerPrefix.length) as AskId) : null
  const fitting =
    intended === null
      ? await fittingAsks(deps, sessionId, message.text, by.actor)
      : await again(deps, intended, message.text)
  const [only, ...others] = fitting
  if (only === undefined) return null
  if (others.length > 0)
    return fitting.every(({ exact }) => exact) ? { kind: 'refused', fault: severalAsks(fitting) } : null
  await deps.intend(`${answerPrefix}${only.id}`)
  const once = { key: `chat:${row.id}:${wiring.id}` }
  const answered = await deps.answerAsk(only.id, only.answer, { ...by, once })
  if (answered.ok) return { kind: 'delivered', sessionId, detail: `${answerPrefix}${only.id}` }
  return { kind: isPassing(answered.fault) ? 'again' : 'refused', fault: answered.fault }
}

/** The ask that this message was about to answer, open or not. */
async function again({ database }: DeliverDeps, id: AskId, text: string): Promise<FittingAsk[]> {
  const ask = await loadAsk(database.read, id)
  const said = ask && answerTo(ask.subject, text)
  return said ? [{ id, title: '', ...said }] : []
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
