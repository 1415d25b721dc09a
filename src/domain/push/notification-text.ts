import { hiddenInText } from '../../lib/hidden.ts'
import { maskSecretsInLine } from '../../lib/secret-words.ts'
import { visibleLine } from '../../lib/shell-words.ts'
import type { Alert } from '../alert/schema.ts'
import type { Ask } from '../ask/schema.ts'
import type { AskSubject } from '../ask/subject.ts'
import { maskSecrets } from '../pattern/secret-text.ts'

const byteLength = (text: string): number => new TextEncoder().encode(text).length

/** One line of somebody else's words, for a screen that lies on a table: short, no secrets, nothing turned around. */
export function oneLine(text: string, most: number): string {
  const line = maskSecrets(maskSecretsInLine(text.slice(0, 10_000)))
    .replaceAll(/\s+/g, ' ')
    .replaceAll(hiddenInText, '')
    .trim()
  return clip(line, most)
}

/** At most so many bytes, and no half characters. */
export function clip(text: string, most: number): string {
  if (byteLength(text) <= most) return text
  let kept = ''
  let size = 3
  for (const { segment } of new Intl.Segmenter('en').segment(text)) {
    size += byteLength(segment)
    if (size > most) break
    kept += segment
  }
  return `${kept.trimEnd()}…`
}

/** The one thing to know of it before it is opened. */
export function detailOf(subject: AskSubject): string {
  switch (subject.kind) {
    case 'diff':
      return subject.files.length > 1 ? `${subject.filePath} and ${subject.files.length - 1} more` : subject.filePath
    case 'command':
      return `$ ${visibleLine(subject.command, 500)} (in ${subject.cwd})`
    case 'tool':
      return subject.tool
    case 'elicitation':
      return subject.message
    case 'prompt':
      return subject.text
    case 'wait':
      return subject.message ?? ''
    case 'question':
      return subject.question
    case 'packages':
      return [...subject.apt, ...subject.npm].join(', ')
    case 'mcp_server':
    case 'create_agent':
      return subject.name
    case 'credential':
      return `${subject.name} for ${subject.host}`
    case 'unknown_sender':
      return subject.identity
    case 'new_chat':
      return subject.name ?? subject.chat
    case 'terminal_prompt':
      return subject.secret ? 'It wants a secret.' : subject.promptText
    case 'permission':
      return ''
    default:
      return subject satisfies never
  }
}

const outcomeText: Readonly<Record<string, string>> = {
  approve: 'approved it',
  reject: 'rejected it',
  select: 'answered it',
  continue: 'let it continue',
  refine: 'refined it',
  resume: 'let it continue',
  stop: 'stopped it',
  reply: 'replied',
  accept: 'replied',
  decline: 'declined',
}

/** What became of an ask; `who` is null where it was nobody. */
export function goneText({ status, answer }: Pick<Ask, 'status' | 'answer'>, who: string | null): string {
  if (status === 'expired') return 'Nobody answered in time.'
  if (status === 'cancelled' || status === 'interrupted') return 'It has been withdrawn.'
  return `${who ?? 'Somebody'} ${outcomeText[answer?.outcome ?? ''] ?? 'answered it'}.`
}

const minutes = (seconds: number): string => {
  const count = Math.max(1, Math.round(seconds / 60))
  return count === 1 ? 'a minute' : `${count} minutes`
}

export function alertText({ status, cause, idleSeconds, nudgeCount }: Alert): string {
  if (status === 'escalated') return `It does not react after ${nudgeCount === 1 ? 'a nudge' : `${nudgeCount} nudges`}.`
  return cause === 'silent'
    ? `Nothing was heard for ${minutes(idleSeconds)}.`
    : `It is there, but did nothing for ${minutes(idleSeconds)}.`
}
