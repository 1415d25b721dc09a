import { createGlobSet } from '../../lib/glob.ts'
import { compileCommands, type CommandRules } from './commands.ts'
import type { IgnoredEntry, PolicyFile, Rule } from './schema.ts'

/** A compiled policy: a lookup costs the same however long the policy is. */
export type Policy = {
  readonly enabled: boolean
  readonly threshold: 'low' | 'high'
  readonly commands: CommandRules
  readonly tools: ReadonlySet<string>
  readonly files: { write(path: string): string | null; read(path: string): string | null }
  /** Paths in this workspace that are never automatic, in addition to the protected files. */
  readonly kept: readonly string[]
  readonly logAutoApproved: boolean
  readonly summaryIntervalSeconds: number
}

export const askForEverything: Policy = {
  enabled: false,
  threshold: 'low',
  commands: { match: () => null },
  tools: new Set(),
  files: { write: () => null, read: () => null },
  kept: [],
  logAutoApproved: false,
  summaryIntervalSeconds: 300,
}

/** Without a file only confirmed rules apply; `enabled: false` in a file turns those off too. */
export function compilePolicy(
  file: PolicyFile | null,
  registry: readonly string[],
  confirmed: readonly Rule[],
  kept: readonly string[] = [],
): { policy: Policy; ignored: IgnoredEntry[] } {
  const learned = (kind: Rule['kind']) => confirmed.filter((rule) => rule.kind === kind).map(({ pattern }) => pattern)
  const { rules, ignored: commandFaults } = compileCommands(file?.commands ?? [], registry, learned('command'))
  const isGlob = (tool: string) => /[*?]/.test(tool)
  const tools = (file?.tools ?? []).filter((tool) => !isGlob(tool))
  const write = compileFiles(file?.filePatterns.write ?? [], learned('write'))
  const read = compileFiles(file?.filePatterns.read ?? [], learned('read'))
  const ignored = [
    ...commandFaults,
    ...(file?.tools ?? []).filter(isGlob).map((entry) => ({ entry, why: wholeName })),
    ...write.ignored,
    ...read.ignored,
  ]
  const policy: Policy = {
    enabled: file?.enabled ?? confirmed.length > 0,
    threshold: file?.riskLevelThreshold ?? 'low',
    commands: rules,
    tools: new Set([...tools, ...learned('tool')]),
    files: { write: write.match, read: read.match },
    kept,
    logAutoApproved: file?.logAutoApproved ?? false,
    summaryIntervalSeconds: file?.summaryIntervalSeconds ?? 300,
  }
  return { policy, ignored }
}

const wholeName = 'list tools by their full names, without wildcards'

function compileFiles(patterns: readonly string[], learned: readonly string[]) {
  const globs = createGlobSet(patterns)
  const exact = new Set(learned)
  const ignored: IgnoredEntry[] = globs.faults.map(({ pattern, why }) => ({ entry: pattern, why }))
  return { ignored, match: (path: string) => (exact.has(path) ? path : globs.match(path)) }
}
