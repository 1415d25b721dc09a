import type { ToolContent } from '../../../../src/domain/message/schema.ts'
import type { IconName } from '../../../ui/icon.tsx'
import type { Edit } from '../../asks/tool-call.ts'

type Fields = Readonly<Record<string, unknown>>
const fields = (value: unknown): Fields => (value !== null && typeof value === 'object' ? (value as Fields) : {})
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** File paths are shown relative to the workspace. */
const named = (path: string, root: string | null): string =>
  root !== null && path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path

/** File changes of a tool call. Paths below `root` are shown relative to it. */
export const editsOf = (tool: Pick<ToolContent, 'content'>, root: string | null = null): Edit[] =>
  list(tool.content).flatMap((entry) => {
    const { type, path, oldText, newText } = fields(entry)
    if (type !== 'diff' || typeof path !== 'string' || typeof newText !== 'string') return []
    return [{ path: named(path, root), oldText: typeof oldText === 'string' ? oldText : null, newText }]
  })

/** Text content, else its result. */
export function outputsOf(tool: Pick<ToolContent, 'content' | 'result'>): string[] {
  const texts = list(tool.content).flatMap((entry) => {
    const { type, content } = fields(entry)
    const { text, type: what, uri, mimeType, resource } = fields(content)
    if (type !== 'content') return []
    if (typeof text === 'string') return text.trim() === '' ? [] : [text]
    const inner = fields(resource)['text']
    if (typeof inner === 'string') return [inner]
    return typeof what === 'string' ? [`[${what}${wordOr(mimeType)}${wordOr(uri)}]`] : []
  })
  if (texts.length > 0 || tool.result === undefined || tool.result === null) return texts
  return [typeof tool.result === 'string' ? tool.result : JSON.stringify(tool.result, null, 2)]
}

const wordOr = (value: unknown): string => (typeof value === 'string' ? ` ${value}` : '')

/** Ids of its terminals. */
export const terminalsOf = (tool: Pick<ToolContent, 'content'>): string[] =>
  list(tool.content).flatMap((entry) => {
    const { type, terminalId } = fields(entry)
    return type === 'terminal' && typeof terminalId === 'string' ? [terminalId] : []
  })

/** The command line, if the call runs one. */
export function commandOf({ args }: Pick<ToolContent, 'args'>): string | null {
  const { command } = fields(args)
  if (typeof command === 'string') return command
  return Array.isArray(command) ? command.map(String).join(' ') : null
}

export const placesOf = (tool: Pick<ToolContent, 'locations'>, root: string | null = null): string[] =>
  list(tool.locations).flatMap((entry) => {
    const { path, line } = fields(entry)
    return typeof path === 'string'
      ? [typeof line === 'number' ? `${named(path, root)}:${line}` : named(path, root)]
      : []
  })

/** Its arguments, without those already shown. */
export function inputOf(tool: ToolContent): string | null {
  const edits = editsOf(tool)
  const shown = new Set<unknown>([
    commandOf(tool),
    ...edits.flatMap(({ path, oldText, newText }) => [path, oldText, newText]),
    ...placesOf(tool),
  ])
  const { args } = tool
  if (args === null || typeof args !== 'object') return args === null || args === '' ? null : String(args)
  const rest = Array.isArray(args)
    ? args
    : Object.fromEntries(Object.entries(args).filter(([name, value]) => name !== 'command' && !shown.has(value)))
  return Object.keys(rest).length === 0 ? null : JSON.stringify(rest, null, 2)
}

const icons: Readonly<Record<string, IconName>> = {
  read: 'file',
  edit: 'file',
  delete: 'cross',
  move: 'next',
  search: 'search',
  execute: 'terminal',
  think: 'wave',
  fetch: 'down',
  switch_mode: 'settings',
}
export const iconOf = ({ kind }: Pick<ToolContent, 'kind'>): IconName => icons[kind ?? ''] ?? 'play'
