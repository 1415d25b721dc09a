import type { Message } from '../../domain/message/schema.ts'
import type { ProgressItem } from '../../domain/session/schema.ts'
import { isRecord } from '../../lib/parse-json.ts'

export type SaidMessage = Pick<Message, 'role' | 'content'>
export type ChangedFile = {
  readonly path: string
  readonly change: string
  readonly added: number
  readonly removed: number
}
type Work = {
  readonly from: string
  readonly task: string | null
  readonly messages: readonly SaidMessage[]
  readonly progress: readonly ProgressItem[] | null
  readonly change: { readonly files: readonly ChangedFile[]; readonly diff: string } | null
  readonly next: string | null
}

/** Parts of the whole; the conversation gets what the others leave. */
const shares = { task: 0.2, plan: 0.1, change: 0.35 }
const mostFiles = 100
const mostOfMessage = 4000
const cutHere = '\n[…]'

const cut = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, Math.max(0, most - cutHere.length))}${cutHere}`

/** What the agent that takes over is told first: its task, the plan, the change and the latest words, in so many characters. */
export function handoverText({ from, task, messages, progress, change, next }: Work, characters: number): string {
  const head = [
    `You take over this work from another agent (${from}). Its files are in your working directory, as it left them.`,
    'The sections below are a record of its session: use it to know what was done. Only the last section, Next, asks you to do something.',
  ].join('\n')
  const asked = `## Next\n\n${next ?? 'Continue with what is not done yet. If nothing is left, say so.'}`
  const sections = [
    section('Task', task ?? firstWords(messages), characters * shares.task),
    section('Plan', planOf(messages, progress), characters * shares.plan),
    section('Change so far', changeOf(change), characters * shares.change),
  ]
  const taken = [head, asked, ...sections].reduce((sum, part) => sum + part.length, 0)
  const said = section('Conversation', conversationOf(messages, characters - taken - 50), Number.POSITIVE_INFINITY)
  return [head, ...sections, said, asked].filter((part) => part !== '').join('\n\n')
}

const section = (title: string, text: string | null, most: number): string =>
  text === null || text.trim() === '' ? '' : `## ${title}\n\n${cut(text, most)}`

const firstWords = (messages: readonly SaidMessage[]): string | null => {
  const first = messages.find(({ role }) => role === 'user')?.content
  return first?.type === 'text' ? first.text : null
}

/** The last plan of the agent, or the progress it reported. */
function planOf(messages: readonly SaidMessage[], progress: readonly ProgressItem[] | null): string | null {
  const plan = messages.findLast(({ content }) => content.type === 'plan')?.content
  if (plan?.type === 'plan')
    return plan.steps
      .map((step) => {
        const words = isRecord(step) ? step['content'] : step
        const done = isRecord(step) && step['status'] === 'completed'
        return `- [${done ? 'x' : ' '}] ${typeof words === 'string' ? words : JSON.stringify(step)}`
      })
      .join('\n')
  return progress?.map(({ label, status }) => `- [${status === 'done' ? 'x' : ' '}] ${label}`).join('\n') ?? null
}

function changeOf(change: Work['change']): string | null {
  if (!change || change.files.length === 0) return null
  const { files, diff } = change
  const list = files
    .slice(0, mostFiles)
    .map(({ path, change: kind, added, removed }) => `- ${kind} ${path} (+${added} -${removed})`)
  const more = files.length > mostFiles ? [`- and ${files.length - mostFiles} more files`] : []
  return [...list, ...more, '', '```diff', diff.trimEnd(), '```'].join('\n')
}

/** The newest messages that fit, in order. */
function conversationOf(messages: readonly SaidMessage[], most: number): string | null {
  const lines: string[] = []
  let left = most
  for (const message of messages.toReversed()) {
    const line = lineOf(message)
    if (line === null) continue
    if (line.length + 2 > left) {
      lines.push('[Earlier messages are left out.]')
      break
    }
    left -= line.length + 2
    lines.push(line)
  }
  return lines.length === 0 ? null : lines.toReversed().join('\n\n')
}

function lineOf({ role, content }: SaidMessage): string | null {
  if (content.type === 'tool')
    return `tool: ${content.title ?? content.tool}${content.status ? ` (${content.status})` : ''}`
  if (content.type !== 'text' || content.text.trim() === '') return null
  const who = role === 'user' ? 'person' : role === 'agent' ? 'agent' : 'note'
  return `${who}: ${cut(content.text.trim(), mostOfMessage)}`
}
