import type { RiskLevel } from '../ask/schema.ts'
import { accessOf } from './reading-tools.ts'
import { protectedPart } from '../../lib/protected-files.ts'
import type { PolicySubject } from './policy-subject.ts'
import type { Policy } from './compile.ts'
import { readWords } from './command-words.ts'

/** The name of the rule that answers it, or null if a person must answer. */
export function judge(policy: Policy, subject: PolicySubject, risk: RiskLevel): string | null {
  if (!policy.enabled || risk === 'critical' || (risk === 'high' && policy.threshold !== 'high')) return null
  switch (subject.kind) {
    case 'command': {
      const words = readWords(subject.command)
      const entry = words && policy.commands.match(words)
      return entry === null ? null : `command:${entry}`
    }
    case 'tool':
      return judgeTool(policy, subject)
    case 'files':
      return judgeFiles(policy, subject.access, subject.paths)
    case 'prompt':
      return subject.promptType !== 'error_recovery' && policy.tools.has('forward_prompt')
        ? 'tool:forward_prompt'
        : null
    default:
      return subject satisfies never
  }
}

function judgeTool(policy: Policy, subject: Extract<PolicySubject, { kind: 'tool' }>): string | null {
  const { tool, filePath, access = accessOf(tool) } = subject
  if (filePath !== undefined && isNeverAutomatic(policy, filePath, access)) return null
  if (policy.tools.has(tool)) return `tool:${tool}`
  return filePath === undefined ? null : judgeFiles(policy, access, [filePath])
}

/** Every path must match; the rule is named after the pattern of the first. */
function judgeFiles(policy: Policy, access: 'write' | 'read', paths: readonly string[]): string | null {
  let first: string | null = null
  for (const path of paths) {
    const pattern = isNeverAutomatic(policy, path, access) ? null : policy.files[access](path)
    if (pattern === null) return null
    first ??= pattern
  }
  return first === null ? null : `file_pattern:${access}:${first}`
}

/** Also true for anything that is not a path inside the workspace. */
const isNeverAutomatic = (policy: Policy, path: string, access: 'write' | 'read'): boolean =>
  protectedPart(path, access) !== null ||
  path.startsWith('/') ||
  path.split('/').some((name) => name === '..' || name === '' || name === '.') ||
  policy.kept.some((kept) => {
    const [one, other] = [path.normalize('NFKC').toLowerCase(), kept.normalize('NFKC').toLowerCase()]
    return one === other || one.startsWith(`${other}/`)
  })
