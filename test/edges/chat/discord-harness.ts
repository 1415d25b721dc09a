import { randomUUID } from 'node:crypto'
import type { Connection, Content, Outgoing } from '../../../src/edges/chat/adapter.ts'
import { discord as platform } from '../../../src/edges/chat/discord/platform.ts'
import { systemClock, type Clock } from '../../../src/lib/clock.ts'
import type { Json } from '../../../src/lib/json.ts'
import { openDiscord, type DiscordOptions, type EmulatedDiscord } from '../../support/chats/discord.ts'
import { until } from '../../support/until.ts'
import { createInbox, createTestLog, type Inbox } from './slack-harness.ts'

export { never } from './slack-harness.ts'

export type Cursor = { session_id: string; seq: number; resume_gateway_url: string }

/** An inbox that keeps the cursor with the events, as the database would. */
export type DiscordInbox = Inbox & {
  cursor(): Cursor | null
  /** How often a cursor was saved without an event. */
  marks(): number
}

export function createDiscordInbox(): DiscordInbox {
  const inbox = createInbox()
  let cursor: Cursor | null = null
  let marks = 0
  return {
    ...inbox,
    async take(event, moved) {
      await inbox.take(event)
      cursor = moved as Cursor
    },
    async mark(moved: Json) {
      marks += 1
      cursor = moved as Cursor
    },
    cursor: () => cursor,
    marks: () => marks,
  }
}

export type Scene = AsyncDisposable & {
  discord: EmulatedDiscord
  inbox: DiscordInbox
  connection: Connection
  channel: string
  log: ReturnType<typeof createTestLog>
  credentials: Record<string, string>
}

export type SceneOptions = DiscordOptions & { clock?: Clock; connects?: boolean }

/** A server with a channel, and our connection to it. */
export async function openScene({
  clock = systemClock,
  connects = true,
  ...options
}: SceneOptions = {}): Promise<Scene> {
  const discord = await openDiscord(options)
  const channel = discord.channel('ops')
  const inbox = createDiscordInbox()
  const log = createTestLog()
  const credentials = { bot_token: discord.token, public_key: discord.publicKey }
  const connection = connectAgain({ discord, inbox, log, credentials }, { clock })
  if (connects) await connected(connection)
  return {
    discord,
    inbox,
    connection,
    log,
    credentials,
    channel,
    async [Symbol.asyncDispose]() {
      await connection[Symbol.asyncDispose]()
      await discord[Symbol.asyncDispose]()
    },
  }
}

/** Another connection, as after a restart. */
export function connectAgain(
  { discord, inbox, log, credentials }: Pick<Scene, 'discord' | 'inbox' | 'log' | 'credentials'>,
  { clock = systemClock, cursor = null }: { clock?: Clock; cursor?: Cursor | null } = {},
): Connection {
  const instance = { id: randomUUID(), name: 'discord' }
  const deps = { instance, credentials, endpoints: discord.endpoints, receiver: inbox, clock, log }
  return platform.connect({ ...deps, cursor })
}

export const connected = (connection: Connection): Promise<boolean> =>
  until(() => connection.health().state === 'connected', { what: 'a connection' })

/** The first message of some content, ready to send. */
export function outgoing(chat: string, content: Content | string, more: Partial<Outgoing> = {}): Outgoing {
  const [rendered] = platform.render(typeof content === 'string' ? { kind: 'text', text: content } : content)
  if (!rendered) throw new Error('nothing to send')
  return { key: randomUUID(), chat, thread: null, replyTo: null, rendered, prepared: null, ...more }
}

export async function sent({ connection }: Scene, message: Outgoing): Promise<string> {
  const result = await connection.send(message, new AbortController().signal)
  if (result.kind !== 'sent') throw new Error(result.error)
  return result.messageId
}
