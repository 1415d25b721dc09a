import type { AgentGroup } from '../../../domain/agent-group/schema.ts'
import { loadGroup } from '../../../domain/agent-group/store.ts'
import type { SessionKey } from '../../../domain/chat/session-key.ts'
import {
  dropAgentMessage,
  hopsOf,
  insertAgentMessage,
  lastAgentMessageTo,
  loadAgentMessage,
  sentBetween,
  setAgentMessage,
} from '../../../domain/chat/store-agent-messages.ts'
import { sessionOfKey, type KeyedSession } from '../../../domain/chat/store-sessions.ts'
import { loadDestinations } from '../../../domain/chat/store.ts'
import type { QueueItemId } from '../../../domain/queue/schema.ts'
import { loadQueueItem } from '../../../domain/queue/store.ts'
import type { SessionId } from '../../../domain/session/id.ts'
import { takesSlot } from '../../../domain/session/status.ts'
import { loadSession } from '../../../domain/session/store.ts'
import type { AgentGroupId } from '../../../domain/user/id.ts'
import { loadStanding } from '../../../domain/user/store.ts'
import type { Database } from '../../../db/open.ts'
import { iso, type Clock } from '../../../lib/clock.ts'
import { derivedId } from '../../../lib/derived-id.ts'
import { fail, notFound, ok, type Result } from '../../../lib/result.ts'
import type { App } from '../../app.ts'
import type { Requester } from '../../use-cases/requester.ts'
import type { Sessions } from '../../use-cases/start-session.ts'
import type { SendingSession } from './destinations.ts'
import { rateLimited } from './faults.ts'

/** C6: a message of an agent that reaches another agent's session. Sent again under the same id, it arrives once. */
export type AgentMessages = {
  send(session: SendingSession, to: AgentGroupId, text: string, id: QueueItemId): Promise<Result<void>>
}

export type AgentMessagesDeps = {
  app: Pick<App, 'dispatch'>
  database: Pick<Database, 'read' | 'write' | 'flavor'>
  sessions: Pick<Sessions, 'start' | 'continue'>
  clock: Clock
}

const mostHops = 5
const mostAMinute = 20
const minuteMs = 60_000
const mostStarts = 10
const system = { kind: 'system' as const, name: 'agents' }

type Letter = { session: SendingSession; from: AgentGroup; to: AgentGroup; text: string; id: QueueItemId }

export function createAgentMessages({ app, database, sessions, clock }: AgentMessagesDeps): AgentMessages {
  const { read, write, flavor } = database

  /** Counts the message, or says why it may not be sent. */
  const admit = ({ session, from, to, id }: Letter): Promise<Result<void>> =>
    write.transaction().execute(async (tx) => {
      if (!flavor.oneWriter) await flavor.lock(tx, [`agents:${[from.id, to.id].toSorted().join()}`])
      if (await loadAgentMessage(tx, id)) return ok(undefined)
      const hops = (await hopsOf(tx, session.id)) + 1
      if (hops > mostHops) return fail(tooManyHops)
      const now = clock.now()
      const [first, ...more] = await sentBetween(tx, from.id, to.id, iso(now - minuteMs))
      if (first !== undefined && more.length + 1 >= mostAMinute)
        return rateLimited(Math.max(1, Math.ceil((Date.parse(first) + minuteMs - now) / 1000)))
      const ends = { fromSessionId: session.id, fromGroupId: from.id, toGroupId: to.id, toSessionId: null }
      await insertAgentMessage(tx, { id, ...ends, hops, deliveredAt: null }, iso(now))
      return ok(undefined)
    })

  /** Replies go to the session that wrote; everything else to the one that all chats of the agent group share. */
  async function receiverOf({ session, to }: Letter): Promise<KeyedSession | undefined> {
    const last = await lastAgentMessageTo(read, session.id, to.id)
    const writer = last && (await loadSession(read, last.fromSessionId))
    if (writer && takesSlot(writer.status) && writer.agentGroupId === to.id) return writer
    return sessionOfKey(read, to.id, key)
  }

  async function deliver(letter: Letter): Promise<Result<SessionId>> {
    const { id } = letter
    const queued = await loadQueueItem(read, id)
    if (queued) return ok(queued.sessionId)
    const text = await wordsOf(letter)
    const receiver = await receiverOf(letter)
    if (receiver && takesSlot(receiver.status)) {
      const { id: sessionId } = receiver
      if (startIds(id).includes(sessionId)) return ok(sessionId)
      await setAgentMessage(write, id, { to_session_id: sessionId })
      const item = { type: 'queue.add' as const, id, sessionId, text, when: 'next' as const, waits: true }
      const added = await app.dispatch(item, system)
      return added.ok || added.fault.code === 'queue_item_exists' ? ok(sessionId) : added
    }
    return start(letter, receiver, text)
  }

  async function start(
    { session, to, id }: Letter,
    last: KeyedSession | undefined,
    prompt: string,
  ): Promise<Result<SessionId>> {
    let wanted: SessionId | undefined
    for (const candidate of startIds(id)) {
      const found = await loadSession(read, candidate)
      if (found && found.status !== 'error') return ok(candidate)
      if (!found) {
        wanted = candidate
        break
      }
    }
    if (wanted === undefined) return fail(neverStarted)
    await setAgentMessage(write, id, { to_session_id: wanted })
    const actor = { kind: 'person' as const, userId: session.ownerUserId, scope: 'full' as const }
    const by: Requester = { actor, standing: await loadStanding(read, actor), once: {} }
    if (last && last.ownerUserId === session.ownerUserId && last.status !== 'error') {
      const continued = await sessions.continue(last.id, { id: wanted, prompt }, by)
      if (continued.ok || continued.fault.kind === 'limited') return continued
    }
    return sessions.start(
      {
        id: wanted,
        protocolMode: 'acp',
        prompt,
        mode: 'remote',
        worktree: false,
        metadata: {},
        chat: {
          agentProvider: to.agentProvider,
          agentGroupId: to.id,
          messagingGroupId: null,
          threadId: null,
          channelId: null,
          threadTs: null,
          sessionMode: key.mode,
          sentBy: session.id,
        },
      },
      by,
    )
  }

  /** Says who wrote it, and how to reply. */
  async function wordsOf({ from, to, text }: Letter): Promise<string> {
    const back = (await loadDestinations(read, to.id)).find(
      ({ targetType, targetId }) => targetType === 'agent' && targetId === from.id,
    )
    const name = from.name
      .replaceAll(/[\p{C}\p{Z}]+/gu, ' ')
      .trim()
      .slice(0, 80)
    const reply = back ? `\n\n[Reply with send_message to ${back.localName}.]` : ''
    return `Message from the agent ${name}:\n${text}${reply}`
  }

  return {
    async send(session, toId, text, id) {
      const known = await loadAgentMessage(read, id)
      if (known && known.deliveredAt !== null) return ok(undefined)
      const from = session.agentGroupId === null ? undefined : await loadGroup(read, session.agentGroupId)
      const to = await loadGroup(read, toId)
      if (!from || !to || to.removedAt !== null) return notFound('agent_group', toId)
      const letter = { session, from, to, text, id }
      const admitted = await admit(letter)
      if (!admitted.ok) return admitted
      const delivered = await deliver(letter)
      if (!delivered.ok) {
        await dropAgentMessage(write, id)
        return delivered
      }
      await setAgentMessage(write, id, { delivered_at: iso(clock.now()) })
      return ok(undefined)
    },
  }
}

const key: SessionKey = { mode: 'agent-shared', chatId: null, threadId: null }

/** The session that a message starts has an id made from it; a start that ended in an error gets the next one. */
const startIds = (id: QueueItemId): SessionId[] =>
  Array.from({ length: mostStarts }, (_, n) => derivedId<SessionId>(id, 'session', n))

const tooManyHops = {
  kind: 'limited' as const,
  code: 'too_many_hops',
  message: `This message was already passed on by ${mostHops} agents.`,
  hint: 'Ask your operator what to do next.',
}

const neverStarted = {
  kind: 'unavailable' as const,
  code: 'agent_unavailable',
  message: 'The agent could not be started.',
}
