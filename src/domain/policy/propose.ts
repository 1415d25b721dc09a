import type { AskSubject } from '../ask/subject.ts'
import { mayBeLearned } from './commands.ts'
import { policySubjectOf, type PolicyScope } from './policy-subject.ts'
import { hiddenInCode, showHidden } from '../../lib/hidden-characters.ts'
import { protectedPart } from '../../lib/protected-files.ts'
import { accessOf } from './reading-tools.ts'
import type { Rule } from './schema.ts'
import { lineOf, readWords } from './command-words.ts'

/** The narrowest rule that "always allow this" can mean; null if it can never be automatic. */
export function proposalOf(subject: AskSubject, about: PolicyScope): Rule | null {
  const asked = policySubjectOf(subject, about)
  switch (asked?.kind) {
    case 'command': {
      const words = readWords(asked.command)
      return words && mayBeLearned(words) ? { kind: 'command', pattern: lineOf(words.map(({ text }) => text)) } : null
    }
    case 'files': {
      // Each file would need its own rule; one tap should not make many.
      const [path, ...more] = asked.paths
      return path === undefined || more.length > 0 ? null : ofFile(asked.access, path)
    }
    case 'tool':
      // It was allowed for that file, not for all files.
      return asked.filePath === undefined
        ? { kind: 'tool', pattern: asked.tool }
        : ofFile(asked.access ?? accessOf(asked.tool), asked.filePath)
    case 'prompt':
      return asked.promptType === 'error_recovery' ? null : { kind: 'tool', pattern: 'forward_prompt' }
    case undefined:
      return null
    default:
      return asked satisfies never
  }
}

/** Why people can't make this rule themselves; null if they can. What is never automatic can't be a rule. */
export function whyNoRule({ kind, pattern }: Rule): string | null {
  if (showHidden(pattern, hiddenInCode) !== pattern) return "A rule can't have characters that can't be seen."
  switch (kind) {
    case 'command': {
      const words = readWords(pattern)
      if (!words) return 'A rule is one plain command: no ; | & < > $ or line breaks.'
      return mayBeLearned(words)
        ? null
        : 'A command that runs others, or one with wildcards or variables, is never automatic.'
    }
    case 'tool':
      return /[*?\s]/.test(pattern) ? 'A tool is named in full, without wildcards.' : null
    case 'write':
    case 'read': {
      if (
        pattern.startsWith('/') ||
        pattern.includes('\\') ||
        pattern.split('/').some((part) => part === '..' || part === '.' || part === '')
      )
        return 'A file is named by its path in the workspace, such as docs/index.md.'
      if (/[*?[\]{}!]/.test(pattern)) return 'A rule names one file. Patterns belong in the file of the policy.'
      const part = protectedPart(pattern, kind)
      return part === null ? null : `${part} is never automatic: programs act on it without being told to.`
    }
    default:
      return kind satisfies never
  }
}

const ofFile = (kind: 'write' | 'read', path: string): Rule | null =>
  protectedPart(path, kind) === null ? { kind, pattern: path } : null
