import type { Message } from '../domain/message/schema.ts'
import { cleanLine, cleanText } from './clean-text.ts'
import { formatJson, type Paint } from './output.ts'
import { planLines } from './plan-text.ts'
import { relativeTime } from './times.ts'
import { toolLine } from './tool-text.ts'

const longestArgs = 300

/** A message as text: role and time, then the content, indented. */
export function messageLines({ role, content, timestamp }: Message, now: number, paint: Paint): string[] {
  const head = `${paint('cyan', role)} ${paint('dim', relativeTime(timestamp, now))}`
  return [head, ...bodyOf(content, paint).map((line) => `  ${line}`)]
}

function bodyOf(content: Message['content'], paint: Paint): string[] {
  switch (content.type) {
    case 'text':
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
