import type { QueueItem, QueueItemId, QueuePlace } from '../../../domain/queue/schema.ts'
import { derivedId } from '../../../lib/derived-id.ts'
import { restOf, typed, wrongUsage, type Call, type ChatCommandsDeps, type CommandHandler } from './call.ts'
import { shortId, type FindSession } from './find-session.ts'
import { oneLine, privately, refusal } from './reply.ts'

const mostListed = 15
const isPending = ({ status }: QueueItem): boolean => status === 'waiting' || status === 'sent'

/** Messages for agents, and the queue in which they wait. */
export function createQueueCommands({ app }: ChatCommandsDeps, sessions: FindSession) {
  const send =
    (usual: QueuePlace): CommandHandler =>
    async (call) => {
      if (call.words.length < 2) return wrongUsage(call, 'Text is missing.')
      const found = await sessions.find(call, 1, 'text')
      if ('reply' in found) return found.reply
      const { id: sessionId } = found.session
      const isNow = usual === 'next' && call.words[found.next]?.text === '--now'
      const when = isNow ? 'now' : usual
      const text = restOf(call, isNow ? found.next + 1 : found.next)
      if (text === '') return wrongUsage(call, 'Text is missing.')
      const id = derivedId<QueueItemId>(call.said.inboxId, 'queue')
      const added = await app.dispatch({ type: 'queue.add', id, sessionId, text, when }, call.by.actor, call.by.once)
      if (!added.ok) return refusal(added.fault)
      return privately(`${sentWords[when]} (session ${shortId(sessionId)})`)
    }

  const list = async (call: Call) => {
    const found = await sessions.find(call, 1, 'nothing')
    if ('reply' in found) return found.reply
    const items = await app.read.queue(call.by.standing, found.session.id)
    if (!items.ok) return refusal(items.fault)
    const waiting = items.value.filter(isPending)
    if (waiting.length === 0) return privately('Nothing is waiting.')
    const lines = waiting
      .slice(0, mostListed)
      .map(
        ({ id, status, when, text }) => `\`${itemId(id)}\` ${status === 'sent' ? 'running' : when} · ${oneLine(text)}`,
      )
    const more = waiting.length - lines.length
    return privately([...lines, ...(more > 0 ? [`… and ${more} more`] : [])].join('\n'))
  }

  /** `queue drop ITEM`, of any session that the person may see and that is meant here. */
  const drop = async (call: Call) => {
    const wanted = call.words[2]?.text.toLowerCase()
    if (wanted === undefined) return wrongUsage(call, 'ITEM is missing.')
    const found = await sessions.find({ ...call, words: call.words.slice(0, 1) }, 1, 'nothing')
    if ('reply' in found) return found.reply
    const { id: sessionId } = found.session
    const items = await app.read.queue(call.by.standing, sessionId)
    if (!items.ok) return refusal(items.fault)
    const [item, ...others] = items.value.filter((one) => isPending(one) && one.id.replaceAll('-', '').endsWith(wanted))
    if (!item || others.length > 0)
      return privately(`No such queue item: ${oneLine(wanted)}. See them with: ${typed(call, 'queue')}`)
    const dropped = await app.dispatch({ type: 'queue.drop', id: item.id, sessionId, reason: null }, call.by.actor)
    return dropped.ok ? privately('Removed. The agent will not see it.') : refusal(dropped.fault)
  }

  return {
    steer: send('next'),
    task: send('later'),
    queue: (call: Call) => (call.words[1]?.text === 'drop' ? drop(call) : list(call)),
  } satisfies Record<string, CommandHandler>
}

/** Ids of one minute begin alike, so their ends are shown. */
const itemId = (id: string): string => id.replaceAll('-', '').slice(-8)

const sentWords: Readonly<Record<QueuePlace, string>> = {
  now: 'Sent; the current turn is cancelled.',
  next: 'Sent; the agent reads it after its current turn.',
  later: 'Queued; the agent gets it when nothing else is waiting.',
}
