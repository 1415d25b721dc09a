import { unifiedDiff } from '../../../lib/unified-diff.ts'
import type { CardLine } from '../adapter.ts'

type Edit = { readonly path: string; readonly oldText: string | null; readonly newText: string }

/**
 * A tool call of an ACP agent, with everything that a person must see before approving: its command, its texts, its
 * edits as diffs, and the rest of its arguments. The title is the agent's own words, so it never stands for them.
 */
export function toolLines(toolCall: unknown, cardTitle: string, workspace?: string): CardLine[] {
  const { title, args, rawInput, content, locations } = asRecord(toolCall)
  const edits = listOf(content).flatMap(editOf)
  const places = listOf(locations).flatMap((entry) => textOf(asRecord(entry)['path']))
  const elsewhere = places.filter((path) => !edits.some((edit) => edit.path === path))
  const input = args ?? rawInput
  const { command } = asRecord(input)
  const shown = new Set<unknown>([
    command,
    ...places,
    ...edits.flatMap((edit) => [edit.path, edit.oldText, edit.newText]),
  ])
  const rest = without(input, shown)
  const diffs = edits.map(({ path, oldText, newText }) => unifiedDiff(shownPath(path, workspace), oldText, newText))
  return [
    ...textOf(title)
      .filter((text) => text !== cardTitle)
      .map((text) => ({ kind: 'text' as const, text })),
    ...fieldsOf(elsewhere.map((path) => ['File', shownPath(path, workspace)])),
    ...textOf(command).map((text) => ({ kind: 'code' as const, text: `$ ${text}` })),
    ...listOf(content)
      .flatMap((entry) => textOf(asRecord(asRecord(entry)['content'])['text']))
      .map((text) => ({ kind: 'quote' as const, text })),
    ...(diffs.length === 0 ? [] : [{ kind: 'diff' as const, text: diffs.join('') }]),
    ...(isEmpty(rest) ? [] : [{ kind: 'code' as const, text: JSON.stringify(rest, null, 2) }]),
  ]
}

function editOf(entry: unknown): Edit[] {
  const { type, path, oldText, newText } = asRecord(entry)
  if (type !== 'diff' || typeof path !== 'string' || typeof newText !== 'string') return []
  return [{ path, oldText: typeof oldText === 'string' ? oldText : null, newText }]
}

const fieldsOf = (fields: (readonly [string, string])[]): CardLine[] =>
  fields.length === 0 ? [] : [{ kind: 'fields', fields }]

const shownPath = (path: string, workspace: string | undefined): string =>
  workspace !== undefined && path.startsWith(`${workspace}/`) ? path.slice(workspace.length + 1) : path

/** Without what the card shows already. */
const without = (value: unknown, shown: ReadonlySet<unknown>): unknown =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).filter(([, one]) => !shown.has(one)))
    : value

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0)

const textOf = (value: unknown): string[] => (typeof value === 'string' && value !== '' ? [value] : [])
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const asRecord = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
