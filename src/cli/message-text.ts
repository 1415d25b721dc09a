import type { Message } from '../domain/message/schema.ts'
import { cleanLine, cleanText } from './clean-text.ts'
import { formatJson, type Paint } from './output.ts'
import { relativeTime } from './times.ts'
import { toolLine } from './tool-text.ts'
import { fieldOf, textField } from './json-fields.ts'

const longestArgs = 300

/** A message as text: role and time, then the content, indented. */
export function messageLines({ role, content, timestamp }: Message, now: number, paint: Paint): string[] {
  const head = `${paint('cyan', role)} ${paint('dim', relativeTime(timestamp, now))}`
  return [head, ...bodyOf(content, paint).map((line) => `  ${line}`)]
}

function bodyOf(content: Message['content'], paint: Paint): string[] {
  switch (content.type) {
    case 'text':
      return [...cleanText(content.text).trimEnd().split('\n'), ...filesOf(content)]
    case 'thought':
      return cleanText(content.text).trimEnd().split('\n')
    case 'plan':
      return planLines(content.steps)
    case 'tool':
      // No title: not a call of a hosted agent, so show its arguments.
      return content.title === undefined
        ? [`${content.tool} ${formatJson(content.args, false).slice(0, longestArgs)}`].map(cleanLine)
        : [toolLine(content, paint)]
    default:
      return content satisfies never
  }
}

/** What a person sent along. */
const filesOf = ({ attachments = [], links = [] }: Extract<Message['content'], { type: 'text' }>): string[] => [
  ...attachments.map(({ name, mimeType, size }) => cleanLine(`[${name}, ${mimeType}, ${size} bytes]`)),
  ...links.map((path) => cleanLine(`[@${path}]`)),
]

const marks: Readonly<Record<string, string>> = { completed: '[x]', in_progress: '[>]', cancelled: '[-]' }

/** A plan as a checklist. */
const planLines = (steps: readonly unknown[]): string[] =>
  steps.map((step) => {
    if (typeof step === 'string') return `- ${cleanLine(step)}`
    const content = textField(step, 'content')
    if (content === null) return `- ${cleanLine(formatJson(step, false))}`
    return `${marks[String(fieldOf(step, 'status'))] ?? '[ ]'} ${cleanLine(content)}`
  })

const wordsOf = (step: unknown): unknown => fieldOf(step, 'content') ?? step

/** The changed lines of a plan, or all of them if its steps differ. */
export function planChanges(before: readonly unknown[] | null, now: readonly unknown[]): string[] {
  const lines = planLines(now)
  const isSame = before?.length === now.length && now.every((step, index) => wordsOf(step) === wordsOf(before[index]))
  if (!before || !isSame) return lines
  const old = planLines(before)
  return lines.filter((line, index) => line !== old[index])
}
