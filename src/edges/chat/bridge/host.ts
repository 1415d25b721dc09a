import { AsyncLocalStorage } from 'node:async_hooks'
import { createKeyedQueue } from '../../../lib/serial-queue.ts'
import { anyJson, isRecord, jsonOrNull } from '../../../lib/parse-json.ts'
import type { Incoming } from '../adapter.ts'
import type { HostCalls, HostOptions, Place, Post, ServerCalls } from './calls.ts'
import { createHider } from './hide-secrets.ts'
import { createIds, type Ids } from './ids.ts'
import { createIncoming } from './incoming.ts'
import { loadAdapter } from './load-adapter.ts'
import { errorData, type Rpc } from './rpc.ts'
import type { SdkAdapter, SdkAttachment, SdkClick, SdkCommand, SdkMessage, SdkPost } from './sdk.ts'

const commitMs = 30_000
const stateMs = 20_000

/** What one request of the platform started, and which keys it took so that it counts once. */
type Started = { readonly tasks: Promise<unknown>[]; readonly claims: string[] }

const stateMethods = [
  'connect',
  'disconnect',
  'get',
  'set',
  'setIfNotExists',
  'delete',
  'subscribe',
  'unsubscribe',
  'isSubscribed',
  'acquireLock',
  'extendLock',
  'releaseLock',
  'forceReleaseLock',
  'appendToList',
  'getList',
  'enqueue',
  'dequeue',
  'queueDepth',
] as const

/**
 * Holds one adapter, in a thread of its own. The library's own host acknowledges before the work is done and drops
 * messages; this one hands every event over, and lets the adapter wait for the commit.
 */
export function createHost(options: HostOptions, server: () => Rpc<ServerCalls>): HostCalls {
  const requests = new AsyncLocalStorage<Started>()
  const lanes = createKeyedQueue()
  let opened: { adapter: SdkAdapter; ids: Ids; incoming: ReturnType<typeof createIncoming> } | undefined
  let trouble: string | null = null
  const hide = createHider(options.config)

  const log = (level: 'warn' | 'error') => (message: unknown, data?: unknown) => {
    const detail = isRecord(data) && 'error' in data ? data['error'] : data instanceof Error ? data.message : undefined
    const shown = (text: string) => hide(text).slice(0, 500)
    const error = detail === undefined ? null : shown(errorData(detail).message)
    const text = shown(String(message))
    trouble = error === null ? text : `${text}: ${error}`
    void server()
      .call('log', [level, text, error], stateMs)
      .catch(() => {})
  }
  const logger = { debug() {}, info() {}, warn: log('warn'), error: log('error'), child: () => logger }

  const state = Object.fromEntries(
    stateMethods.map((method) => [
      method,
      async (...args: readonly unknown[]) => {
        const result = await server().call('state', [method, plain(args)], stateMs)
        if (method === 'setIfNotExists' && result === true) requests.getStore()?.claims.push(String(args[0]))
        return result
      },
    ]),
  ) as Record<(typeof stateMethods)[number], (...args: readonly unknown[]) => Promise<unknown>>

  function adapterOf(): NonNullable<typeof opened> {
    if (!opened) throw new Error('the adapter is not loaded')
    return opened
  }

  /** Events of one chat are committed in the order in which they came. The adapter waits until then. */
  function hand(threadId: string, read: () => Promise<Incoming | null>): Promise<void> {
    const { adapter } = adapterOf()
    const task = lanes.run(adapter.channelIdFromThreadId?.(threadId) ?? threadId, async () => {
      const event = await read()
      if (event) await server().call('take', [event], commitMs)
    })
    requests.getStore()?.tasks.push(task)
    // An adapter that does not wait must not end the thread; one that does still gets the error.
    task.catch(() => {})
    return task
  }

  const none = () => {}
  const later = async <T>(value: T | (() => Promise<T>)): Promise<T> =>
    typeof value === 'function' ? (value as () => Promise<T>)() : value
  const message = (threadId: string, said: SdkMessage | (() => Promise<SdkMessage>)) =>
    hand(threadId, async () => adapterOf().incoming.message(threadId, await later(said)))
  const chat = {
    getState: () => state,
    getLogger: () => logger,
    getUserName: () => 'signalbox',
    abortTurn: async () => {},
    history: undefined,
    transcripts: undefined,
    processMessage: (_adapter: unknown, threadId: string, said: SdkMessage) => message(threadId, said),
    handleIncomingMessage: (_adapter: unknown, threadId: string, said: SdkMessage) => message(threadId, said),
    processAction: (click: SdkClick) => hand(click.threadId, () => adapterOf().incoming.click(click)),
    processSlashCommand: (event: SdkCommand) => hand(event.channelId, () => adapterOf().incoming.command(event)),
    processMessageUpdated: async () => {},
    processMessageDeleted: async () => {},
    processReaction: async () => {},
    processModalSubmit: async () => undefined,
    processOptionsLoad: async () => [],
    processModalClose: none,
    processAgentSessionStopped: none,
    processAgentSessionTitleChanged: none,
    processAppContextChanged: none,
    processAppHomeOpened: none,
    processAssistantContextChanged: none,
    processAssistantThreadStarted: none,
    processInstalled: none,
    processMemberJoinedChannel: none,
    processUninstalled: none,
  }

  const threadOf = ({ chat: id, thread }: Place): Promise<string> => adapterOf().ids.toAdapter(thread ?? id)

  return {
    async open() {
      const adapter = await loadAdapter(options, logger)
      const ids = createIds(adapter.name, {
        get: (key) => state.get(key),
        set: async (key, value) => void (await state.set(key, value)),
      })
      opened = { adapter, ids, incoming: createIncoming(adapter, ids, options.idPrefix) }
      return { userName: adapter.userName ?? adapter.name, userId: adapter.botUserId ?? null }
    },
    async listen() {
      const { adapter } = adapterOf()
      trouble = null
      await adapter.initialize(chat)
      // Some adapters only warn if the token is wrong, and continue.
      return { knowsItself: !('botUserId' in adapter) || adapter.botUserId !== undefined, trouble }
    },
    async post(place, post) {
      const { adapter, ids } = adapterOf()
      return ids.shorten(String((await adapter.postMessage(await threadOf(place), postOf(post))).id))
    },
    async edit(place, messageId, post) {
      const { adapter, ids } = adapterOf()
      await adapter.editMessage(await threadOf(place), await ids.lengthen(messageId), postOf(post))
    },
    async react(place, messageId, emoji) {
      const { adapter, ids } = adapterOf()
      await adapter.addReaction(await threadOf(place), await ids.lengthen(messageId), emoji)
    },
    async postPrivately(place, handle, post) {
      const { adapter, ids } = adapterOf()
      if (!adapter.postEphemeral) return null
      const posted = await adapter.postEphemeral(await threadOf(place), await ids.lengthen(handle), postOf(post))
      return posted === null ? null : ids.shorten(String(posted.id))
    },
    async openDirect(handle) {
      const { adapter, ids } = adapterOf()
      return adapter.openDM ? ids.fromAdapter(await adapter.openDM(await ids.lengthen(handle))) : null
    },
    async nameOfPerson(handle) {
      const { adapter, ids } = adapterOf()
      const user = await adapter.getUser?.(await ids.lengthen(handle))
      return user?.fullName || user?.userName || null
    },
    async nameOfChat(id) {
      const { adapter, ids } = adapterOf()
      return (await adapter.fetchChannelInfo?.(await ids.toAdapter(id)))?.name ?? null
    },
    async fetchFile(ref) {
      const { adapter } = adapterOf()
      const attachment = jsonOrNull(ref, isRecord) as SdkAttachment | null
      const file = attachment && (adapter.rehydrateAttachment?.(attachment) ?? attachment)
      if (!file?.fetchData) return null
      const bytes = await file.fetchData()
      return bytes instanceof ArrayBuffer ? new Uint8Array(bytes) : bytes
    },
    async webhook({ method, headers, query, body }) {
      const { adapter } = adapterOf()
      const started: Started = { tasks: [], claims: [] }
      const waitUntil = (task: Promise<unknown>): void => {
        started.tasks.push(task)
        task.catch(() => {})
      }
      const hasBody = method !== 'GET' && method !== 'HEAD'
      const url = `http://localhost/${query === '' ? '' : `?${query}`}`
      const sent = new Request(url, { method, headers, ...(hasBody && { body: Buffer.from(body) }) })
      const response = await requests.run(started, () => adapter.handleWebhook(sent, { waitUntil }))
      const done = await Promise.allSettled(started.tasks)
      if (done.some(({ status }) => status === 'rejected')) {
        // The platform sends it again, and then it must not be taken for a second delivery.
        for (const key of started.claims) await state.delete(key)
        return { status: 503, body: 'try again', contentType: 'text/plain' }
      }
      const contentType = response.headers.get('content-type') ?? 'text/plain'
      return { status: response.status, body: await response.text(), contentType }
    },
    async close() {
      await opened?.adapter.disconnect?.()
    },
  }
}

/** Values that cross between threads and end as JSON: without functions and classes. */
const plain = (args: readonly unknown[]): unknown[] =>
  args.map((arg) => (arg === undefined ? undefined : jsonOrNull(JSON.stringify(arg), anyJson)))

function postOf({ markdown, buttons, file }: Post): SdkPost {
  if (file) return { markdown, files: [{ data: Buffer.from(file.bytes), filename: file.name }] }
  if (buttons.length === 0) return { markdown }
  const actions = buttons.map(({ action: id, label, style }) => ({
    type: 'button',
    id,
    label,
    ...(style !== 'plain' && { style }),
  }))
  const card = {
    type: 'card',
    children: [
      { type: 'text', content: markdown },
      { type: 'actions', children: actions },
    ],
  }
  return { card, fallbackText: markdown }
}
