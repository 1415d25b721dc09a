import type { Ask } from '../../domain/ask/schema.ts'
import type { StoredEvent } from '../../domain/audit/store.ts'
import type { Message } from '../../domain/message/schema.ts'
import { attentionWords } from '../../domain/session/attention.ts'
import { askItem } from './ask-items.ts'
import { normalForm } from './fold.ts'
import { item, oneLine, type Item } from './item.ts'
import type { Who } from './who.ts'

/** What events are about; they carry ids only. */
export type Contents = {
  readonly messages: ReadonlyMap<string, Message>
  readonly asks: ReadonlyMap<string, Ask>
  readonly who: Who
}

const longestText = 600
const word = (value: unknown): string => (typeof value === 'string' ? value : '')

/** What matters of a stretch of the log, in its order: one item for what happened to one ask or one alert. */
export function itemsOfLog(events: readonly StoredEvent[], contents: Contents): Item[] {
  const last = new Map<string, StoredEvent>()
  for (const event of events) {
    const key = threadOf(event)
    if (key !== null) last.set(key, event)
  }
  return events.flatMap((event) => {
    const key = threadOf(event)
    return key === null || last.get(key) === event ? (itemOf(event, contents) ?? []) : []
  })
}

/** What only the end counts of. */
function threadOf({ type, data }: StoredEvent): string | null {
  if (type === 'ask.claimed' || type === 'ask.expiry_lifted') return null
  if (type.startsWith('ask.')) return `ask ${word(data['id'])}`
  return type.startsWith('alert.') ? `alert ${word(data['sessionId'])}` : null
}

function itemOf(event: StoredEvent, contents: Contents): Item | null {
  const [family = ''] = event.type.split('.')
  switch (family) {
    case 'ask':
      return askItem(event, contents.asks.get(word(event.data['id'])), contents.who)
    case 'message':
      return messageItem(event, contents.messages.get(word(event.data['id'])))
    case 'alert':
      return alertItem(event)
    case 'session':
      return sessionItem(event)
    case 'queue':
      return queueItem(event)
    case 'checkpoint':
      return checkpointItem(event)
    case 'terminal':
      return terminalItem(event)
    default:
      return null
  }
}

const about = ({ at, sessionId }: StoredEvent) => ({ at, sessionId })

function messageItem(event: StoredEvent, message: Message | undefined): Item | null {
  // One that still grows is told when it is whole.
  if (!message || event.data['partial'] === true || event.type === 'message.updated') return null
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

function alertItem(event: StoredEvent): Item {
  const made = { ...about(event), kind: 'alert' as const }
  switch (event.type) {
    case 'alert.escalated':
      return item({ ...made, severity: 'critical', text: 'The agent is stalled, and nudges did not help' })
    case 'alert.raised':
      return item({
        ...made,
        severity: 'medium',
        text: `Nothing is heard of the agent (${word(event.data['cause']).replaceAll('_', ' ')})`,
      })
    case 'alert.nudged':
      return item({ ...made, severity: 'medium', text: 'The agent was nudged' })
    default:
      return item({ ...made, severity: 'low', text: `The alert is over (${event.type.slice('alert.'.length)})` })
  }
}

const quiet = new Set(['session.touched', 'session.connectivity_changed', 'session.watch_changed'])

function sessionItem(event: StoredEvent): Item | null {
  const { type, data } = event
  const made = { ...about(event), kind: 'session' as const }
  if (quiet.has(type)) return null
  if (type === 'session.alerted')
    return item({ ...made, severity: 'high', text: `Somebody should look: ${attentionWords(word(data['what']))}` })
  if (type !== 'session.status_changed')
    return item({
      ...made,
      severity: 'low',
      text: `The session was ${type.slice('session.'.length).replaceAll('_', ' ')}`,
    })
  const to = word(data['to'])
  const reason = word(data['reason'])
  const severity = to === 'error' ? 'critical' : to === 'active' || to === 'created' ? 'low' : 'medium'
  const text = `The session is ${to}${reason === '' ? '' : `: ${oneLine(reason, longestText)}`}`
  return item({ ...made, severity, text })
}

function queueItem(event: StoredEvent): Item | null {
  const { type, data } = event
  if (type === 'queue.delivered') {
    const outcome = word(data['outcome'])
    const severity = outcome === 'failed' ? 'high' : 'medium'
    return item({
      ...about(event),
      severity,
      kind: 'turn',
      text: `A turn ${outcome === 'failed' ? 'failed' : outcome}`,
    })
  }
  if (type !== 'queue.dropped') return null
  return item({ ...about(event), severity: 'low', kind: 'instruction', text: 'An instruction was dropped' })
}

function checkpointItem(event: StoredEvent): Item | null {
  const made = { ...about(event), severity: 'medium' as const, kind: 'checkpoint' as const }
  if (event.type === 'checkpoint.restored') return item({ ...made, text: 'The workspace was put back to a checkpoint' })
  const isFirst = event.data['reason'] === 'start'
  return item({ ...made, severity: isFirst ? 'low' : 'medium', text: 'A checkpoint was made' })
}

function terminalItem(event: StoredEvent): Item | null {
  if (event.type !== 'terminal.closed') return null
  const code = event.data['exitCode']
  const signal = word(event.data['exitSignal'])
  const hungUp = event.data['hungUp'] === true
  const failed = !hungUp && ((typeof code === 'number' && code !== 0) || signal !== '')
  const exited = signal !== '' ? `killed by ${signal}` : typeof code === 'number' ? `exit code ${code}` : null
  const how = hungUp ? 'hung up' : (exited ?? 'no longer watched')
  return item({
    ...about(event),
    severity: failed ? 'high' : 'medium',
    kind: failed ? 'error' : 'session',
    text: `The terminal ended: ${how}`,
  })
}
