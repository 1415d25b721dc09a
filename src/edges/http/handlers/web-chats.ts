import { ownUserId } from '../../../app/authorize-action.ts'
import type { ChatPort } from '../../../app/chat/chat-port.ts'
import type { WebEntry } from '../../../app/read/web-chats.ts'
import { api } from '../../../client/contract.ts'
import { WebCard, type WebMessage } from '../../../client/contract/web-chats.ts'
import { newId } from '../../../lib/id.ts'
import { createRateLimit } from '../../../lib/rate-limit.ts'
import type { Clock } from '../../../lib/clock.ts'
import { fail, ok, type Result } from '../../../lib/result.ts'
import { download } from '../download.ts'
import { mount, type ApiCall, type RouteDeps, type Web } from '../route.ts'
import { readOnly } from '../../../app/rules.ts'
import { chatsOff } from './chats.ts'

/** Messages and presses of one person. */
const most = 60
const perMs = 60_000

/** The chat of the dashboard: each person reads and writes their own. */
export function mountWebChats(web: Web, deps: RouteDeps, chats: ChatPort | null, clock: Clock): void {
  const { app } = deps
  const rate = createRateLimit({ clock, most, perMs })

  /** Who writes, if they may, and the port that takes it. */
  async function writer({ caller: { actor } }: ApiCall, reach: () => Promise<Result<unknown>>) {
    const userId = ownUserId(actor)
    if (!userId.ok) return userId
    const refused = readOnly(actor)
    if (refused) return refused
    const reached = await reach()
    if (!reached.ok) return reached
    if (!chats) return chatsOff
    const seconds = rate.take(userId.value)
    return seconds === null ? ok({ userId: userId.value, port: chats }) : fail(tooMany(seconds))
  }

  mount(web, deps, api.listWebChats, async (_input, { caller }) => {
    const found = await app.read.webChats(caller.standing)
    if (!found.ok) return found
    return ok({
      webChats: found.value.map(({ group, state: { last, sessionId, working } }) => ({
        agentGroupId: group.id,
        name: group.name,
        last: last && shown(last),
        sessionId,
        working,
      })),
    })
  })

  mount(web, deps, api.listWebMessages, async ({ params, query }, { caller }) => {
    const found = await app.read.webMessages(caller.standing, params.agentGroupId, placeIn(query.before))
    if (!found.ok) return found
    const { entries, hasEarlier } = found.value
    const [first] = entries
    return ok({ messages: entries.map(shown), earlier: hasEarlier && first ? `${first.at} ${first.id}` : null })
  })

  mount(web, deps, api.sendWebMessage, async ({ params: { agentGroupId }, body }, call) => {
    const by = await writer(call, () => app.read.webChatWith(call.caller.standing, agentGroupId))
    if (!by.ok) return by
    const id = body.id ?? newId<string>()
    const said = await by.value.port.sayOnWeb(by.value.userId, agentGroupId, { id, text: body.text })
    return said.ok ? ok({ id }) : said
  })

  mount(web, deps, api.pressWebButton, async ({ params: { agentGroupId }, body }, call) => {
    const by = await writer(call, () => app.read.webPost(call.caller.standing, agentGroupId, body.messageId))
    if (!by.ok) return by
    const pressed = await by.value.port.pressOnWeb(by.value.userId, agentGroupId, body)
    return pressed.ok ? ok({ messageId: body.messageId, pressed: true as const }) : pressed
  })

  mount(web, deps, api.getWebFile, async ({ params }, { caller }) => {
    const file = await app.read.webFile(caller.standing, params.agentGroupId, params.messageId)
    return file.ok ? download(file.value) : file
  })
}

function placeIn(before: string | undefined) {
  const [at, id] = (before ?? '').split(' ')
  return at && id ? { at, id } : null
}

function shown(entry: WebEntry): WebMessage {
  const { id, at } = entry
  const bare = { id, at, text: null, card: null, file: null, reactions: [], state: 'done' as const, error: null }
  if (entry.kind === 'incoming') {
    const { message, status, error } = entry.incoming
    const state = status === 'waiting' ? 'waiting' : status === 'failed' ? 'failed' : 'done'
    const text = message.mentionsUs ? `/signalbox ${message.text}` : message.text
    return { ...bare, id: message.messageId, from: 'you', text, state, error: state === 'failed' ? error : null }
  }
  const { reactions } = entry
  const { content } = entry.post
  const post = { ...bare, from: 'agent' as const, reactions: [...reactions] }
  if (content.kind !== 'message') return post
  const body = content.body as { kind?: string; text?: string | null; card?: unknown }
  if (body.kind === 'card') return { ...post, card: WebCard.safeParse(body.card).data ?? null }
  return { ...post, text: body.text ?? null, file: content.file }
}

const tooMany = (seconds: number) => ({
  kind: 'limited' as const,
  code: 'too_many_messages',
  message: 'Too many messages.',
  hint: `Try again in ${seconds} seconds.`,
  details: { retryAfter: seconds },
})
