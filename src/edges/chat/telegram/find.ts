import * as z from 'zod'
import type { Clock } from '../../../lib/clock.ts'
import type { Failure, Found, Outgoing } from '../adapter.ts'
import { waitUntil } from '../wait-until.ts'
import type { BotApi } from './bot-api.ts'
import { says } from './errors.ts'
import { asHtml, FileBody, MessageBody } from './send.ts'

/** A message may not be editable for a moment after it was accepted. */
const settleMs = 2000
/** Each id is a call, and a group takes about twenty of them in a minute. */
const mostProbes = 30
/** Deleted messages leave gaps in the ids. */
const mostMissing = 3
const mostKnown = 2000

const Edited = z.looseObject({ document: z.looseObject({ file_name: z.string().optional() }).optional() })

/** The ids of our own messages, the latest of them. */
export function createKnownMessages() {
  const known = new Set<string>()
  return {
    add(chat: string, messageId: number): void {
      known.add(`${chat}:${messageId}`)
      const [oldest] = known
      if (known.size > mostKnown && oldest !== undefined) known.delete(oldest)
    },
    has: (chat: string, messageId: number): boolean => known.has(`${chat}:${messageId}`),
  }
}

type Deps = { botApi: BotApi; clock: Clock; isKnown(chat: string, messageId: number): boolean }

/**
 * Bots have no history. In a supergroup ids count up, so the ids after the last known message are edited to the very
 * text that may have arrived. If it is there, nothing changes. Other people's messages cannot be edited. A message of
 * ours that is not known would be overwritten, so only one message at a time is sent to a chat.
 */
export function createFind({ botApi, clock, isKnown }: Deps) {
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
    return edited.kind === 'unsure' ? { ...edited, kind: 'transient' } : edited
  }

  return async function find(
    message: Outgoing,
    { after, since }: { after: string | null; since: number },
    stop: AbortSignal,
  ): Promise<Found> {
    if (!message.chat.startsWith('-100'))
      return { kind: 'unknown', error: 'messages can be looked up only in supergroups' }
    const last = after === null ? NaN : Number(after)
    if (!Number.isSafeInteger(last)) return { kind: 'unknown', error: 'no earlier message in this chat is known' }
    await waitUntil(clock, Math.min(since, clock.now()) + settleMs, stop)
    let missing = 0
    for (let id = last + 1; id <= last + mostProbes; id += 1) {
      if (isKnown(message.chat, id)) continue
      const result = await probe(message, id, stop)
      if (typeof result === 'object') return result
      if (result === 'found') return { kind: 'found', messageId: String(id) }
      missing = result === 'missing' ? missing + 1 : 0
      if (missing >= mostMissing) return { kind: 'absent' }
    }
    return { kind: 'unknown', error: `it is not among the ${mostProbes} messages after the last known one` }
  }
}
