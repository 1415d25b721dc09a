import type { Ask } from '../../domain/ask/schema.ts'
import type { StoredEvent } from '../../domain/audit/store.ts'
import { item, oneLine, type Item, type Severity } from './item.ts'

const longestTitle = 400
const mostLines = 10

/** An ask as it stood after the last that happened to it; what it says now may be newer, and is told when it is its turn. */
export function askItem(event: StoredEvent, ask: Ask | undefined): Item | null {
  if (!ask) return null
  const told = tell(event, ask)
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

function tell(event: StoredEvent, ask: Ask): [Severity, string] | null {
  const kind = ask.kind.replaceAll('_', ' ')
  const by = event.data['by']
  const who = typeof by === 'string' ? ` by ${by}` : ''
  const why = event.data['reason']
  const because = typeof why === 'string' ? ` (${oneLine(why, longestTitle)})` : ''
  const { outcome } = event.data
  const answer = typeof outcome === 'string' ? outcome : 'answered'
  switch (event.type) {
    case 'ask.opened':
      return [isDangerous(ask) ? 'critical' : 'high', `Waits for an answer, ${kind}`]
    case 'ask.voted':
      return ['high', `Waits for another vote, ${kind}`]
    case 'ask.answered':
      return ['medium', `${answer}${who}, ${kind}${reasonOf(ask)}`]
    case 'ask.consumed':
      return ['medium', `Applied, ${kind}`]
    case 'ask.undone':
      return ['medium', `Undone, ${kind}`]
    case 'ask.failed':
      return ['critical', `Could not be applied${because}, ${kind}`]
    case 'ask.released':
      return ['high', `Not applied${because}, ${kind}`]
    case 'ask.expired':
    case 'ask.interrupted':
    case 'ask.cancelled':
      return ['medium', `${event.type.slice('ask.'.length)}${because}, ${kind}`]
    default:
      return null
  }
}

const isDangerous = ({ subject, riskLevel }: Ask): boolean =>
  subject.kind === 'terminal_prompt' ? subject.dangerous : riskLevel === 'critical'

const reasonOf = ({ answer }: Ask): string => {
  if (answer === null) return ''
  const words = 'instruction' in answer ? answer.instruction : 'reason' in answer ? answer.reason : null
  return words === null ? '' : ` ("${oneLine(words, longestTitle)}")`
}

/** What somebody has to see to answer it. */
function contextOf({ subject, description }: Ask): string[] {
  const text =
    subject.kind === 'terminal_prompt'
      ? subject.promptText
      : subject.kind === 'command'
        ? subject.command
        : subject.kind === 'question'
          ? [subject.question, ...subject.options.map(({ label }) => `- ${label}`)].join('\n')
          : subject.kind === 'prompt'
            ? subject.text
            : subject.kind === 'diff'
              ? subject.filePath
              : (description ?? '')
  return text === '' ? [] : text.slice(-4000).split('\n').slice(-mostLines)
}
