import * as z from 'zod'
import type { Clock } from '../../../lib/clock.ts'
import { jsonOrNull } from '../../../lib/parse-json.ts'
import { withTimeLimit } from '../../../lib/time-limit.ts'
import type { Failure, Found, Outgoing, Search } from '../adapter.ts'
import { harmless } from '../http-call.ts'
import { waitUntil } from '../wait-until.ts'
import type { BotApi } from './bot-api.ts'
import { says } from './errors.ts'
import { Chat } from './frames.ts'
import { messageKey } from './receive.ts'
import { asHtml, FileBody, MessageBody } from './send.ts'

/** A message may not be editable for a moment after it was accepted. */
const settleMs = 2000
/** What people wrote meanwhile comes first, so that their messages need no call. */
const hearMs = 10_000
/** Each unknown id is a call, and a group takes about twenty of them in a minute. */
const mostProbes = 30
const mostProbesInAll = 90
/** Deleted messages leave gaps in the ids. */
const mostMissing = 3
/** Ids that are compared with what is stored, at once. */
const block = 200

const Edited = z.looseObject({ document: z.looseObject({ file_name: z.string().optional() }).optional() })

/** Where a search stopped: no id up to `id` is the message; `probes` calls were made so far. */
const Progress = z.object({ id: z.int(), probes: z.int() })
type Progress = z.infer<typeof Progress>

type Deps = {
  botApi: BotApi
  clock: Clock
  /** Resolves when what was written before we were connected is stored. */
  heard(): Promise<void>
}

/**
 * Bots have no history. In a supergroup ids count up, so the ids after the last known message are edited to the very
 * text that may have arrived. If it is there, nothing changes. Other people's messages cannot be edited; those that are
 * stored here are passed over. A message of ours that is not known would be overwritten, so only one message at a time
 * is sent to a chat.
 */
export function createFind({ botApi, clock, heard }: Deps) {
  type Probe = 'found' | 'other' | 'missing' | Failure

  async function probe(message: Outgoing, messageId: number, stop: AbortSignal): Promise<Probe> {
    const { rendered } = message
    const place = { chat_id: message.chat, message_id: messageId }
    const text = MessageBody.safeParse(rendered.body)
    const file = FileBody.safeParse(rendered.body)
    const isText = !rendered.file && text.success
    const args = isText
      ? { ...place, ...asHtml(text.data.text), reply_markup: { inline_keyboard: text.data.keyboard } }
      : { ...place, caption: file.data?.caption ?? '', parse_mode: 'HTML' }
    const edited = await botApi.call(isText ? 'editMessageText' : 'editMessageCaption', args, Edited, stop)
    if (edited.kind === 'answered')
      return isText || edited.value.document?.file_name === rendered.file?.name ? 'found' : 'other'
    if (says(edited, 'message is not modified')) return 'found'
    if (says(edited, 'message to edit not found') || says(edited, 'message_id_invalid')) return 'missing'
    // Somebody else's, or one of ours of another kind.
    if (says(edited, "can't be edited") || says(edited, 'there is no ')) return 'other'
    return harmless(edited)
  }

  /** While Telegram can't be asked, nothing is sent again. */
  async function cannotTell(chat: string, error: string, stop: AbortSignal): Promise<Found> {
    const there = await botApi.call('getChat', { chat_id: chat }, Chat, stop)
    if (there.kind === 'answered') return { kind: 'unknown', error }
    return harmless(there)
  }

  /** All ids after `from`, until there are no more. */
  async function walk(message: Outgoing, from: Progress, { known }: Search, stop: AbortSignal): Promise<Found> {
    const knownFrom = async (first: number): Promise<ReadonlySet<string>> =>
      known?.(
        Array.from({ length: block }, (_, n) => ({
          messageId: String(first + n),
          eventKey: messageKey(message.chat, first + n),
        })),
      ) ?? new Set<string>()
    let { id: last, probes } = from
    let missing = 0
    let stored: ReadonlySet<string> = new Set()
    for (let id = from.id + 1, next = id; ; id += 1) {
      if (id === next) {
        stored = await knownFrom(id)
        next = id + block
      }
      if (stored.has(String(id))) {
        missing = 0
        last = id
        continue
      }
      const lookedTo = JSON.stringify({ id: last, probes } satisfies Progress)
      if (probes - from.probes >= mostProbes)
        return { kind: 'looking', lookedTo, because: { kind: 'transient', error: 'it is still being looked for' } }
      if (probes >= mostProbesInAll)
        return cannotTell(message.chat, `it is not among ${probes} messages of others after the last known one`, stop)
      const result = await probe(message, id, stop)
      if (typeof result === 'object') return { kind: 'looking', lookedTo, because: result }
      if (result === 'found') return { kind: 'found', messageId: String(id) }
      if (result === 'other') {
        probes += 1
        missing = 0
        last = id
        continue
      }
      missing += 1
      // Where nothing is now, the next message will be. So `last` stays, unless something is known to come later.
      if (missing < mostMissing) continue
      const later = await knownFrom(id + 1)
      if (later.size === 0) return { kind: 'absent' }
      ;[stored, next, last] = [later, id + 1 + block, id]
    }
  }

  return async function find(message: Outgoing, where: Search, stop: AbortSignal): Promise<Found> {
    const { chat, thread, replyTo } = message
    if (!chat.startsWith('-100')) return cannotTell(chat, 'messages can be looked up only in supergroups', stop)
    const before = [where.after, thread, replyTo].map((id) => (id === null ? NaN : Number(id)))
    const after = Math.max(...before.filter((id) => Number.isSafeInteger(id)))
    if (!Number.isFinite(after)) return cannotTell(chat, 'no earlier message in this chat is known', stop)
    await waitUntil(clock, Math.min(where.since, clock.now()) + settleMs, stop)
    await withTimeLimit(heard(), hearMs)
    const from = jsonOrNull(where.lookedTo ?? '', Progress) ?? { id: after, probes: 0 }
    return walk(message, { ...from, id: Math.max(from.id, after) }, where, stop)
  }
}
