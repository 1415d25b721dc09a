import * as z from 'zod'
import type { ChatRef, Failure, Found, IncomingMessage, Outgoing, Search } from '../adapter.ts'
import { harmless } from '../http-call.ts'
import { codes, type RestFailure } from './errors.ts'
import { DiscordMessage } from './frames.ts'
import { receiveMessage } from './receive.ts'
import type { Rest } from './rest.ts'
import { MessageBody, nonceOf } from './send.ts'
import { idOfTime, isLater, Snowflake } from './snowflake.ts'

// One unreadable message must not hide the others, but its id says where to continue.
const Page = z.array(z.union([DiscordMessage, z.object({ id: Snowflake })]))

const pageSize = 100
const mostPages = 20
/** Our clock and Discord's may differ by this much. */
const clocksDifferMs = 5 * 60_000
const mostHeard = 1000

type Deps = { rest: Rest; own(): string | null; channelName(id: string): string | null }
type Read = { kind: 'read'; messages: DiscordMessage[]; last: string; isAll: boolean }

/** Reads what is in a channel or thread: whether a message of ours arrived, and what people wrote while we were away. */
export function createDiscordHistory({ rest, own, channelName }: Deps) {
  /** Our own messages come by the gateway too, with their nonce. */
  const heard = new Map<string, string>()

  /** Oldest first. Discord returns the first ones after an id, the latest of them first. */
  async function read(channel: string, after: string, stop: AbortSignal): Promise<Read | RestFailure> {
    const messages: DiscordMessage[] = []
    let last = after
    for (let page = 0; page < mostPages; page += 1) {
      const path = `channels/${encodeURIComponent(channel)}/messages?after=${last}&limit=${pageSize}`
      const answer = await rest.call({ what: 'reading messages', method: 'GET', path }, Page, stop)
      if (answer.kind !== 'answered') return harmless(answer)
      const found = answer.value.toSorted((a, b) => (isLater(a.id, b.id) ? 1 : -1))
      messages.push(...found.filter((one): one is DiscordMessage => 'author' in one))
      last = found.at(-1)?.id ?? last
      if (found.length < pageSize) return { kind: 'read', messages, last, isAll: true }
    }
    return { kind: 'read', messages, last, isAll: false }
  }

  /** Without the thread, everything that was meant for it is in the chat, if anywhere. */
  async function readPlace(chat: string, thread: string | null, after: string, stop: AbortSignal) {
    const there = await read(thread ?? chat, after, stop)
    const isMissing = there.kind !== 'read' && there.code === codes.unknownChannel && thread !== null
    return isMissing ? read(chat, after, stop) : there
  }

  /**
   * A message without an answer. Discord refuses a second one with the same nonce, but only for some minutes, and it does
   * not promise to keep the nonce. So a message of ours with the same text counts as well: it is better to miss a
   * message than to say it twice.
   */
  async function find(
    message: Outgoing,
    { after, since }: Pick<Search, 'after' | 'since'>,
    stop: AbortSignal,
  ): Promise<Found> {
    const nonce = nonceOf(message.key)
    const known = heard.get(nonce)
    if (known !== undefined) return { kind: 'found', messageId: known }
    const self = own()
    if (self === null) return { kind: 'transient', error: 'the id of the bot is not known yet' }
    const isId = after !== null && Snowflake.safeParse(after).success
    const oldest = isId ? after : idOfTime(since - clocksDifferMs)
    const found = await readPlace(message.chat, message.thread, oldest, stop)
    if (found.kind !== 'read') return found
    const isOurs = (one: DiscordMessage): boolean =>
      one.author.id === self && (one.nonce ? String(one.nonce) === nonce : looksLike(message, one))
    const hit = found.messages.find(isOurs)
    if (hit) return { kind: 'found', messageId: hit.id }
    return found.isAll ? { kind: 'absent' } : { kind: 'unknown', error: 'too many messages came after it' }
  }

  async function missed(
    chat: ChatRef,
    thread: string | null,
    after: string,
    stop: AbortSignal,
  ): Promise<{ kind: 'read'; events: IncomingMessage[]; more: boolean } | Failure> {
    if (!Snowflake.safeParse(after).success) return { kind: 'permanent', error: 'not the id of a message on Discord' }
    let from = after
    for (;;) {
      const found = await read(thread ?? chat.id, from, stop)
      // A thread under a message begins with the first answer.
      if (found.kind !== 'read' && found.code === codes.unknownChannel && thread !== null)
        return { kind: 'read', events: [], more: false }
      if (found.kind !== 'read') return found
      const events = found.messages.flatMap((message) => {
        const received = receiveMessage(message, { chat, thread }, { own: own(), channelName })
        return received.kind === 'take' && received.event.kind === 'message' ? [received.event] : []
      })
      // Without an event, the caller would not know where to continue.
      if (found.isAll || events.length > 0) return { kind: 'read', events, more: !found.isAll }
      from = found.last
    }
  }

  function hear({ id, author, nonce }: DiscordMessage): void {
    if (!nonce || author.id !== own()) return
    heard.set(String(nonce), id)
    const [oldest] = heard.keys()
    if (heard.size > mostHeard && oldest !== undefined) heard.delete(oldest)
  }

  return { find, missed, hear }
}

/** Without white space, because Discord trims it. A file is known by its size. */
function looksLike({ rendered: { body, file } }: Outgoing, { content, embeds, attachments }: DiscordMessage): boolean {
  const sent = MessageBody.safeParse(body).data
  if (!sent) return false
  const bare = (text: string, more: readonly { description?: string | null | undefined }[]): string =>
    [text, ...more.map(({ description }) => description ?? '')].join('').replaceAll(/\s+/g, '')
  const sizes = (attachments ?? []).map(({ size }) => size)
  return (
    bare(sent.content, sent.embeds) === bare(content ?? '', embeds ?? []) &&
    (file ? sizes.length === 1 && sizes[0] === file.bytes.length : sizes.length === 0)
  )
}
