import * as z from 'zod'
import { backoff } from '../../../lib/backoff.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Json } from '../../../lib/json.ts'
import type { Logger } from '../../../lib/log.ts'
import { createKeyedQueue } from '../../../lib/serial-queue.ts'
import type { Failure, Health, Receiver } from '../adapter.ts'
import type { Received } from '../received.ts'
import { waitUntil } from '../wait-until.ts'
import type { BotApi } from './bot-api.ts'
import { says } from './errors.ts'
import { allowedUpdates, Update } from './frames.ts'

/** How long Telegram keeps a poll open, and how much longer we wait for its answer. */
const pollSeconds = 25
const pollMs = (pollSeconds + 10) * 1000
const mostUpdates = 100
/** What is saved is confirmed before we stop, if that is quick. */
const lastCallMs = 2000
const longestWaitMs = 30_000
/** Telegram keeps updates for a day, so an older cursor confirms nothing. */
const cursorMs = 24 * 3_600_000

// An update without an id cannot be confirmed; the next one that has an id confirms it.
const Updates = z.array(Update.nullable().catch(null))
const Cursor = z.object({ offset: z.int().nonnegative(), bot: z.int(), at: z.number() })

type Deps = {
  botApi: BotApi
  botId: number
  cursor: Json | null
  receiver: Receiver
  clock: Clock
  log: Logger
  receive(update: unknown): Received
  onHealth(state: Health['state'], error: string | null): void
  /** What was written before is saved. */
  onHeard(): void
}

/**
 * Long polling. Telegram sends an update until we ask for a later one, and asking confirms all before it: so the offset
 * is that of the first update that is not saved yet. While one chat is slow, Telegram answers at once with all
 * from there on, so the others are served too.
 */
export function connectPolling(deps: Deps): AsyncDisposable {
  const { botApi, botId, receiver, clock, log, receive, onHealth, onHeard } = deps
  const stop = new AbortController()
  /** Updates of the last answers, oldest first, until Telegram has forgotten them. */
  const held = new Map<number, 'saving' | 'saved'>()
  /** Updates of one chat are saved in the order they came. */
  const lanes = createKeyedQueue()
  let offset = startOf(deps)
  let savedCursor = offset
  let changed = Promise.withResolvers<void>()
  let isFailing = false
  /** Telegram has more updates than it gave us. */
  let isBehind = true

  /** Up to where everything is saved, once `done` is too. */
  function nextOffset(done: number | null): number | null {
    for (const [id, state] of held) if (state === 'saving' && id !== done) return id
    const last = [...held.keys()].at(-1)
    return last === undefined ? offset : last + 1
  }
  const cursorOf = (at: number): Json => ({ offset: at, bot: botId, at: clock.now() }) satisfies z.infer<typeof Cursor>
  const isSaving = () => [...held.values()].includes('saving')

  function accept(update: Update): void {
    const id = update.update_id
    if (held.has(id)) return
    const received = receive(update)
    if (received.kind === 'malformed') log.warn({ why: received.why }, 'Telegram sent an update in an unknown format')
    held.set(id, received.kind === 'take' ? 'saving' : 'saved')
    if (received.kind === 'take') void lanes.run(received.event.chat.id, () => save(id, received))
  }

  /** Tries until it is saved, because what comes after it in the same chat must wait. */
  async function save(id: number, { event }: Extract<Received, { kind: 'take' }>): Promise<void> {
    for (let failures = 1; !stop.signal.aborted; failures += 1) {
      try {
        const at = nextOffset(id) ?? id + 1
        await receiver.take(event, cursorOf(at))
        savedCursor = at
        held.set(id, 'saved')
        if (isFailing) onHealth('connected', null)
        isFailing = false
        break
      } catch (error) {
        log.error({ key: event.key, error: String(error) }, 'not saved, so not confirmed')
        isFailing = true
        onHealth('connected', "Messages can't be saved. Trying again.")
        await waitUntil(clock, clock.now() + backoff(failures, 250, longestWaitMs), stop.signal)
      }
    }
    changed.resolve()
  }

  /** A webhook would keep all updates from us. The first poll is short, to know that polling works. */
  async function open(): Promise<Failure | null> {
    const deleted = await botApi.call('deleteWebhook', { drop_pending_updates: false }, z.boolean(), stop.signal)
    return deleted.kind === 'answered' ? poll(0) : deleted
  }

  const getUpdates = (timeout: number, signal: AbortSignal, mostMs: number) => {
    const args = { ...(offset !== null && { offset }), limit: mostUpdates, timeout, allowed_updates: allowedUpdates }
    return botApi.call('getUpdates', args, Updates, signal, mostMs)
  }

  async function poll(timeout: number): Promise<Failure | null> {
    const confirmed = offset ?? 0
    const answer = await getUpdates(timeout, stop.signal, pollMs)
    if (answer.kind !== 'answered') return answer
    for (const id of held.keys()) if (id < confirmed) held.delete(id)
    // Without an offset Telegram begins where we left off. After a quiet week its ids start again, perhaps below it.
    if (held.size === 0) offset = null
    if (stop.signal.aborted) return null
    for (const update of answer.value) if (update) accept(update)
    isBehind = answer.value.length === mostUpdates
    return null
  }

  async function serve(): Promise<void> {
    let isOpen = false
    let hasRival = false
    for (let failures = 0, slow = 0; !stop.signal.aborted;) {
      const wasOpen = isOpen
      const failure: Failure | null = isOpen ? await poll(pollSeconds) : await open()
      if (stop.signal.aborted) return
      isOpen = failure === null
      if (failure) {
        if (failure.kind === 'refused') return onHealth('refused', failure.error)
        failures += 1
        hasRival = says(failure, ' 409 ')
        onHealth('reconnecting', hasRival ? rivalOf(failure) : failure.error)
        log.warn({ error: failure.error, failures }, 'no updates from Telegram')
        const ms = failure.kind === 'rate_limited' ? failure.retryAfterMs : backoff(failures, 500, longestWaitMs)
        await waitUntil(clock, clock.now() + ms, stop.signal)
        continue
      }
      // A short poll succeeds beside another program too.
      if (wasOpen) [failures, hasRival] = [0, false]
      if (!hasRival && !isFailing) onHealth('connected', null)
      slow = isSaving() ? slow + 1 : 0
      if (slow > 0) await someSaved(backoff(slow, 100, 2000))
      await confirmSaved()
      if (!isBehind && !isSaving()) onHeard()
    }
  }

  async function someSaved(mostMs: number): Promise<void> {
    const waiting = new AbortController()
    const signal = AbortSignal.any([waiting.signal, stop.signal])
    await Promise.race([changed.promise, waitUntil(clock, clock.now() + mostMs, signal)])
    waiting.abort()
    changed = Promise.withResolvers()
  }

  async function confirmSaved(): Promise<void> {
    offset = nextOffset(null)
    if (offset === null || offset === savedCursor || isSaving()) return
    savedCursor = offset
    await receiver.mark?.(cursorOf(offset)).catch((error: unknown) => {
      log.warn({ error: String(error) }, 'the position in the updates was not saved')
    })
  }

  const served = serve().catch((error: unknown) => {
    log.error({ error: String(error) }, 'receiving from Telegram failed')
    onHealth('reconnecting', 'Receiving from Telegram failed. The reason is in the log.')
  })

  return {
    async [Symbol.asyncDispose]() {
      stop.abort()
      await served
      await lanes.allIdle()
      offset = nextOffset(null)
      // What comes with the answer is not confirmed, and comes again.
      if (offset !== null) await getUpdates(0, new AbortController().signal, lastCallMs)
    },
  }
}

/** A cursor of another bot, or an old one, would make Telegram forget updates that we never saw. */
function startOf({ cursor, botId, clock }: Deps): number | null {
  const known = Cursor.safeParse(cursor)
  if (!known.success || known.data.bot !== botId || clock.now() - known.data.at > cursorMs) return null
  return known.data.offset
}

/** Telegram answers with 409 to all but the newest poll, and to every poll while there is a webhook. */
const rivalOf = (failure: Failure): string =>
  says(failure, 'webhook')
    ? 'Another program has set a webhook for this bot. It is removed at the next attempt.'
    : 'Another program receives the messages of this bot. Stop it, or give this account a bot of its own.'
