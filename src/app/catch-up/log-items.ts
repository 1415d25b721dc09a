import type { Ask } from '../../domain/ask/schema.ts'
import { isOf, type EventOf, type LoggedEvent } from '../events.ts'
import type { Message } from '../../domain/message/schema.ts'
import { attentionWords } from '../../domain/session/attention.ts'
import { yieldToOthers } from '../../lib/yield-to-others.ts'
import { askItem } from './ask-items.ts'
import { normalForm } from './fold.ts'
import { item, oneLine, type Item } from './item.ts'
import type { ActorNames } from './actor-names.ts'

/** A message that is still growing is reported when it is complete. */
export const isPartial = (event: EventOf<'message'>): boolean =>
  event.type === 'message.updated' || ('partial' in event.data && event.data.partial === true)

/** The data that events refer to; events carry only ids. */
export type Contents = {
  readonly messages: ReadonlyMap<string, Message>
  readonly asks: ReadonlyMap<string, Ask>
  readonly who: ActorNames
}

const longestText = 600

const piece = 500

/** The items of a range of the log, in order. All events of one ask or one alert make one item. */
export async function itemsOfLog(events: readonly LoggedEvent[], contents: Contents): Promise<Item[]> {
  const last = new Map<string, LoggedEvent>()
  for (const event of events) {
    const key = threadOf(event)
    if (key !== null) last.set(key, event)
  }
  const items: Item[] = []
  for (const [index, event] of events.entries()) {
    const key = threadOf(event)
    const found = key === null || last.get(key) === event ? itemOf(event, contents) : null
    if (found) items.push(found)
    if (index % piece === piece - 1) await yieldToOthers()
  }
  return items
}

/** Events with the same key make one item: only the last counts. */
function threadOf(event: LoggedEvent): string | null {
  if (event.type === 'ask.claimed' || event.type === 'ask.expiry_lifted') return null
  if (isOf(event, 'ask')) return `ask ${event.data.id}`
  return isOf(event, 'alert') ? `alert ${event.data.sessionId}` : null
}

function itemOf(event: LoggedEvent, contents: Contents): Item | null {
  if (isOf(event, 'ask')) return askItem(event, contents.asks.get(event.data.id), contents.who)
  if (isOf(event, 'message')) return messageItem(event, contents.messages.get(event.data.id))
  if (isOf(event, 'alert')) return alertItem(event)
  if (isOf(event, 'session')) return sessionItem(event)
  if (isOf(event, 'queue')) return queueItem(event)
  if (isOf(event, 'checkpoint')) return checkpointItem(event)
  return isOf(event, 'terminal') ? terminalItem(event) : null
}

const about = ({ at, sessionId }: LoggedEvent) => ({ at, sessionId })

function messageItem(event: EventOf<'message'>, message: Message | undefined): Item | null {
  if (!message || isPartial(event)) return null
  const { content, role } = message
  const made = { ...about(event), severity: 'low' as const, kind: 'message' as const }
  if (content.type === 'tool') {
    const name = oneLine(content.title ?? content.tool, 200)
    const failed = content.status === 'failed'
    const text = `${name}${content.status === undefined ? '' : `: ${content.status}`}`
    return item({ ...made, kind: 'tool', severity: failed ? 'medium' : 'low', text, likeness: normalForm(text) })
  }
  if (content.type === 'plan')
    return item({ ...made, text: `A plan of ${content.steps.length} steps`, likeness: 'plan' })
  if (content.type === 'thought') return null
  const { level } = content
  const severity = level === 'error' ? 'high' : level === 'warning' || level === 'success' ? 'medium' : 'low'
  const kind = level === 'error' ? 'error' : level === 'warning' ? 'warning' : 'message'
  const text = `${role === 'user' ? 'operator' : role}: ${oneLine(content.text, longestText)}`
  return item({ ...made, severity, kind, text, likeness: normalForm(text) })
}

function alertItem(event: EventOf<'alert'>): Item {
  const made = { ...about(event), kind: 'alert' as const }
  switch (event.type) {
    case 'alert.escalated':
      return item({ ...made, severity: 'critical', text: 'The agent is stalled, and nudges did not help' })
    case 'alert.raised':
      return item({
        ...made,
        severity: 'medium',
        text: `The agent has gone quiet (${event.data.cause.replaceAll('_', ' ')})`,
      })
    case 'alert.nudged':
      return item({ ...made, severity: 'medium', text: 'The agent was nudged' })
    default:
      return item({ ...made, severity: 'low', text: `Alert closed (${event.type.slice('alert.'.length)})` })
  }
}

function sessionItem(event: EventOf<'session'>): Item | null {
  const made = { ...about(event), kind: 'session' as const }
  switch (event.type) {
    case 'session.touched':
    case 'session.connectivity_changed':
    case 'session.watch_changed':
      return null
    case 'session.alerted':
      return item({ ...made, severity: 'high', text: `Needs attention: ${attentionWords(event.data.what)}` })
    case 'session.status_changed': {
      const { to, reason } = event.data
      const severity = to === 'error' ? 'critical' : to === 'active' || to === 'created' ? 'low' : 'medium'
      const because = reason === null || reason === '' ? '' : ` (${oneLine(reason, longestText)})`
      return item({ ...made, severity, text: `Session ${to === 'error' ? 'failed' : to}${because}` })
    }
    default: {
      const happened = event.type.slice('session.'.length).replaceAll('_', ' ')
      return item({ ...made, severity: 'low', text: `Session ${happened}` })
    }
  }
}

function queueItem(event: EventOf<'queue'>): Item | null {
  if (event.type === 'queue.delivered') {
    const { outcome } = event.data
    const severity = outcome === 'failed' ? 'high' : 'medium'
    return item({
      ...about(event),
      severity,
      kind: 'turn',
      text: `A turn ${outcome === 'failed' ? 'failed' : outcome}`,
    })
  }
  if (event.type !== 'queue.dropped') return null
  return item({ ...about(event), severity: 'low', kind: 'instruction', text: 'An instruction was dropped' })
}

function checkpointItem(event: EventOf<'checkpoint'>): Item | null {
  const made = { ...about(event), severity: 'medium' as const, kind: 'checkpoint' as const }
  if (event.type === 'checkpoint.restored') return item({ ...made, text: 'The workspace was restored to a checkpoint' })
  const isFirst = event.data.reason === 'start'
  return item({ ...made, severity: isFirst ? 'low' : 'medium', text: 'A checkpoint was made' })
}

function terminalItem(event: EventOf<'terminal'>): Item | null {
  if (event.type !== 'terminal.closed') return null
  const { exitCode, exitSignal, hungUp } = event.data
  const failed = !hungUp && ((exitCode !== null && exitCode !== 0) || exitSignal !== null)
  const exited = exitSignal !== null ? `killed by ${exitSignal}` : exitCode !== null ? `exit code ${exitCode}` : null
  const how = hungUp ? 'hung up' : (exited ?? 'no longer watched')
  return item({
    ...about(event),
    severity: failed ? 'high' : 'medium',
    kind: failed ? 'error' : 'session',
    text: `The terminal ended: ${how}`,
  })
}
