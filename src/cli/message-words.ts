import type { Message } from '../domain/message/schema.ts'
import { cleanLine, cleanText } from './clean-text.ts'
import { formatJson, type Paint } from './output.ts'
import { planLines } from './plan-words.ts'
import { relativeTime } from './times.ts'
import { toolLine } from './tool-words.ts'

const longestArgs = 300

/** A message for people: who and when, then what, indented. */
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
      // Without a title and a status it is no call of an agent of ours: its arguments say what it was.
      return content.title === undefined
        ? [`${content.tool} ${formatJson(content.args, false).slice(0, longestArgs)}`].map(cleanLine)
        : [toolLine(content, paint)]
    default:
      return content satisfies never
  }
}
