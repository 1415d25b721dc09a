import type { AskId } from '../../domain/ask/id.ts'
import { answerTo, asksForSecret } from '../../domain/chat/answer-text.ts'
import { loadAsk } from '../../domain/ask/store.ts'
import { accessOf, isInScope, type Access } from '../../domain/chat/access.ts'
import { engagementOf } from '../../domain/chat/engage.ts'
import type { IncomingMessage } from '../../domain/chat/incoming.ts'
import type { Delivery, InboxRow } from '../../domain/chat/records.ts'
import { ChatCommand, type Chat, type StrangerReason, type Wiring } from '../../domain/chat/schema.ts'
import { contextOf, sessionKeyOf, type SessionKey } from '../../domain/chat/session-key.ts'
import { deliveriesOf, noteDelivery } from '../../domain/chat/store-deliveries.ts'
import { postponeEvent } from '../../domain/chat/store-holds.ts'
import { settleEvent } from '../../domain/chat/store-inbox.ts'
import { sessionOfKey } from '../../domain/chat/store-sessions.ts'
import { loadChatAt, loadWirings } from '../../domain/chat/store.ts'
import { postByMessage } from '../../domain/chat-post/store.ts'
import type { SessionId } from '../../domain/session/id.ts'
import { sessionsDelegatedTo } from '../../domain/session/store-clients.ts'
import { takesSlot } from '../../domain/session/status.ts'
import type { Actor, Holdings } from '../../domain/user/actor.ts'
import type { AgentGroupId, UserId } from '../../domain/user/id.ts'
import { loadHoldings, loadStanding } from '../../domain/user/store.ts'
import type { Database } from '../../db/open.ts'
import { backoff } from '../../lib/backoff.ts'
import { iso, type Clock } from '../../lib/clock.ts'
import { newId } from '../../lib/id.ts'
import type { Logger } from '../../lib/log.ts'
import { createRateLimit } from '../../lib/rate-limit.ts'
import { fail, type Fault } from '../../lib/result.ts'
import type { App } from '../app.ts'
import type { AnswerAsk } from '../use-cases/answer-ask.ts'
import type { Sessions } from '../use-cases/start-session.ts'
import { deliver } from './deliver.ts'
import { holderOfSender } from './holder-of-sender.ts'
import type { Knocks } from './knocks.ts'
import type { FetchFile, SaveFile } from './receive-files.ts'
import { platformIdOf } from './records.ts'
import { sessionOfOwnThread, toOwnThread } from './session-thread.ts'

/** An instance, as far as routing depends on it. */
export type Inlet = {
  readonly id: InboxRow['instanceId']
  readonly platform: string
  readonly name: string
  /** The platform can put replies into a thread under any message. */
  readonly opensThreads: boolean
  readonly fetchFile?: FetchFile
}

/** What became of a message. `waiting`: it is tried again. */
export type Taken = {
  readonly status: 'done' | 'ignored' | 'held' | 'waiting' | 'failed'
  readonly deliveries: readonly (Delivery & { readonly fault: Fault | null })[]
  /** Why a reply to a card, or a message in the thread of a session, was not taken; for the sender alone. */
  readonly fault?: Fault | null
}

/** Takes one message from the inbox to the agents it is for (C3), and settles its row. */
export type TakeIncoming = (row: InboxRow, message: IncomingMessage, inlet: Inlet) => Promise<Taken>

export type TakeIncomingDeps = {
  app: Pick<App, 'dispatch' | 'check' | 'read'>
  database: Pick<Database, 'read' | 'write'>
  sessions: Pick<Sessions, 'start' | 'continue'>
  answerAsk: AnswerAsk
  /** Saves files that people sent. */
  save: SaveFile
  knocks: Knocks
  clock: Clock
  log: Logger
}

const system: Actor = { kind: 'system', name: 'chat' }
/** About an hour and a half: agents may be busy for a while. */
const mostAttempts = 25
const firstMs = 1_000
const longestMs = 300_000
/** The limit of chats that one instance adds automatically. In others, people have to write again later. */
const mostNewChats = 60
const hourMs = 3_600_000

type Outcome = Delivery & { readonly fault: Fault | null; readonly again?: boolean; readonly askId?: AskId }
type Sender = { readonly userId: UserId | null; readonly holdings: Holdings | null }
/** A message in its chat. */
type Arrived = { row: InboxRow; message: IncomingMessage; inlet: Inlet; chat: Chat; sender: Sender }

export function createTakeIncoming(deps: TakeIncomingDeps): TakeIncoming {
  const { app, database, knocks, clock, log } = deps
  const { read, write } = database
  const now = () => iso(clock.now())
  const newChats = createRateLimit({ clock, most: mostNewChats, perMs: hourMs })

  const ignored = async ({ id }: InboxRow): Promise<Taken> => {
    await settleEvent(write, id, { status: 'ignored' }, now())
    return { status: 'ignored', deliveries: [] }
  }

  /** The chat of a message. One that we do not know is added only if the message is for us. */
  async function chatOf(message: IncomingMessage, inlet: Inlet): Promise<Chat | null> {
    const place = { channelType: inlet.platform, platformId: platformIdOf(inlet, message.chat.id) }
    const known = await loadChatAt(read, place)
    const { name, isGroup } = message.chat
    if (known && !known.removed) {
      const fresh = {
        ...(name !== null && name !== known.name && { name: name.slice(0, 200) }),
        ...(known.instanceId !== inlet.id && { instanceId: inlet.id }),
      }
      if (Object.keys(fresh).length > 0)
        await app.dispatch(ChatCommand.parse({ type: 'chat.update', id: known.id, ...fresh }), system)
      return known
    }
    if (!isAddressed(message) || newChats.take(inlet.id) !== null) return null
    await app.dispatch(
      ChatCommand.parse({
        type: 'chat.add',
        id: newId(),
        ...place,
        name: name?.slice(0, 200) || null,
        isGroup,
        unknownSenderPolicy: 'request_approval',
        instanceId: inlet.id,
      }),
      system,
    )
    // Refused if it was added at the same moment; then that one counts.
    return (await loadChatAt(read, place)) ?? null
  }

  async function senderOf({ sender }: IncomingMessage, { platform }: Inlet): Promise<Sender> {
    const userId = await holderOfSender(read, platform, sender)
    return { userId, holdings: userId === null ? null : await loadHoldings(read, userId) }
  }

  async function countStranger(
    { message, chat }: Pick<Arrived, 'message' | 'chat'>,
    reason: StrangerReason,
    agentGroupId: AgentGroupId | null,
  ): Promise<void> {
    const { channelType, platformId, id: chatId } = chat
    const { identity, name } = message.sender
    const noted = { channelType, platformId, identity, name: name?.slice(0, 200) ?? null, reason, chatId, agentGroupId }
    await app.dispatch(ChatCommand.parse({ type: 'stranger.note', ...noted }), system)
  }

  /** A chat in which no agent group listens. */
  async function unwired(arrived: Arrived): Promise<Taken> {
    const { row, message, chat } = arrived
    if (!isAddressed(message)) return ignored(row)
    if (chat.deniedAt !== null) {
      await countStranger(arrived, 'chat_denied', null)
      return ignored(row)
    }
    const knocked = await knocks.chat(row, message, chat)
    await countStranger(arrived, knocked.kind === 'held' ? 'no_agent_wired' : knocked.reason, null)
    return knocked.kind === 'held' ? { status: 'held', deliveries: [] } : ignored(row)
  }

  async function toWiring(
    arrived: Arrived,
    wiring: Wiring,
    before: Outcome | undefined,
    held: AskId | null,
  ): Promise<Outcome> {
    const { message, inlet, chat, sender } = arrived
    const { isGroup, isDirect } = message.chat
    const place = { ...message, chatId: chat.id, isGroup, opensThreads: inlet.opensThreads }
    const key = sessionKeyOf(wiring.sessionMode, place)
    const { engaged, fault } = engagementOf(wiring, {
      text: message.text,
      addressed: isAddressed(message),
      isDirect,
      hasSession: wiring.engageMode === 'mention-sticky' && (await isLive(wiring, key)),
    })
    if (fault !== null) log.warn({ wiring: wiring.id, fault }, 'the engage pattern of a wiring is invalid')
    const access = (await isDelegate(wiring, key, sender))
      ? 'known'
      : accessOf(sender.holdings, wiring.agentGroupId, chat.unknownSenderPolicy)
    const outcome = (kind: Delivery['outcome'], detail: string | null): Outcome => ({
      wiringId: wiring.id,
      outcome: kind,
      sessionId: null,
      detail,
      fault: null,
    })
    if (!engaged) {
      // Nothing of a stranger is kept.
      const keeps = wiring.ignoredMessagePolicy === 'accumulate' && access === 'known'
      return keeps ? outcome('kept', contextOf(key, message)) : outcome('ignored', fault)
    }
    if (access === 'unknown') return unknown(arrived, wiring, outcome, held)
    if (!isInScope(access, wiring.senderScope)) {
      await countStranger(arrived, 'unknown_sender_scope', wiring.agentGroupId)
      return outcome('refused', 'unknown_sender_scope')
    }
    return engage(arrived, wiring, { key, access, before }, outcome)
  }

  /** Delegates answer and steer a session where it is, as members or not (R2). */
  async function isDelegate(wiring: Wiring, key: SessionKey, { userId }: Sender): Promise<boolean> {
    if (userId === null) return false
    const session = await sessionOfKey(read, wiring.agentGroupId, key)
    if (session === undefined || !takesSlot(session.status)) return false
    return (await sessionsDelegatedTo(read, userId)).includes(session.id)
  }

  async function isLive(wiring: Wiring, key: SessionKey): Promise<boolean> {
    const session = await sessionOfKey(read, wiring.agentGroupId, key)
    return session !== undefined && takesSlot(session.status)
  }

  async function unknown(
    arrived: Arrived,
    { agentGroupId }: Wiring,
    outcome: (kind: Delivery['outcome'], detail: string | null) => Outcome,
    held: AskId | null,
  ): Promise<Outcome> {
    const { row, message, chat } = arrived
    if (chat.unknownSenderPolicy !== 'request_approval') {
      await countStranger(arrived, 'unknown_sender_strict', agentGroupId)
      return outcome('refused', 'unknown_sender_strict')
    }
    // One ask at a time about a sender; the next agent group asks when the message is handled again.
    if (held !== null) return { ...outcome('held', held), askId: held }
    const knocked = await knocks.sender(row, message, chat, agentGroupId)
    const reason = knocked.kind === 'held' ? 'unknown_sender_request_approval' : knocked.reason
    await countStranger(arrived, reason, agentGroupId)
    return knocked.kind === 'held'
      ? { ...outcome('held', knocked.askId), askId: knocked.askId }
      : outcome('refused', knocked.reason)
  }

  async function engage(
    { row, message, inlet, chat, sender }: Arrived,
    wiring: Wiring,
    { key, access, before }: { key: SessionKey; access: Access; before: Outcome | undefined },
    outcome: (kind: Delivery['outcome'], detail: string | null) => Outcome,
  ): Promise<Outcome> {
    const userId = sender.userId ?? (await knocks.person(message.sender.identity, message.sender.name))
    if (userId === null) return outcome('refused', 'unknown_sender_strict')
    const intend = (detail: string) => noteDelivery(write, row.id, { ...outcome('failed', detail) }, now())
    const result = await deliver(
      { ...deps, intend },
      { row, message, chat, wiring, key, userId, access, before, fetch: inlet.fetchFile },
    )
    if (result.kind === 'delivered') return { ...outcome('delivered', result.detail), sessionId: result.sessionId }
    const { fault, kind } = result
    return { ...outcome(kind === 'again' ? 'failed' : 'refused', fault.code), fault, again: kind === 'again' }
  }

  /** Each wiring on its own: one that fails never stops the others. */
  async function toAll(arrived: Arrived, wirings: readonly Wiring[]): Promise<Outcome[]> {
    const { row } = arrived
    const earlier = await deliveriesOf(read, row.id)
    const outcomes: Outcome[] = []
    let held: AskId | null = null
    for (const wiring of wirings) {
      const known = earlier.find(({ wiringId }) => wiringId === wiring.id)
      const before: Outcome | undefined = known && { ...known, fault: null }
      if (before && isSettled(before, row)) {
        outcomes.push(before)
        continue
      }
      const outcome: Outcome = await toWiring(arrived, wiring, before, held).catch((error: unknown): Outcome => {
        log.error({ inbox: row.id, wiring: wiring.id, error: String(error) }, 'a message could not be delivered')
        return { wiringId: wiring.id, outcome: 'failed', sessionId: null, detail: null, fault: broken, again: true }
      })
      held ??= outcome.askId ?? null
      outcomes.push(outcome)
      await noteDelivery(write, row.id, outcome, now())
    }
    return outcomes
  }

  async function conclude(row: InboxRow, outcomes: readonly Outcome[]): Promise<Taken['status']> {
    const failing = outcomes.find(({ again }) => again)
    if (failing) {
      const attempts = row.attempts + 1
      const error = failing.fault?.message ?? ''
      if (attempts < mostAttempts) {
        await postponeEvent(write, row.id, attempts, iso(clock.now() + backoff(attempts, firstMs, longestMs)), error)
        return 'waiting'
      }
      await settleEvent(write, row.id, { status: 'failed', error }, now())
      return 'failed'
    }
    if (outcomes.some(({ outcome }) => outcome === 'held')) return 'held'
    const taken = outcomes.some(({ outcome }) => outcome === 'delivered' || outcome === 'kept')
    // Someone we know was refused for a reason they can mend; of others nothing is kept.
    const fault = outcomes.find((one) => one.fault !== null)?.fault ?? null
    const status = taken ? 'done' : fault ? 'failed' : 'ignored'
    await settleEvent(write, row.id, { status, error: taken ? null : (fault?.message ?? null) }, now())
    return status
  }

  /** A reply to the card of an ask answers that one, in whatever chat the card is. Null if it is an ordinary message. */
  async function answersCard({ row, message, chat, sender }: Arrived): Promise<Taken | null> {
    if (message.replyTo === null || sender.userId === null) return null
    const post = await postByMessage(read, chat.id, message.replyTo)
    const ask = post?.subject.kind === 'ask' ? await loadAsk(read, post.subject.id as AskId) : undefined
    if (!ask) return null
    const said = answerTo(ask.subject, message.text)
    if (!said && !asksForSecret(ask.subject)) return null
    const actor: Actor = { kind: 'person', userId: sender.userId, scope: 'full' }
    const by = { actor, standing: await loadStanding(read, actor), once: { key: `chat:${row.id}` } }
    const done = said ? await deps.answerAsk(ask.id, said.answer, by) : fail(secretInChat)
    // Somebody who may not even see it is treated like any other sender.
    if (!done.ok && done.fault.kind === 'not_found') return null
    if (!done.ok && done.fault.kind === 'unavailable') throw new Error(done.fault.message)
    // A secret that was typed here anyway is not kept.
    const status = done.ok ? 'done' : said ? 'failed' : 'ignored'
    await settleEvent(write, row.id, { status, error: done.ok ? null : done.fault.message }, now())
    return { status, deliveries: [], ...(!done.ok && { fault: done.fault }) }
  }

  /** A thread that a session opened: its owner answers and steers there. Others are told why they can't. */
  async function ownThread(arrived: Arrived, sessionId: SessionId): Promise<Taken> {
    const { row, message, inlet, sender } = arrived
    const said = sender.userId !== null && { row, message, userId: sender.userId, fetch: inlet.fetchFile }
    const fault = said ? await toOwnThread(deps, said, sessionId) : 'stranger'
    if (fault === 'stranger') {
      await countStranger(arrived, 'unknown_sender_strict', null)
      return ignored(row)
    }
    const status = fault ? 'failed' : 'done'
    await settleEvent(write, row.id, { status, error: fault?.message ?? null }, now())
    return { status, deliveries: [], fault }
  }

  async function take(row: InboxRow, message: IncomingMessage, inlet: Inlet): Promise<Taken> {
    // Agents that answer each other would never stop.
    if (message.sender.isBot) return ignored(row)
    const chat = await chatOf(message, inlet)
    if (!chat) return ignored(row)
    const arrived: Arrived = { row, message, inlet, chat, sender: await senderOf(message, inlet) }
    const answered = await answersCard(arrived)
    if (answered) return answered
    const own = await sessionOfOwnThread(deps, message, chat)
    if (own !== null) return ownThread(arrived, own)
    const wirings = await loadWirings(read, chat.id)
    if (wirings.length === 0) return unwired(arrived)
    const outcomes = await toAll(arrived, wirings)
    return { status: await conclude(row, outcomes), deliveries: outcomes }
  }

  return take
}

const isAddressed = ({ mentionsUs, chat }: IncomingMessage): boolean => mentionsUs || chat.isDirect

/** Not repeated when a message is handled again; a refusal is, if somebody was let in meanwhile. */
const isSettled = ({ outcome }: Delivery, { attempts }: InboxRow): boolean =>
  outcome === 'delivered' || outcome === 'kept' || outcome === 'ignored' || (outcome === 'refused' && attempts > 0)

const broken: Fault = { kind: 'unavailable', code: 'internal_error', message: 'An internal error occurred.' }

const secretInChat: Fault = {
  kind: 'invalid',
  code: 'secret_in_chat',
  message: 'This prompt asks for a secret. Answer it in Signalbox, not in a chat.',
}
