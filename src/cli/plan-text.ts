import { cleanLine } from './clean-text.ts'
import { fieldOf, textField } from './json-fields.ts'
import { formatJson } from './output.ts'

const marks: Readonly<Record<string, string>> = { completed: '[x]', in_progress: '[>]', cancelled: '[-]' }

/** A plan as a checklist. */
export const planLines = (steps: readonly unknown[]): string[] =>
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
