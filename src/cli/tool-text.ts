import type { ToolContent } from '../domain/message/schema.ts'
import { exactLine, exactText } from './clean-text.ts'
import { editLines, type Edit } from './diff-text.ts'
import { fieldOf, listField, textField } from './json-fields.ts'
import { formatJson, type Paint } from './output.ts'

export type ToolStatus = NonNullable<ToolContent['status']>

export const toolIsOver = (status: ToolStatus | undefined): boolean => status !== 'pending' && status !== 'in_progress'

export function toolTitle(tool: unknown): string {
  return exactLine(textField(tool, 'title') ?? textField(tool, 'tool') ?? 'tool call')
}

/** One line: a mark, the title, and a word if it failed. */
export function toolLine(tool: ToolContent, paint: Paint): string {
  const title = toolTitle(tool)
  switch (tool.status) {
    case 'pending':
    case 'in_progress':
      return `${paint('cyan', '→')} ${title}`
    case 'failed':
      return `${paint('red', '✗')} ${title}: failed`
    case 'cancelled':
      return `${paint('yellow', '–')} ${title}: cancelled`
    case 'rejected':
      return `${paint('yellow', '–')} ${title}: rejected`
    case 'completed':
    case undefined:
      return `${paint('green', '✓')} ${title}`
    default:
      return tool.status satisfies never
  }
}

export function editsIn(tool: unknown): Edit[] {
  return listField(tool, 'content').flatMap((entry) => {
    const path = textField(entry, 'path')
    const newText = fieldOf(entry, 'newText')
    if (fieldOf(entry, 'type') !== 'diff' || path === null || typeof newText !== 'string') return []
    return [{ path, oldText: textField(entry, 'oldText'), newText }]
  })
}

/** The tool's text and results, without its diffs. */
export function textsIn(tool: unknown): string[] {
  return listField(tool, 'content').flatMap((entry) => {
    const text = textField(fieldOf(entry, 'content'), 'text')
    return fieldOf(entry, 'type') === 'content' && text !== null ? [exactText(text).trimEnd()] : []
  })
}

/** Everything a person must see before approving. */
export function toolBlocks(tool: unknown, paint: Paint): string[] {
  const edits = editsIn(tool)
  const places = listField(tool, 'locations').flatMap((entry) => textField(entry, 'path') ?? [])
  const unsaid = places.filter((path) => !edits.some((edit) => edit.path === path)).map(exactLine)
  const args = fieldOf(tool, 'args') ?? fieldOf(tool, 'rawInput')
  const command = textField(args, 'command')
  // Do not repeat what is shown above.
  const said = [...places, ...edits.map(({ path }) => path), ...(command === null ? [] : [command])]
  const rest = shorten(without(args, said), edits)
  return [
    [paint('bold', toolTitle(tool)), ...unsaid.map((path) => `  in ${path}`)].join('\n'),
    ...(command === null ? [] : [indent(command)]),
    ...textsIn(tool).map(indent),
    ...edits.map((edit) => editLines(edit, paint).join('\n')),
    ...(isEmpty(rest) ? [] : [indent(formatJson(rest, true))]),
  ]
}

const indent = (text: string): string => exactText(text).trimEnd().replaceAll(/^/gm, '  ')

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0)

const without = (value: unknown, said: readonly unknown[]): unknown =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).filter(([, one]) => !said.includes(one)))
    : value

const long = 60

/** Texts already shown in the diff are not repeated. */
function shorten(value: unknown, edits: readonly Edit[]): unknown {
  if (typeof value === 'string') {
    const isShown = edits.some(({ oldText, newText }) => newText.includes(value) || oldText?.includes(value))
    return isShown && (value.length > long || value.includes('\n')) ? '(as in the diff)' : value
  }
  if (Array.isArray(value)) return value.map((one) => shorten(one, edits))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shorten(one, edits)]))
}
