import { randomUUID } from 'node:crypto'
import type { Connection, Content, Incoming, Outgoing, Receiver } from '../../../src/edges/chat/adapter.ts'
import { slack as platform } from '../../../src/edges/chat/slack/platform.ts'
import { systemClock, type Clock } from '../../../src/lib/clock.ts'
import type { LogFields, Logger } from '../../../src/lib/log.ts'
import { openSlack, type EmulatedSlack, type SlackOptions } from '../../support/chats/slack.ts'
import { until } from '../../support/until.ts'

export const never = new AbortController().signal

export type Inbox = Receiver & {
  /** Each event once, in the order of its commit. */
  readonly events: Incoming[]
  /** Every delivery, also of duplicates and of those that failed. */
  readonly deliveries: string[]
  /** The next commits fail. */
  failNext(times: number): void
  /** Commits wait until the returned function is called. */
  hold(): () => void
  first<K extends Incoming['kind']>(kind: K): Promise<Extract<Incoming, { kind: K }>>
}

/** Commits in memory, as the database would. */
export function createInbox(): Inbox {
  const events: Incoming[] = []
  const deliveries: string[] = []
  let failures = 0
  let held = Promise.resolve()
  return {
    events,
    deliveries,
    failNext(times) {
      failures = times
    },
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>()
      held = promise
      return resolve
    },
    async take(event) {
      deliveries.push(event.key)
      await held
      if (failures > 0) {
        failures -= 1
        throw new Error('the disk is full')
      }
      if (!events.some(({ key }) => key === event.key)) events.push(event)
    },
    first: (kind) => until(() => events.find((event) => event.kind === kind), { what: `a ${kind}` }) as Promise<never>,
  }
}

/** Keeps what was logged, so that a test sees what is not done silently. */
export function createTestLog(): Logger & { readonly lines: { message: string; fields: LogFields }[] } {
  const lines: { message: string; fields: LogFields }[] = []
  const write = (fields: LogFields, message: string) => void lines.push({ message, fields })
  const log = { lines, debug: write, info: write, warn: write, error: write, child: () => log }
  return log
}

export type Scene = AsyncDisposable & {
  slack: EmulatedSlack
  inbox: Inbox
  connection: Connection
  channel: string
  log: ReturnType<typeof createTestLog>
  credentials: Record<string, string>
}

export type SceneOptions = SlackOptions & { clock?: Clock; byHttp?: boolean; connects?: boolean }

/** A workspace with a channel, and our connection to it. */
export async function openScene({
  clock = systemClock,
  byHttp = false,
  ...options
}: SceneOptions = {}): Promise<Scene> {
  const slack = await openSlack(options)
  const inbox = createInbox()
  const log = createTestLog()
  const secret = byHttp ? { signing_secret: slack.tokens.signingSecret } : { app_token: slack.tokens.app }
  const credentials = { bot_token: slack.tokens.bot, ...secret }
  const instance = { id: randomUUID(), name: 'slack' }
  const deps = { instance, credentials, endpoints: slack.endpoints, receiver: inbox, clock, log }
  const connection = platform.connect({ ...deps, cursor: null })
  if (options.connects ?? true) await until(() => connection.health().state === 'connected', { what: 'a connection' })
  return {
    slack,
    inbox,
    connection,
    log,
    credentials,
    channel: slack.channel('ops'),
    async [Symbol.asyncDispose]() {
      await connection[Symbol.asyncDispose]()
      await slack[Symbol.asyncDispose]()
    },
  }
}

/** The first message of some content, ready to send. */
export function outgoing(chat: string, content: Content | string, more: Partial<Outgoing> = {}): Outgoing {
  const [rendered] = platform.render(typeof content === 'string' ? { kind: 'text', text: content } : content)
  if (!rendered) throw new Error('nothing to send')
  return { key: randomUUID(), chat, thread: null, replyTo: null, rendered, prepared: null, ...more }
}
