import type { AskId } from '../../domain/ask/id.ts'
import { ChatCommand, type Chat, type StrangerReason } from '../../domain/chat/schema.ts'
import type { IncomingMessage } from '../../domain/chat/incoming.ts'
import type { InboxRow } from '../../domain/chat/records.ts'
import { answeredHolds, countHeld, dropHeld, holdEvent, releaseHeld } from '../../domain/chat/store-holds.ts'
import {
  askOfKnock,
  countWaiting,
  forgetStranger,
  knockOfAsk,
  setAskOfKnock,
  whoseChatsWait,
  type Knock,
} from '../../domain/chat/store-knocks.ts'
import { listGroups, loadGroup } from '../../domain/agent-group/store.ts'
import { loadChat, strangerName } from '../../domain/chat/store.ts'
import { groupMeant } from '../../domain/ask/new-chat.ts'
import { NewAsk } from '../../domain/ask/schema.ts'
import { loadAsk, type LoadedAsk } from '../../domain/ask/store.ts'
import type { MessagingGroupId } from '../../domain/chat/id.ts'
import type { Actor } from '../../domain/user/actor.ts'
import type { AgentGroupId, UserId } from '../../domain/user/id.ts'
import { approversOf } from '../../domain/user/query.ts'
import { holderOf } from '../../domain/user/store.ts'
import type { Database } from '../../db/open.ts'
import { iso, type Clock } from '../../lib/clock.ts'
import { newId } from '../../lib/id.ts'
import type { Logger } from '../../lib/log.ts'
import type { App } from '../app.ts'

/** Strangers and new chats wait for an admin; meanwhile their messages are held. */
export type Knocks = {
  /** Holds the message of an unknown sender until someone answers, or says why not. */
  sender(row: InboxRow, message: IncomingMessage, chat: Chat, agentGroupId: AgentGroupId): Promise<Knocked>
  /** The same for a chat in which no agent group listens. */
  chat(row: InboxRow, message: IncomingMessage, chat: Chat): Promise<Knocked>
  /** Lets in or drops what waited for this ask. Repeating it changes nothing. */
  settle(id: AskId): Promise<void>
  /** Settles asks that were answered while nobody was listening. */
  settleAnswered(): Promise<void>
  /** The person with this identity; made if there is none. */
  person(identity: string, name: string | null): Promise<UserId | null>
}

export type Knocked =
  | { readonly kind: 'held'; readonly askId: AskId }
  | { readonly kind: 'refused'; readonly reason: StrangerReason }

type Deps = {
  app: Pick<App, 'dispatch'>
  database: Pick<Database, 'read' | 'write'>
  clock: Clock
  log: Logger
}

const system: Actor = { kind: 'system', name: 'chat' }
const weekSeconds = 7 * 24 * 3600
/** More messages than this are not held for one ask. */
const mostHeld = 100
const mostAnswerers = 100
/** Asks that are open at a time: accounts and groups of a platform cost nothing, the attention of admins does. */
const mostWaiting = 20
const mostChatsWaiting = 20
const mostChatsOfOne = 3
/** To choose from; the others are wired with `chats wire`. */
const mostGroups = 20

const refused = (reason: StrangerReason): Knocked => ({ kind: 'refused', reason })

export function createKnocks({ app, database, clock, log }: Deps): Knocks {
  const { read, write } = database
  const now = () => iso(clock.now())

  /** Opens the ask, unless one is open or was rejected. */
  async function open(
    knock: Knock,
    row: InboxRow,
    ask: Pick<NewAsk, 'title' | 'description' | 'subject'>,
  ): Promise<Knocked> {
    const known = await askOfKnock(read, knock)
    const last = known === undefined ? undefined : await loadAsk(read, known)
    if (last && isRejected(last)) return refused('unknown_sender_rejected')
    const isOpen = last?.status === 'open'
    if (!isOpen) {
      const groups = ask.subject.kind === 'new_chat' ? (ask.subject.groups ?? []) : []
      const approvers = await approversOfAny([knock.agentGroupId, ...groups.map(({ id }) => id as AgentGroupId)])
      if (approvers.length === 0) return refused('unknown_sender_strict')
      if (await isCrowded(knock, ask.subject)) return refused('too_many_held')
      // An id that was stored before a crash is used again.
      const wanted = known !== undefined && !last ? known : newId<AskId>()
      const id = wanted === known ? known : await setAskOfKnock(write, knock, wanted, known, now())
      const opened = await app.dispatch(
        {
          type: 'ask.open',
          ask: NewAsk.parse({
            id,
            sessionId: null,
            origin: 'chat',
            answerers: approvers,
            timeoutSeconds: weekSeconds,
            ...ask,
          }),
        },
        system,
      )
      if (!opened.ok && opened.fault.code !== 'ask_exists') throw new Error(opened.fault.message)
    }
    const id = (await askOfKnock(read, knock)) as AskId
    if ((await countHeld(read, id)) >= mostHeld) return refused('too_many_held')
    await holdEvent(write, row.id, id)
    // It may have been answered before the message was held.
    if ((await loadAsk(read, id))?.status !== 'open') await settle(id)
    return { kind: 'held', askId: id }
  }

  /** Admins of one of these groups come before admins of all. */
  async function approversOfAny(groups: readonly AgentGroupId[]): Promise<UserId[]> {
    const found = await Promise.all([...new Set(groups)].map((id) => approversOf(read, id)))
    return [...new Set(found.flat())].slice(0, mostAnswerers)
  }

  async function isCrowded({ chatId, identity }: Knock, subject: NewAsk['subject']): Promise<boolean> {
    if (identity !== null) return (await countWaiting(read, chatId)) >= mostWaiting
    const waiting = await whoseChatsWait(read)
    const by = subject.kind === 'new_chat' ? subject.identity : undefined
    return waiting.length >= mostChatsWaiting || waiting.filter((one) => one === by).length >= mostChatsOfOne
  }

  async function settle(id: AskId): Promise<void> {
    const [ask, knock] = [await loadAsk(read, id), await knockOfAsk(read, id)]
    if (ask?.status === 'open') return
    const approved = ask?.answer?.outcome === 'approve'
    if (ask && knock && approved) {
      const by = answererOf(ask)
      if (await letIn(ask, chosen(ask, knock), by)) return releaseHeld(write, id, now())
      log.warn({ ask: id }, 'an approved sender or chat could not be let in')
    }
    if (ask && knock && knock.identity === null && isRejected(ask))
      await app.dispatch({ type: 'chat.deny', id: knock.chatId }, system)
    await dropHeld(write, id, now())
  }

  /** False if it was refused, because the answerer lost their role for example. */
  async function letIn({ subject }: LoadedAsk, { chatId, identity, agentGroupId }: Knock, by: Actor): Promise<boolean> {
    if (identity !== null) return admit(chatId, identity, agentGroupId, by)
    const chat = await loadChat(read, chatId)
    if (!chat) return false
    const added = await app.dispatch(
      ChatCommand.parse({
        type: 'wiring.add',
        id: newId(),
        chatId,
        agentGroupId,
        // Someone who writes to us alone means us; in a group one has to say so.
        ...(chat.isGroup ? { engageMode: 'mention-sticky' } : { engageMode: 'pattern', engagePattern: '.' }),
      }),
      by,
    )
    if (!added.ok && added.fault.code !== 'wiring_exists') return false
    const first = subject.kind === 'new_chat' ? subject.identity : undefined
    return first === undefined || admit(chatId, first, agentGroupId, by)
  }

  async function admit(
    chatId: MessagingGroupId,
    identity: string,
    agentGroupId: AgentGroupId,
    by: Actor,
  ): Promise<boolean> {
    const userId = await person(identity, await strangerName(read, identity))
    if (userId === null) return false
    if (!(await app.dispatch({ type: 'member.add', userId, agentGroupId }, by)).ok) return false
    await forgetStranger(write, chatId, identity)
    return true
  }

  async function person(identity: string, name: string | null): Promise<UserId | null> {
    const known = await holderOf(read, [identity])
    if (known !== null) return known
    const displayName =
      (name ?? '')
        .replaceAll(/[\p{C}\p{Z}]+/gu, ' ')
        .trim()
        .slice(0, 200) || identity
    const created = await app.dispatch(
      { type: 'user.create', id: newId(), displayName, identities: [identity] },
      system,
    )
    return created.ok ? (created.value.subject as UserId) : holderOf(read, [identity])
  }

  return {
    async sender(row, message, chat, agentGroupId) {
      const group = (await loadGroup(read, agentGroupId))?.name ?? 'an agent group'
      const place = chat.isGroup ? ` in ${chat.name ?? chat.platformId}` : ''
      return open({ chatId: chat.id, identity: message.sender.identity, agentGroupId }, row, {
        title: `Let ${nameOf(message)} write to ${group}${place}?`,
        description: `Approving makes this person a member of ${group}, and delivers what they wrote.`,
        subject: {
          kind: 'unknown_sender',
          identity: message.sender.identity,
          chat: chat.name ?? chat.platformId,
          messageId: message.messageId,
          agentGroupId,
        },
      })
    },
    async chat(row, message, chat) {
      const groups = await listGroups(read)
      const [group, ...others] = groups
      if (!group) return refused('no_agent_wired')
      const name = chat.name ?? chat.platformId
      return open({ chatId: chat.id, identity: null, agentGroupId: group.id }, row, {
        title:
          others.length === 0 ? `Let ${group.name} listen in ${name}?` : `Which agent group should listen in ${name}?`,
        description: `${whoWrote(message)} wrote there. Approving also lets this person write to the agent group, and delivers what they wrote.`,
        subject: {
          kind: 'new_chat',
          chat: chat.platformId,
          name: chat.name,
          agentGroupId: group.id,
          identity: message.sender.identity,
          ...(others.length > 0 && {
            groups: groups.slice(0, mostGroups).map(({ id, name: title }) => ({ id, name: title })),
          }),
        },
      })
    },
    settle,
    async settleAnswered() {
      for (const id of await answeredHolds(read)) await settle(id)
    },
    person,
  }
}

/** Names are what people call themselves, so the account is shown, too. */
const whoWrote = (message: IncomingMessage): string => {
  const [name, { identity }] = [nameOf(message), message.sender]
  return name === identity ? identity : `${name} (${identity})`
}

const nameOf = ({ sender }: IncomingMessage): string =>
  (sender.name ?? '')
    .replaceAll(/[\p{C}\p{Z}]+/gu, ' ')
    .trim()
    .slice(0, 80) || sender.identity

/** The agent group that was approved. */
function chosen({ subject, answer }: LoadedAsk, knock: Knock): Knock {
  const agentGroupId = subject.kind === 'new_chat' && answer ? groupMeant(subject, answer) : undefined
  return agentGroupId === undefined ? knock : { ...knock, agentGroupId }
}

const isRejected = ({ answer }: LoadedAsk): boolean => answer?.outcome === 'reject'

/** The person who answered acts; an automatic rule acts as Signalbox. */
function answererOf({ answeredBy }: LoadedAsk): Actor {
  const userId = answeredBy?.startsWith('user:') ? (answeredBy.slice('user:'.length) as UserId) : null
  return userId === null ? system : { kind: 'person', userId, scope: 'full' }
}
