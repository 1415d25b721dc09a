import type { Message } from '../domain/message/schema.ts'
import { cleanLine, cleanText } from './clean-text.ts'
import { formatJson, type Paint } from './output.ts'
import { relativeTime } from './times.ts'

const longestArgs = 300

/** A message for people: who and when, then what, indented. */
export function messageLines({ role, content, timestamp }: Message, now: number, paint: Paint): string[] {
  const head = `${paint('cyan', role)} ${paint('dim', relativeTime(timestamp, now))}`
  return [head, ...bodyOf(content).map((line) => `  ${line}`)]
}

function bodyOf(content: Message['content']): string[] {
  switch (content.type) {
    case 'text':
      return cleanText(content.text).trimEnd().split('\n')
    case 'plan':
      return content.steps.map((step) => `- ${cleanLine(typeof step === 'string' ? step : formatJson(step, false))}`)
    case 'tool':
      return [`${cleanLine(content.tool)} ${cleanLine(formatJson(content.args, false)).slice(0, longestArgs)}`]
    default:
      return content satisfies never
  }
}
