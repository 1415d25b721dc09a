import type { Ask } from '../../domain/ask/schema.ts'
import type { Message } from '../../domain/message/schema.ts'
import { attentionWords } from '../../domain/session/attention.ts'
import { yieldToOthers } from '../../lib/yield-to-others.ts'
import type { Outcome } from '../../domain/ask/answer.ts'
import { verbOf, verbs } from '../../domain/ask/answer-words.ts'
import { visibleLine } from '../../lib/shell-words.ts'
import { isOf, type EventOf, type LoggedEvent } from '../events.ts'
import { normalForm } from './fold.ts'
import { item, oneLine, type Item, type Severity } from './item.ts'
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
    case 'session.turn_changed':
    case 'session.connectivity_changed':
    case 'session.watch_changed':
    case 'session.renamed':
    case 'session.pinned':
    case 'session.archived':
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

const longestTitle = 400
const mostLines = 10

/** An ask as of its last event in this range. Later changes are reported with their own events. */
function askItem(event: EventOf<'ask'>, ask: Ask | undefined, who: ActorNames): Item | null {
  if (!ask) return null
  const told = tell(event, ask, who)
  if (told === null) return null
  const [severity, words] = told
  return item({
    at: event.at,
    sessionId: ask.sessionId,
    severity,
    kind: ask.kind === 'terminal_prompt' && event.type === 'ask.opened' ? 'prompt' : 'ask',
    text: `${words}: ${oneLine(ask.title, longestTitle)}`,
    context: event.type === 'ask.opened' ? contextOf(ask) : [],
    askId: ask.id,
  })
}

function tell(event: EventOf<'ask'>, ask: Ask, who: ActorNames): [Severity, string] | null {
  const kind = ask.kind.replaceAll('_', ' ')
  const why = 'reason' in event.data ? event.data.reason : null
  const because = why === null ? '' : ` (${oneLine(why, longestTitle)})`
  switch (event.type) {
    case 'ask.opened':
      return [isDangerous(ask) ? 'critical' : 'high', `Waiting for an answer, ${kind}`]
    case 'ask.escalated':
      return ['high', `Waiting for more administrators, ${kind}`]
    case 'ask.voted':
      return ['high', `Waiting for another vote, ${kind}`]
    case 'ask.answered':
      return [
        'medium',
        `${answerOf(event.data.outcome, ask)} by ${oneLine(who(event.data.by), longestTitle)}, ${kind}${event.data.outcome === ask.answer?.outcome ? reasonOf(ask) : ''}`,
      ]
    case 'ask.consumed':
      return ['medium', `Applied, ${kind}`]
    case 'ask.retracted':
      return ['medium', `Approval retracted by ${oneLine(who(event.data.by), longestTitle)}, ${kind}${reasonOf(ask)}`]
    case 'ask.undone':
      return ['medium', `Undone, ${kind}`]
    case 'ask.failed':
      return ['critical', `Could not be applied${because}, ${kind}`]
    case 'ask.released':
      return ['high', `Not applied${because}, ${kind}`]
    case 'ask.expired':
      return ['medium', `Expired${because}, ${kind}`]
    case 'ask.interrupted':
      return ['medium', `Interrupted${because}, ${kind}`]
    case 'ask.cancelled':
      return ['medium', `Withdrawn${because}, ${kind}`]
    default:
      return null
  }
}

/** The answer of that event: the ask may have been opened and answered again since. */
const answerOf = (outcome: Outcome, ask: Ask): string =>
  outcome === ask.answer?.outcome ? verbOf(ask) : verbs[outcome]

const isDangerous = ({ subject, riskLevel }: Ask): boolean =>
  subject.kind === 'terminal_prompt' ? subject.dangerous : riskLevel === 'critical'

const reasonOf = ({ answer }: Ask): string => {
  if (answer === null) return ''
  const words = 'instruction' in answer ? answer.instruction : 'reason' in answer ? answer.reason : null
  return words === null ? '' : ` ("${oneLine(words, longestTitle)}")`
}

/** What a person needs to see to answer. */
function contextOf({ subject, description }: Ask): string[] {
  const text =
    subject.kind === 'terminal_prompt'
      ? subject.promptText
      : subject.kind === 'command'
        ? `${visibleLine(subject.command, 2000)} (in ${subject.cwd})`
        : subject.kind === 'question'
          ? [subject.question, ...subject.options.map(({ label }) => `- ${label}`)].join('\n')
          : subject.kind === 'prompt'
            ? subject.text
            : subject.kind === 'diff'
              ? subject.filePath
              : (description ?? '')
  return text === '' ? [] : text.slice(-4000).split('\n').slice(-mostLines)
}
