import { commandIn } from './ask-labels.ts'

export type Edit = { path: string; oldText: string | null; newText: string }

/** A tool call as reported by the agent; unverified. */
export type ReportedToolCall = {
  tool: string | null
  kind: string | null
  edits: Edit[]
  command: string | null
  cwd: string | null
  locations: string[]
  /** Its text content. */
  texts: string[]
  /** Its input, if not shown otherwise. */
  input: unknown
}

const record = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const words = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)

/** Paths below `root` are shown relative to it. */
export function readToolCall(toolCall: unknown, root: string | null = null): ReportedToolCall {
  const { tool, kind, args, content, locations } = record(toolCall)
  const input = record(args)
  const parts = list(content).map(record)
  const named = (path: string): string =>
    root !== null && path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path
  return {
    tool: words(tool),
    kind: words(kind),
    edits: parts.flatMap((part) => editIn(part, named)),
    command: commandIn(toolCall),
    cwd: words(input['cwd']) ?? words(input['workdir']) ?? words(input['directory']),
    locations: [
      ...new Set(
        list(locations)
          .flatMap((one) => words(record(one)['path']) ?? [])
          .map(named),
      ),
    ],
    texts: parts.flatMap(({ type, content: inner }) =>
      type === 'content' ? (words(record(inner)['text']) ?? []) : [],
    ),
    input: args === undefined || Object.keys(input).length === 0 ? null : args,
  }
}

function editIn(part: Readonly<Record<string, unknown>>, named: (path: string) => string): Edit[] {
  const { type, path, oldText, newText } = part
  return type === 'diff' && typeof path === 'string' && typeof newText === 'string'
    ? [{ path: named(path), oldText: typeof oldText === 'string' ? oldText : null, newText }]
    : []
}
