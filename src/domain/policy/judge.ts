import type { RiskLevel } from '../ask/schema.ts'
import { accessOf } from './reading-tools.ts'
import { neverAutomatic } from './protected.ts'
import type { Policy } from './compile.ts'
import { readWords } from './command-words.ts'

/** What an ask is about, as far as a policy can tell. Paths are relative to the workspace, and inside. */
export type PolicySubject =
  | { kind: 'command'; command: string }
  | { kind: 'tool'; tool: string; filePath?: string; access?: 'write' }
  | { kind: 'files'; access: 'write' | 'read'; paths: string[] }
  | { kind: 'prompt'; promptType: string }

/** The name of the rule that answers it, or null where a person must. */
export function judge(policy: Policy, matter: PolicySubject, risk: RiskLevel): string | null {
  if (!policy.enabled || risk === 'critical' || (risk === 'high' && policy.threshold !== 'high')) return null
  switch (matter.kind) {
    case 'command': {
      const words = readWords(matter.command)
      const entry = words && policy.commands.match(words)
      return entry === null ? null : `command:${entry}`
    }
    case 'tool':
      return judgeTool(policy, matter)
    case 'files':
      return judgeFiles(policy, matter.access, matter.paths)
    case 'prompt':
      return matter.promptType !== 'error_recovery' && policy.tools.has('forward_prompt') ? 'tool:forward_prompt' : null
    default:
      return matter satisfies never
  }
}

function judgeTool(policy: Policy, matter: Extract<PolicySubject, { kind: 'tool' }>): string | null {
  const { tool, filePath, access = accessOf(tool) } = matter
  if (filePath !== undefined && isNeverAutomatic(policy, filePath, access)) return null
  if (policy.tools.has(tool)) return `tool:${tool}`
  return filePath === undefined ? null : judgeFiles(policy, access, [filePath])
}

/** All of them must match; the rule is named by the pattern of the first. */
function judgeFiles(policy: Policy, access: 'write' | 'read', paths: readonly string[]): string | null {
  let first: string | null = null
  for (const path of paths) {
    const pattern = isNeverAutomatic(policy, path, access) ? null : policy.files[access](path)
    if (pattern === null) return null
    first ??= pattern
  }
  return first === null ? null : `file_pattern:${access}:${first}`
}

/** Also what is not a path inside at all, should anyone ask. */
const isNeverAutomatic = (policy: Policy, path: string, access: 'write' | 'read'): boolean =>
  neverAutomatic(path, access) !== null ||
  path.startsWith('/') ||
  path.split('/').some((name) => name === '..' || name === '' || name === '.') ||
  policy.kept.some((kept) => {
    const [one, other] = [path.normalize('NFKC').toLowerCase(), kept.normalize('NFKC').toLowerCase()]
    return one === other || one.startsWith(`${other}/`)
  })
