import type { Args } from './telegram-world.ts'
import { Refused } from './telegram-api.ts'

export type TelegramUpdate = { update_id: number; [kind: string]: unknown }
type Waiting = { wake(): void; end(error: Refused): void }

/**
 * Updates, as the Bot API keeps them: an update comes again until one with a higher offset is asked for. Only the newest
 * poll is served. With a webhook they are sent one after another, and again until the answer is 2xx.
 */
export function createUpdates(firstId: number, retryMs: number) {
  let pending: TelegramUpdate[] = []
  let nextId = firstId
  let webhook: { url: string; secret: string | undefined } | null = null
  let waiting: Waiting | null = null
  let sending: Promise<void> = Promise.resolve()
  const allowed = new Set<string>()
  const confirmations = new Map<number, (id: number) => void>()
  let polls = 0
  let isClosed = false
  let hearsAcks = true

  function confirm(update: TelegramUpdate): void {
    pending = pending.filter((one) => one !== update)
    confirmations.get(update.update_id)?.(update.update_id)
  }

  /** The oldest first, and nothing after it until it is accepted. */
  async function sendNext(): Promise<void> {
    const [update] = pending
    if (!update || !webhook || isClosed) return
    const headers = {
      'content-type': 'application/json',
      ...(webhook.secret !== undefined && { 'x-telegram-bot-api-secret-token': webhook.secret }),
    }
    const ok = await fetch(webhook.url, { method: 'POST', headers, body: JSON.stringify(update) }).then(
      (response) => response.ok,
      () => false,
    )
    if (!ok) return void setTimeout(send, retryMs)
    confirm(update)
    await sendNext()
  }
  const send = () => {
    sending = sending.then(sendNext)
  }

  async function getUpdates(args: Args): Promise<TelegramUpdate[]> {
    polls += 1
    if (webhook)
      throw new Refused(
        409,
        "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
      )
    waiting?.end(
      new Refused(
        409,
        'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running',
      ),
    )
    for (const kind of (args['allowed_updates'] as string[] | undefined) ?? []) allowed.add(kind)
    const offset = Number(args['offset'] ?? 0)
    if (hearsAcks) for (const update of pending) if (update.update_id < offset) confirm(update)
    const ready = () => pending.filter((update) => update.update_id >= offset)
    if (ready().length === 0 && Number(args['timeout'] ?? 0) > 0) await wait(Number(args['timeout']) * 1000)
    return ready().slice(0, Number(args['limit'] ?? 100))
  }

  async function wait(ms: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const mine = { wake: resolve, end: reject }
    waiting = mine
    const timer = setTimeout(() => mine.wake(), ms)
    await promise.finally(() => {
      clearTimeout(timer)
      if (waiting === mine) waiting = null
    })
  }

  return {
    getUpdates,
    setWebhook(args: Args): true {
      const { url, secret_token: secret } = args as { url: string; secret_token?: string }
      if (!/^https?:\/\//.test(url)) throw new Refused(400, 'Bad Request: bad webhook: invalid URL')
      webhook = { url, secret }
      for (const kind of (args['allowed_updates'] as string[] | undefined) ?? []) allowed.add(kind)
      send()
      return true
    },
    deleteWebhook(): true {
      webhook = null
      return true
    },
    deliver(update: Record<string, unknown>) {
      const updateId = nextId
      nextId += 1
      const { promise, resolve } = Promise.withResolvers<number>()
      confirmations.set(updateId, resolve)
      // Kinds that nobody asked for are not kept.
      const isWanted = allowed.size === 0 || Object.keys(update).some((kind) => allowed.has(kind))
      if (isWanted) pending.push({ update_id: updateId, ...update })
      else resolve(updateId)
      waiting?.wake()
      if (webhook) send()
      return { updateId, confirmed: promise }
    },
    pending: () => pending,
    /** What a higher offset would confirm stays, until the returned function is called. */
    loseAcknowledgements() {
      hearsAcks = false
      return () => {
        hearsAcks = true
      }
    },
    polls: () => polls,
    webhook: () => webhook,
    /** After a quiet week, ids start again somewhere else. */
    continueAt(id: number): void {
      nextId = id
    },
    /** The time of the open poll is over. */
    endPoll: () => waiting?.wake(),
    /** Whether a poll is open, which then gets the next update at once. */
    isPolled: () => waiting !== null,
    close(): void {
      isClosed = true
      waiting?.wake()
    },
  }
}
