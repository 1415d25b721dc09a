import type { SessionDetail } from '../../../client/contract/sessions.ts'
import type { Ask } from '../../../domain/ask/schema.ts'
import type { Message } from '../../../domain/message/schema.ts'
import { yieldToOthers } from '../../../lib/yield-to-others.ts'

const piece = 100

/** A session as a Markdown document: its data, its conversation and its asks. */
export async function* sessionAsMarkdown(session: SessionDetail, asks: readonly Ask[]): AsyncGenerator<string> {
  const title = session.agentState?.title ?? firstLine(session.prompt) ?? `Session ${session.id.slice(0, 8)}`
  const facts = [
    ['Session', session.id],
    ['Status', session.status],
    ['Agent', session.agent ?? 'unknown'],
    ['Workspace', session.workspaceRoot],
    ['Confinement', session.agentState?.confinement || (session.isolation ?? '')],
    ['Started', session.createdAt],
    ['Ended', session.terminatedAt ?? ''],
    ['Lineage', session.lineage.length > 1 ? session.lineage.join(' → ') : ''],
  ].filter(([, value]) => value !== '')
  yield `# ${title}\n\n${facts.map(([name, value]) => `- ${name}: ${value}`).join('\n')}\n\n## Conversation\n`
  for (let from = 0; from < session.messages.length; from += piece) {
    const messages = session.messages.slice(from, from + piece)
    yield messages.map((message) => `\n${messageAsMarkdown(message)}\n`).join('')
    await yieldToOthers()
  }
  if (asks.length > 0) yield `\n## Asks\n\n${asks.toReversed().map(askAsMarkdown).join('\n')}\n`
}

function messageAsMarkdown({ role, content, timestamp }: Message): string {
  switch (content.type) {
    case 'text':
      return `### ${role} (${timestamp})\n\n${content.text}${content.partial ? '\n\n*(cut off here)*' : ''}`
    case 'thought':
      return `### thought (${timestamp})\n\n${quoted(content.text)}`
    case 'plan':
      return `### plan (${timestamp})\n\n${content.steps.map(stepAsMarkdown).join('\n')}`
    case 'tool':
      return `### ${content.title ?? content.tool} (${content.status ?? 'done'}, ${timestamp})\n\n${fenced(content)}`
    default:
      return content satisfies never
  }
}

function stepAsMarkdown(step: unknown): string {
  const { content, status } = (step ?? {}) as { content?: unknown; status?: unknown }
  return `- [${status === 'completed' ? 'x' : ' '}] ${typeof content === 'string' ? content : JSON.stringify(step)}`
}

function fenced({ args, result }: Extract<Message['content'], { type: 'tool' }>): string {
  const shown = result === undefined ? { args } : { args, result }
  const text = JSON.stringify(shown, null, 2)
  // Longer than any fence in the text.
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}json\n${text}\n${fence}`
}

function askAsMarkdown(ask: Ask): string {
  const answer = ask.answer === null ? '' : `: ${ask.answer.outcome} by ${ask.answeredBy ?? 'nobody'}`
  return `- ${ask.createdAt} ${ask.title.replaceAll('\n', ' ')} (${ask.kind}, ${ask.status}${answer})`
}

const quoted = (text: string): string => text.replaceAll(/^/gm, '> ')

const firstLine = (text: string | null): string | undefined => text?.split('\n')[0]?.slice(0, 80) || undefined
