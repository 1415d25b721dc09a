import type { RiskLevel } from '../ask/schema.ts'
import { neverAutomatic } from './protected.ts'
import type { Policy } from './compile.ts'
import { readWords } from './words.ts'

/** What an ask is about, as far as a policy can tell. Paths are relative to the workspace, and inside. */
export type Matter =
  | { kind: 'command'; command: string }
  | { kind: 'tool'; tool: string; filePath?: string }
  | { kind: 'files'; access: 'write' | 'read'; paths: string[] }
  | { kind: 'prompt'; promptType: string }

/** The name of the rule that answers it, or null where a person must. */
export function judge(policy: Policy, matter: Matter, risk: RiskLevel): string | null {
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

function judgeTool(policy: Policy, { tool, filePath }: { tool: string; filePath?: string }): string | null {
  if (filePath !== undefined && isKept(policy, filePath)) return null
  if (policy.tools.has(tool)) return `tool:${tool}`
  return filePath === undefined ? null : judgeFiles(policy, accessOf(tool), [filePath])
}

/** All of them must match; the rule is named by the pattern of the first. */
function judgeFiles(policy: Policy, access: 'write' | 'read', paths: readonly string[]): string | null {
  let first: string | null = null
  for (const path of paths) {
    const pattern = isKept(policy, path) ? null : policy.files[access](path)
    if (pattern === null) return null
    first ??= pattern
  }
  return first === null ? null : `file_pattern:${access}:${first}`
}

/** Also what is not a path inside at all, should anyone ask. */
const isKept = (policy: Policy, path: string): boolean =>
  neverAutomatic(path) !== null ||
  path.startsWith('/') ||
  path.split('/').some((name) => name === '..' || name === '' || name === '.') ||
  policy.kept.some((kept) => {
    const [one, other] = [path.normalize('NFKC').toLowerCase(), kept.normalize('NFKC').toLowerCase()]
    return one === other || one.startsWith(`${other}/`)
  })

const reading = new Set(['read', 'view', 'list', 'ls', 'grep', 'glob', 'search'])
const writing = /write|edit|delete|remove|move|rename|create|apply|replace|patch|update|insert|save|put/i

/** A tool reads where its name says so and nothing else; any other might write. */
export function accessOf(tool: string): 'write' | 'read' {
  const [first = ''] = tool
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z]+/)
  return reading.has(first) && !writing.test(tool) ? 'read' : 'write'
}
