import type { AskSubject } from '../ask/subject.ts'
import { policySubjectOf } from './policy-subject.ts'
import { isSame, readWords } from './command-words.ts'

/** Whether it is a command that somebody registered in `[commands]`, word for word, run where the session works. */
export function isRegistered(subject: AskSubject, registry: readonly string[], workspaceRoot: string): boolean {
  if (registry.length === 0) return false
  const matter = policySubjectOf(subject, { workspaceRoot })
  const words = matter?.kind === 'command' ? readWords(matter.command) : null
  if (!words) return false
  return registry.some((text) => {
    const known = readWords(text)
    return known !== null && isSame(known, words)
  })
}
