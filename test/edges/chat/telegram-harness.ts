import { randomUUID } from 'node:crypto'
import type { Connection, Content, Incoming, Outgoing } from '../../../src/edges/chat/adapter.ts'
import { telegram as platform } from '../../../src/edges/chat/telegram/platform.ts'
import { systemClock, type Clock } from '../../../src/lib/clock.ts'
import type { Json } from '../../../src/lib/json.ts'
import { openTelegram, type EmulatedTelegram, type TelegramOptions } from '../../support/chats/telegram.ts'
import { until } from '../../support/until.ts'
import { createInbox, createTestLog, type Inbox } from './slack-harness.ts'

export { createTestLog, never } from './slack-harness.ts'

export type TelegramInbox = Inbox & {
  /** The place in the updates that was saved last. */
  cursor(): { offset: number } | null
  /** Commits of this chat wait until the returned function is called. */
  holdChat(chat: string): () => void
}

export function createTelegramInbox(): TelegramInbox {
  const inbox = createInbox()
  let saved: Json | null = null
  const held = new Map<string, Promise<void>>()
  return {
    ...inbox,
    cursor: () => saved as { offset: number } | null,
    holdChat(chat) {
      const { promise, resolve } = Promise.withResolvers<void>()
      held.set(chat, promise)
      return () => {
        held.delete(chat)
        resolve()
      }
    },
    async take(event, cursor) {
      await held.get(event.chat.id)
      await inbox.take(event)
      if (cursor !== undefined) saved = cursor
    },
    async mark(cursor) {
      saved = cursor
    },
  }
}

export type Scene = AsyncDisposable & {
  telegram: EmulatedTelegram
  inbox: TelegramInbox
  connection: Connection
  group: string
  log: ReturnType<typeof createTestLog>
  credentials: Record<string, string>
  /** A second connection to the same bot, after the first or beside it. */
  connect(more?: { inbox?: TelegramInbox; cursor?: Json | null; token?: string }): Connection
}

export type SceneOptions = TelegramOptions & {
  clock?: Clock
  byHttp?: boolean
  connects?: boolean
  credentials?: Record<string, string>
}

/** A bot in a supergroup, and our connection to it. */
export async function openScene({
  clock = systemClock,
  byHttp = false,
  connects = true,
  ...options
}: SceneOptions = {}): Promise<Scene> {
  const telegram = await openTelegram(options)
  const inbox = createTelegramInbox()
  const log = createTestLog()
  const secret = byHttp ? { webhook_secret: 'shh-emulated' } : {}
  const credentials = { bot_token: telegram.token, ...secret, ...options.credentials }
  const instance = { id: randomUUID(), name: 'telegram' }
  const deps = { instance, endpoints: telegram.endpoints, clock, log }
  const connect: Scene['connect'] = ({ inbox: other = inbox, cursor = null, token = telegram.token } = {}) =>
    platform.connect({ ...deps, credentials: { ...credentials, bot_token: token }, receiver: other, cursor })
  const connection = connect()
  if (connects) await until(() => connection.health().state === 'connected', { what: 'a connection' })
  return {
    telegram,
    inbox,
    connection,
    log,
    credentials,
    connect,
    group: telegram.group('ops'),
    async [Symbol.asyncDispose]() {
      await connection[Symbol.asyncDispose]()
      await telegram[Symbol.asyncDispose]()
    },
  }
}

/** The first message of some content, ready to send. */
export function outgoing(chat: string, content: Content | string, more: Partial<Outgoing> = {}): Outgoing {
  const [rendered] = platform.render(typeof content === 'string' ? { kind: 'text', text: content } : content)
  if (!rendered) throw new Error('nothing to send')
  return { key: randomUUID(), chat, thread: null, replyTo: null, rendered, prepared: null, ...more }
}

export const textsOf = (events: readonly Incoming[]): string[] =>
  events.flatMap((event) => (event.kind === 'message' ? [event.text] : []))
