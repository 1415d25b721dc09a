import type { Ask } from '../domain/ask/schema.ts'
import { effectOf } from '../domain/ask/shown-effect.ts'
import { exactLine, exactText } from './clean-text.ts'
import { paintDiff } from './diff-text.ts'
import { formLines } from './form-answer.ts'
import { formatJson, type Paint } from './output.ts'
import { toolBlocks } from './tool-text.ts'

/** The subject of an ask as text blocks. Nothing is cut: a person must see it all to decide. */
export function subjectText({ subject, description }: Pick<Ask, 'subject' | 'description'>, paint: Paint): string[] {
  const words = description === null ? [] : [exactText(description).trimEnd()]
  return [...words, ...blocksOf(subject, paint)]
}

function blocksOf(subject: Ask['subject'], paint: Paint): string[] {
  const block = (title: string, body: string): string => `${paint('bold', title)}\n${body}`
  const json = (value: unknown): string => indent(formatJson(value, true))
  const form = (schema: unknown): string[] => {
    const lines = formLines(schema)
    return lines.length === 0 ? [] : [block('Form', lines.join('\n'))]
  }
  switch (subject.kind) {
    case 'diff':
      return [block(exactLine(subject.filePath), paintDiff(subject.preview ?? subject.diff, paint).join('\n'))]
    case 'command':
      return [
        block(`Command, in ${exactLine(subject.cwd)}`, indent(subject.command)),
        ...(subject.masked ? ['  Secrets are hidden as [REDACTED]. Everything else is shown.'] : []),
      ]
    case 'tool':
      return [block(`Tool ${exactLine(subject.tool)}`, json(subject.input))]
    case 'permission':
      return toolBlocks(subject.toolCall, paint)
    case 'elicitation':
      return [exactText(subject.message), ...form(subject.schema)]
    case 'prompt':
      return [block(`Prompt (${subject.promptType.replaceAll('_', ' ')})`, indent(subject.text))]
    case 'wait':
      return subject.message === null ? [] : [indent(subject.message)]
    case 'question':
      return [indent(subject.question)]
    case 'packages':
    case 'mcp_server':
    case 'create_agent':
    case 'credential':
    case 'admin_command':
      return effectOf(subject).map(({ title, text }) => block(exactLine(title), indent(text)))
    case 'unknown_sender':
      return [indent(`${subject.identity} wrote in ${subject.chat}`)]
    case 'new_chat':
      return [
        indent(subject.name === null ? subject.chat : `${subject.name} (${subject.chat})`),
        ...(subject.groups === undefined
          ? []
          : [indent(`agent groups: ${subject.groups.map(({ name }) => name).join(', ')}`)]),
      ]
    case 'terminal_prompt':
      return [block(subject.dangerous ? 'Terminal prompt, dangerous' : 'Terminal prompt', indent(subject.promptText))]
    default:
      return subject satisfies never
  }
}

const indent = (text: string): string => exactText(text).trimEnd().replaceAll(/^/gm, '  ')
