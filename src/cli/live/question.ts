import type { Answer } from '../../domain/ask/answer.ts'
import type { Ask } from '../../domain/ask/schema.ts'
import { cleanLine } from '../clean-text.ts'

type AnswerChoice = {
  /** The key to type: `y`, or a number. */
  key: string
  label: string
  answer(rest: string): Answer
}

/** An ask that is answered with one line. */
export type AnswerableQuestion = {
  choices: readonly AnswerChoice[]
  /** The meaning of any other line; null if only the choices are valid. */
  free: { about: string; answer(text: string): Answer } | null
}

type Subject = Ask['subject']
type PermissionOptions = Extract<Subject, { kind: 'permission' }>['options']

const orNull = (text: string): string | null => (text === '' ? null : text)
const decline: AnswerChoice = {
  key: '/decline',
  label: 'Decline to answer; a reason can follow',
  answer: (rest) => ({ outcome: 'decline', reason: orNull(rest) }),
}

/** Not for forms, which are asked field by field. */
export function questionOf(subject: Exclude<Subject, { kind: 'elicitation' }>): AnswerableQuestion {
  switch (subject.kind) {
    case 'permission':
      return { choices: permissionChoices(subject.options), free: null }
    case 'prompt':
      return {
        choices: [
          { key: 'y', label: 'Continue', answer: () => ({ outcome: 'continue' }) },
          { key: 'n', label: 'Stop; a reason can follow', answer: stop },
        ],
        free: { about: 'what to do instead', answer: (instruction) => ({ outcome: 'refine', instruction }) },
      }
    case 'wait':
      return {
        choices: [
          { key: 'y', label: 'Continue', answer: () => ({ outcome: 'resume', instruction: null }) },
          { key: 'n', label: 'Stop; a reason can follow', answer: stop },
        ],
        free: { about: 'what to do next', answer: (instruction) => ({ outcome: 'resume', instruction }) },
      }
    case 'question':
      return {
        choices: [...numbered(subject.options), decline],
        free: subject.freeText || subject.options.length === 0 ? typed : null,
      }
    case 'terminal_prompt':
      return {
        choices: [...numbered(subject.suggestedInputs.map((value) => ({ label: value, value }))), decline],
        free: typed,
      }
    case 'credential':
      // Its value is not typed where it would be seen: signalbox answer asks for it without echo.
      return { choices: approval.filter(({ answer }) => answer('').outcome === 'reject'), free: null }
    case 'diff':
    case 'command':
    case 'tool':
    case 'packages':
    case 'mcp_server':
    case 'create_agent':
    case 'admin_command':
    case 'unknown_sender':
      return { choices: approval, free: null }
    case 'new_chat':
      return { choices: subject.groups === undefined ? approval : groupChoices(subject.groups), free: null }
    default:
      return subject satisfies never
  }
}

const stop = (rest: string): Answer => ({ outcome: 'stop', reason: orNull(rest) })
const typed = { about: 'type your answer', answer: (value: string): Answer => ({ outcome: 'reply', value }) }

const approve =
  (always: boolean) =>
  (rest: string): Answer => ({ outcome: 'approve', always, reason: orNull(rest) })
const rejected = (rest: string): Answer => ({ outcome: 'reject', reason: orNull(rest) })

const approval: readonly AnswerChoice[] = [
  { key: 'y', label: 'Allow once', answer: approve(false) },
  { key: 'a', label: 'Allow, and suggest a rule', answer: approve(true) },
  { key: 'n', label: 'Reject; a reason can follow', answer: rejected },
]

const groupChoices = (groups: readonly { id: string; name: string }[]): AnswerChoice[] => [
  ...groups.map(({ id, name }, index): AnswerChoice => ({
    key: String(index + 1),
    label: cleanLine(name),
    answer: (rest) => ({ outcome: 'approve', always: false, reason: orNull(rest), group: id }),
  })),
  { key: 'n', label: 'Reject; a reason can follow', answer: rejected },
]

const numbered = (options: readonly { label: string; value: string }[]): AnswerChoice[] =>
  options.map(({ label, value }, index) => ({
    key: String(index + 1),
    label: cleanLine(label),
    answer: () => ({ outcome: 'reply', value }),
  }))

const keys = { allow_once: 'y', allow_always: 'a', reject_once: 'n', reject_always: 'r' } as const

/** The agent's own options: a letter for each kind, or numbers if a kind has several. */
function permissionChoices(options: PermissionOptions): AnswerChoice[] {
  const choices = options.map(({ optionId, name, kind }, index): AnswerChoice => {
    const isOnly = options.filter((option) => option.kind === kind).length === 1
    const answer = (rest: string): Answer => ({ outcome: 'select', optionId, reason: orNull(rest) })
    return { key: isOnly ? keys[kind] : String(index + 1), label: cleanLine(name), answer }
  })
  const canReject = options.some(({ kind }) => kind.startsWith('reject'))
  return canReject ? choices : [...choices, { key: 'n', label: 'Reject', answer: rejected }]
}

/** The answer a line means, or null. Words after a key are the reason. */
export function readLine(line: string, { choices, free }: AnswerableQuestion): Answer | null {
  const text = line.trim()
  if (text === '') return null
  const [word = ''] = text.split(/\s/, 1)
  const key = synonyms[word.toLowerCase()] ?? word.toLowerCase()
  const rest = text.slice(word.length).trim()
  const named = choices.find(({ label }) => label.toLowerCase() === text.toLowerCase())
  if (named) return named.answer('')
  const chosen = choices.find((choice) => choice.key === key)
  // If free text is allowed, "no idea" is an answer, not a "no".
  if (chosen && (free === null || rest === '' || chosen.label.includes('can follow'))) return chosen.answer(rest)
  return free?.answer(text) ?? null
}

const synonyms: Readonly<Record<string, string>> = { yes: 'y', no: 'n', always: 'a' }
