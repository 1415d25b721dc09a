import * as z from 'zod'
import type { Clock } from '../../../lib/clock.ts'
import type { ChatRef, Failure, Found, IncomingMessage, Outgoing, Search } from '../adapter.ts'
import { harmless } from '../http-call.ts'
import { waitUntil } from '../wait-until.ts'
import { SlackMessage } from './frames.ts'
import { receiveMessage } from './receive.ts'
import { metadataType } from './send.ts'
import type { WebApi } from './web-api.ts'

const Page = z.looseObject({
  // One unreadable message must not hide the others.
  messages: z.array(SlackMessage.nullable().catch(null)),
  response_metadata: z.looseObject({ next_cursor: z.string().optional() }).nullish(),
})

const pageSize = 200
const mostPages = 20
/** A channel is read from its end, so all of a gap is read to find where it begins. */
const mostPagesOfGap = 500
/** Our clock and Slack's may differ by this much. */
const clocksDifferMs = 5 * 60_000
/** A message may be missing from the history for a moment after it was accepted. */
const settleMs = 2000

type Deps = { webApi: WebApi; clock: Clock; own(): string | null; seesMetadata(): boolean }
type Place = { chat: string; thread: string | null; oldest: string }
type Read = { kind: 'read'; messages: SlackMessage[]; isAll: boolean }

/** Reads what is in a channel or thread: whether a message of ours arrived, and what people wrote while we were away. */
export function createSlackHistory({ webApi, clock, own, seesMetadata }: Deps) {
  /** Oldest first. Slack reads threads from their beginning and channels from their end, so it is sorted here. */
  async function read(place: Place, stop: AbortSignal, pages = mostPages): Promise<Read | Failure> {
    const method = place.thread === null ? 'conversations.history' : 'conversations.replies'
    const messages: SlackMessage[] = []
    let wasAll = true
    let cursor: string | undefined
    for (let page = 0; page < pages; page += 1) {
      const args = {
        channel: place.chat,
        ...(place.thread !== null && { ts: place.thread }),
        oldest: place.oldest,
        inclusive: false,
        limit: pageSize,
        include_all_metadata: true,
        ...(cursor && { cursor }),
      }
      const answer = await webApi.call(method, args, Page, stop)
      if (answer.kind !== 'answered') return harmless(answer)
      messages.push(...answer.value.messages.filter((one) => one !== null))
      const tooMany = messages.length - pageSize * mostPages
      // Those at the beginning of a gap come last, and are returned first.
      if (tooMany > 0) {
        messages.splice(0, tooMany)
        wasAll = false
      }
      cursor = answer.value.response_metadata?.next_cursor
      if (!cursor) break
    }
    // The root of a thread comes with every answer.
    const later = messages.filter(({ ts }) => ts > place.oldest)
    return { kind: 'read', messages: later.toSorted((a, b) => (a.ts < b.ts ? -1 : 1)), isAll: wasAll && !cursor }
  }

  const isOurs = ({ key, prepared }: Outgoing, { metadata, files }: SlackMessage): boolean =>
    (metadata?.event_type === metadataType && metadata.event_payload['key'] === key) ||
    (!!prepared && !!files?.some(({ id }) => id === prepared))

  async function find(
    message: Outgoing,
    { after, since }: Pick<Search, 'after' | 'since'>,
    stop: AbortSignal,
  ): Promise<Found> {
    if (!message.rendered.file && !seesMetadata())
      return { kind: 'unknown', error: 'the bot token lacks the scope metadata.message:read' }
    await waitUntil(clock, Math.min(since, clock.now()) + settleMs, stop)
    const oldest = after ?? tsOf(since - clocksDifferMs)
    const found = await read({ chat: message.chat, thread: message.thread, oldest }, stop)
    if (found.kind !== 'read') return found
    const hit = found.messages.find((one) => isOurs(message, one))
    if (hit) return { kind: 'found', messageId: hit.ts }
    return found.isAll ? { kind: 'absent' } : { kind: 'unknown', error: 'too many messages came after it' }
  }

  async function missed(
    chat: ChatRef,
    thread: string | null,
    after: string,
    stop: AbortSignal,
  ): Promise<{ kind: 'read'; events: IncomingMessage[]; more: boolean } | Failure> {
    const pages = thread === null ? mostPagesOfGap : mostPages
    const found = await read({ chat: chat.id, thread, oldest: after }, stop, pages)
    if (found.kind !== 'read') return found
    const events = found.messages.flatMap((message) => {
      const received = receiveMessage(message, chat, own())
      return received.kind === 'take' && received.event.kind === 'message' ? [received.event] : []
    })
    return { kind: 'read', events, more: !found.isAll }
  }

  return { find, missed }
}

const tsOf = (ms: number): string => `${Math.floor(Math.max(0, ms) / 1000)}.000000`
