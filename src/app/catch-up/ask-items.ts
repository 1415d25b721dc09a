import type { Outcome } from '../../domain/ask/answer.ts'
import { verbOf, verbs } from '../../domain/ask/answer-words.ts'
import type { Ask } from '../../domain/ask/schema.ts'
import type { EventOf } from '../events.ts'
import { visibleLine } from '../../lib/shell-words.ts'
import { item, oneLine, type Item, type Severity } from './item.ts'
import type { ActorNames } from './actor-names.ts'

const longestTitle = 400
const mostLines = 10

/** An ask as of its last event in this range. Later changes are reported with their own events. */
export function askItem(event: EventOf<'ask'>, ask: Ask | undefined, who: ActorNames): Item | null {
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
    case 'ask.voted':
      return ['high', `Waiting for another vote, ${kind}`]
    case 'ask.answered':
      return [
        'medium',
        `${answerOf(event.data.outcome, ask)} by ${oneLine(who(event.data.by), longestTitle)}, ${kind}${reasonOf(ask)}`,
      ]
    case 'ask.consumed':
      return ['medium', `Applied, ${kind}`]
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
