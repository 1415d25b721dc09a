import type { RuleKind } from '../../../../src/domain/policy/schema.ts'
import { isRecord, jsonOrNull } from '../../../../src/lib/parse-json.ts'

/** What a rule can allow, in words. */
export const ruleKinds: Readonly<Record<RuleKind, { verb: string; label: string; field: string; example: string }>> = {
  command: { verb: 'run', label: 'Run a command', field: 'Command', example: 'git status' },
  write: { verb: 'change', label: 'Change files', field: 'File or pattern', example: 'docs/**' },
  read: { verb: 'read', label: 'Read files', field: 'File or pattern', example: 'src/**' },
  tool: { verb: 'use the tool', label: 'Use a tool', field: 'Tool', example: 'WebFetch' },
}

type Settings = Record<string, unknown> & { file_patterns?: unknown }

/** One file is a rule; a pattern or a folder belongs in the file of the policy. */
export const isPattern = (kind: RuleKind, text: string): boolean =>
  (kind === 'write' || kind === 'read') && /[*?[\]{}]|\/$/.test(text)

/** The file of a policy with a pattern more, and turned on. Null if it can't be read. */
export function withPattern(settings: string | null, kind: 'write' | 'read', pattern: string): string | null {
  const found = read(settings)
  if (found === null) return null
  const patterns = asTable(found.file_patterns)
  const before = patterns[kind]
  const list = Array.isArray(before) ? before : []
  const next = list.includes(pattern) ? list : [...list, pattern]
  return written({ ...found, enabled: true, file_patterns: { ...patterns, [kind]: next } })
}

/** The same file, turned on. */
export function turnedOn(settings: string | null): string | null {
  const found = read(settings)
  return found && written({ ...found, enabled: true })
}

const written = (settings: Settings): string => `${JSON.stringify(settings, null, 2)}\n`

const asTable = (value: unknown): Record<string, unknown> => (isRecord(value) ? value : {})

const read = (settings: string | null): Settings | null => (settings === null ? {} : jsonOrNull(settings, isRecord))
