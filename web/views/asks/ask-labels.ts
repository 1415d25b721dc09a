import type { Ask } from '../../../src/domain/ask/schema.ts'
import type { AskKind } from '../../../src/domain/ask/subject.ts'
import type { IconName } from '../../ui/icon.tsx'
import { visibleLine } from '../../../src/client/text.ts'
import { clip, exactText, listTitle, safeText } from '../../ui/safe-text.ts'

const kinds: Readonly<Record<AskKind, [words: string, icon: IconName]>> = {
  diff: ['File change', 'file'],
  command: ['Command', 'terminal'],
  tool: ['Tool', 'flag'],
  permission: ['Permission', 'key'],
  elicitation: ['Form', 'list'],
  prompt: ['Asks to continue', 'play'],
  wait: ['Waiting for you', 'pause'],
  question: ['Question', 'sessions'],
  packages: ['Packages', 'plus'],
  mcp_server: ['MCP server', 'branch'],
  create_agent: ['New agent', 'plus'],
  credential: ['Credential', 'key'],
  admin_command: ['Command of an agent', 'terminal'],
  unknown_sender: ['Unknown sender', 'person'],
  new_chat: ['New chat', 'sessions'],
  terminal_prompt: ['Terminal', 'terminal'],
}

const promptKinds: Readonly<Record<Extract<Ask['subject'], { kind: 'prompt' }>['promptType'], string>> = {
  continuation: 'Asks to continue',
  clarification: 'Needs clarification',
  error_recovery: 'Ran into an error',
  resource_warning: 'Low on resources',
}

export const kindLabels = ({ kind, subject }: Pick<Ask, 'kind' | 'subject'>): string =>
  subject.kind === 'prompt' ? promptKinds[subject.promptType] : kinds[kind][0]

export const kindIcon = (kind: AskKind): IconName => kinds[kind][1]

const oneLine = (text: string): string => clip(safeText(text.slice(0, 2000)).replaceAll(/\s+/g, ' ').trim(), 300)
const wordsInLine = (text: string): string => clip(listTitle(text).replaceAll(/\s+/g, ' ').trim(), 300)

/** The main fact of an ask besides its title; `exact` if a machine would read it. */
export function gistOf({ subject }: Pick<Ask, 'subject'>): { text: string; exact: boolean } {
  const exact = (text: string) => ({ text: oneLine(text), exact: true })
  const said = (text: string) => ({ text: wordsInLine(text), exact: false })
  switch (subject.kind) {
    case 'diff':
      return exact(subject.filePath)
    case 'command':
      return { text: visibleLine(exactText(subject.command), 300), exact: true }
    case 'tool':
      return exact(subject.tool)
    case 'permission':
      return exact(commandIn(subject.toolCall) ?? '')
    case 'elicitation':
      return said(subject.message)
    case 'prompt':
      return said(subject.text)
    case 'wait':
      return said(subject.message ?? '')
    case 'question':
      return said(subject.question)
    case 'packages':
      return exact([...subject.apt, ...subject.npm].join(' '))
    case 'mcp_server':
      return exact(serverLine(subject.server))
    case 'create_agent':
      return said(subject.instructions)
    case 'credential':
      return exact(`${subject.name} for ${subject.host}`)
    case 'admin_command':
      return exact(JSON.stringify(subject.command))
    case 'unknown_sender':
      return exact(subject.identity)
    case 'new_chat':
      return said(subject.name ?? subject.chat)
    case 'terminal_prompt':
      return subject.secret ? said('It asks for a secret.') : exact(subject.promptText)
    default:
      return subject satisfies never
  }
}

/** The command or address of an MCP server, else all of its definition. */
function serverLine(server: unknown): string {
  const { command, args, url } = (server ?? {}) as { command?: unknown; args?: unknown; url?: unknown }
  if (typeof url === 'string') return url
  if (typeof command !== 'string') return JSON.stringify(server)
  return [command, ...(Array.isArray(args) ? args : [])].map((word) => quoted(String(word))).join(' ')
}

/** The command a tool would run, if it has one. */
export function commandIn(toolCall: unknown): string | null {
  const { args } = (toolCall ?? {}) as { args?: unknown }
  const { command } = (args ?? {}) as { command?: unknown }
  if (typeof command === 'string') return command
  return Array.isArray(command) && command.every((word) => typeof word === 'string')
    ? command.map(quoted).join(' ')
    : null
}

/** Quoted as typed, so that word boundaries are visible. */
const quoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)

/** What happens when it expires. */
export const expiryText = ({ kind }: Pick<Ask, 'kind'>): string =>
  kind === 'prompt' ? 'continues automatically' : 'expires'
