import { isAdministrative } from '../domain/ask/kinds.ts'
import { programName } from './program-name.ts'
import type { Outcome } from '../domain/ask/answer.ts'
import { outcomesOf } from '../domain/ask/outcomes.ts'
import type { Ask } from '../domain/ask/schema.ts'
import { cleanLine, exactLine } from './clean-text.ts'
import { shortId } from './ids.ts'

/** Quotes a word for any shell. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`

/** Answers that need no machine right, as long as they carry no reason. */
const refusals: readonly Outcome[] = ['reject', 'decline', 'stop']

/**
 * The command lines that answer this ask, ready to copy, with its whole id.
 * Without `mayApprove`, only those that reject it without a reason.
 */
export function answerLines(
  { id, subject, sessionId }: Pick<Ask, 'id' | 'subject' | 'sessionId'>,
  { mayApprove }: { mayApprove: boolean } = { mayApprove: true },
): string[] {
  if (!mayApprove)
    return outcomesOf[subject.kind]
      .filter((outcome) => refusals.includes(outcome))
      .map((outcome) => `${programName()} answer ${id} ${outcome}`)
  const isSecret = subject.kind === 'terminal_prompt' && subject.secret && sessionId !== null
  if (isSecret)
    return [
      `${programName()} terminals answer ${shortId(sessionId)} --secret  # asks for it without echo`,
      `${programName()} answer ${id} decline --reason 'why'`,
    ]
  if (subject.kind === 'credential')
    return [
      `${programName()} answer ${id} reply  # asks for the value without echo`,
      `${programName()} answer ${id} reject --reason 'why'`,
    ]
  return outcomesOf[subject.kind].flatMap((outcome) =>
    endings(outcome, subject).map(
      (ending) => `${programName()} answer ${id} ${outcome}${ending === '' ? '' : ` ${ending}`}`,
    ),
  )
}

function endings(outcome: Outcome, subject: Ask['subject']): string[] {
  switch (outcome) {
    case 'select':
      return subject.kind === 'permission'
        ? subject.options.map(({ optionId, name }) => `${word(optionId)}  # ${cleanLine(name)}`)
        : []
    case 'reply':
      return replies(subject)
    case 'approve':
      if (subject.kind === 'new_chat' && subject.groups !== undefined)
        return subject.groups.map(({ name }) => `--group ${word(name)}`)
      // No rule lets people or chats in.
      return isAdministrative(subject.kind) ? [''] : ['', '--always']
    case 'refine':
      return ["'what to do instead'"]
    case 'resume':
      return ['', "'what to do next'"]
    case 'accept':
      return [fields(subject)]
    case 'reject':
    case 'stop':
    case 'decline':
      return ["--reason 'why'"]
    case 'continue':
      return ['']
    default:
      return outcome satisfies never
  }
}

const word = (text: string): string => shellWord(exactLine(text))

function replies(subject: Ask['subject']): string[] {
  if (subject.kind === 'question') {
    const offered = subject.options.map(({ label, value }) => `${word(value)}  # ${cleanLine(label)}`)
    return subject.freeText || offered.length === 0 ? [...offered, "'your answer'"] : offered
  }
  const suggested = subject.kind === 'terminal_prompt' ? subject.suggestedInputs.map(word) : []
  return suggested.length > 0 ? suggested : ["'your answer'"]
}

/** `name=… age=…`, from the form's schema. */
function fields(subject: Ask['subject']): string {
  const schema: unknown = subject.kind === 'elicitation' ? subject.schema : null
  const properties = schema !== null && typeof schema === 'object' ? Reflect.get(schema, 'properties') : null
  const names = properties !== null && typeof properties === 'object' ? Object.keys(properties) : []
  return names.length === 0 ? "'{}'" : names.map((name) => `${word(name)}=…`).join(' ')
}
