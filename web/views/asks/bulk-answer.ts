import { deniedText } from '../../ui/denied-text.ts'
import type { Ask } from '../../../src/domain/ask/schema.ts'

const alike: readonly Ask['kind'][] = ['diff', 'command', 'tool', 'permission']

/** Why an ask can't be answered in bulk, or null if it can. */
export function whySeparate(
  ask: Pick<Ask, 'riskLevel' | 'subject' | 'needed'>,
  { mine, mayApprove }: { mine: boolean; mayApprove: boolean },
): string | null {
  const { riskLevel, subject, needed } = ask
  if (!mine) return 'You can’t answer it'
  if (!mayApprove) return deniedText('Approving it', 'machine')
  if (riskLevel === 'critical') return 'Critical: answer it separately'
  if (riskLevel === 'high') return 'High risk: answer it separately'
  if (needed > 1) return 'Needs several people: answer it separately'
  if (subject.kind === 'terminal_prompt')
    return subject.secret ? 'Secret: answer it separately' : 'Answer it separately'
  if (!alike.includes(subject.kind)) return 'Answer it separately'
  if (subject.kind === 'permission' && allowOnce(subject) === null) return 'Has its own options: answer it separately'
  return null
}

type Permission = Extract<Ask['subject'], { kind: 'permission' }>

/** The only option that allows it once; null if there is none or more than one. */
export function allowOnce({ options }: Permission): Permission['options'][number] | null {
  const [only, ...more] = options.filter(({ kind }) => kind === 'allow_once')
  return only && more.length === 0 ? only : null
}

/** Whether the answer allowed changes that can be undone. */
export function canUndo({ status, subject, answer, undoneAt }: Ask): boolean {
  if (undoneAt !== null) return false
  if (subject.kind === 'diff') return status === 'consumed'
  return subject.kind === 'permission' && status === 'answered' && allows(subject, answer) && hasEdits(subject.toolCall)
}

export const allows = ({ options }: Permission, answer: Ask['answer']): boolean =>
  answer?.outcome === 'approve' ||
  (answer?.outcome === 'select' &&
    options.some(({ optionId, kind }) => optionId === answer.optionId && kind.startsWith('allow')))

/** Files it would change, as announced by the agent. */
export function hasEdits(toolCall: unknown): boolean {
  const { content, kind } = (toolCall ?? {}) as { content?: unknown; kind?: unknown }
  const shown = Array.isArray(content) && content.some((part) => (part as { type?: unknown } | null)?.type === 'diff')
  return shown || kind === 'edit' || kind === 'delete' || kind === 'move'
}
