import type { Ask } from './schema.ts'

const onlyReads = ['read', 'search', 'fetch', 'think']

/** Whether an answered ask allowed writing this file. The file must be named as a path, not merely mentioned. */
export const approvesPath = (ask: Pick<Ask, 'kind' | 'subject' | 'answer'>, path: string): boolean =>
  isChange(ask.kind) && isConsent(ask.answer) && namesPath(ask.subject, path)

const isChange = (kind: Ask['kind']): boolean => kind === 'diff' || kind === 'permission'
const isConsent = (answer: Ask['answer']): boolean => answer?.outcome === 'approve' || answer?.outcome === 'select'

function namesPath(subject: Ask['subject'], path: string): boolean {
  const call = subject.kind === 'permission' ? subject.toolCall : null
  const kind = typeof call === 'object' && call !== null && 'kind' in call ? call['kind'] : null
  if (typeof kind === 'string' && onlyReads.includes(kind)) return false
  return textsIn(subject).some((text) => text === path || (text.startsWith('/') && text.endsWith(`/${path}`)))
}

/** All strings in a value, including object keys: some agents list changes by path. */
const textsIn = (value: unknown): string[] =>
  typeof value === 'string'
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.keys(value).concat(Object.values(value).flatMap(textsIn))
      : []
