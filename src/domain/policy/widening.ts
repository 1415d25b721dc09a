import { emptyPolicy } from './read-policy.ts'
import type { PolicyFile } from './schema.ts'

/** What the new policy allows and the old one does not, as text. */
export type Widening = readonly string[]

/** Without a file confirmed rules apply; with a file that is not enabled, nothing does. */
const meaningOf = (file: PolicyFile | null): PolicyFile =>
  file === null ? { ...emptyPolicy, enabled: true } : file.enabled ? file : emptyPolicy

const missing = (old: readonly string[], fresh: readonly string[]): string[] => {
  const known = new Set(old)
  return [...new Set(fresh)].filter((entry) => !known.has(entry))
}

/** What a policy allows that the old one did not. Entries are compared as written. */
export function widening(before: PolicyFile | null, after: PolicyFile | null): Widening {
  const [old, fresh] = [meaningOf(before), meaningOf(after)]
  if (!fresh.enabled) return []
  const list = (name: string, some: readonly string[]) => some.map((entry) => `${name}: ${entry}`)
  return [
    ...(old.enabled ? [] : ['enabled']),
    ...(fresh.riskLevelThreshold === 'high' && old.riskLevelThreshold !== 'high' ? ['risk_level_threshold: high'] : []),
    ...list('commands', missing(old.commands, fresh.commands)),
    ...list('tools', missing(old.tools, fresh.tools)),
    ...list('file_patterns.write', missing(old.filePatterns.write, fresh.filePatterns.write)),
    ...list('file_patterns.read', missing(old.filePatterns.read, fresh.filePatterns.read)),
  ]
}

export const isWider = (before: PolicyFile | null, after: PolicyFile | null): boolean =>
  widening(before, after).length > 0

/** What both policies allow; null if there is neither. */
export function inBoth(before: PolicyFile | null, after: PolicyFile | null): PolicyFile | null {
  if (before === null && after === null) return null
  const [old, fresh] = [meaningOf(before), meaningOf(after)]
  const told = after ?? before ?? emptyPolicy
  const both = (one: readonly string[], other: readonly string[]) => one.filter((entry) => other.includes(entry))
  return {
    enabled: old.enabled && fresh.enabled,
    commands: both(fresh.commands, old.commands),
    tools: both(fresh.tools, old.tools),
    filePatterns: {
      write: both(fresh.filePatterns.write, old.filePatterns.write),
      read: both(fresh.filePatterns.read, old.filePatterns.read),
    },
    riskLevelThreshold: old.riskLevelThreshold === 'high' && fresh.riskLevelThreshold === 'high' ? 'high' : 'low',
    logAutoApproved: told.logAutoApproved,
    summaryIntervalSeconds: told.summaryIntervalSeconds,
  }
}
