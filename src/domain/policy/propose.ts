import type { AskSubject } from '../ask/subject.ts'
import { mayBeLearned } from './commands.ts'
import { policySubjectOf, type PolicyScope } from './policy-subject.ts'
import { neverAutomatic } from './protected.ts'
import { accessOf } from './reading-tools.ts'
import type { Rule } from './schema.ts'
import { lineOf, readWords } from './command-words.ts'

/** The narrowest rule that "always allow this" can mean, or null where nothing of the kind is ever automatic. */
export function proposalOf(subject: AskSubject, about: PolicyScope): Rule | null {
  const matter = policySubjectOf(subject, about)
  switch (matter?.kind) {
    case 'command': {
      const words = readWords(matter.command)
      return words && mayBeLearned(words) ? { kind: 'command', pattern: lineOf(words.map(({ text }) => text)) } : null
    }
    case 'files': {
      // Of several files each would need a rule of its own; one tap should not make many.
      const [path, ...more] = matter.paths
      return path === undefined || more.length > 0 ? null : ofFile(matter.access, path)
    }
    case 'tool':
      // One with a file was allowed for that file, not for all.
      return matter.filePath === undefined
        ? { kind: 'tool', pattern: matter.tool }
        : ofFile(matter.access ?? accessOf(matter.tool), matter.filePath)
    case 'prompt':
      return matter.promptType === 'error_recovery' ? null : { kind: 'tool', pattern: 'forward_prompt' }
    case undefined:
      return null
    default:
      return matter satisfies never
  }
}

const ofFile = (kind: 'write' | 'read', path: string): Rule | null =>
  neverAutomatic(path, kind) === null ? { kind, pattern: path } : null
