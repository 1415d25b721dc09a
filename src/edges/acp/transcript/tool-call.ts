import type { ToolContent } from '../../../domain/message/schema.ts'
import { canonicalJson, type Json } from '../../../lib/json.ts'

type Status = NonNullable<ToolContent['status']>

/** Part of a tool call as agents send it: unchecked, in any order, in three kinds of messages. */
export type ToolCallPart = { toolCallId: string } & {
  [
    Field in 'name' | 'title' | 'kind' | 'status' | 'rawInput' | 'rawOutput' | 'content' | 'locations' | '_meta'
  ]?: unknown
}

const statuses: readonly Status[] = ['pending', 'in_progress', 'completed', 'failed', 'cancelled']
const isOver = (status: Status | undefined): boolean =>
  status === 'completed' || status === 'failed' || status === 'cancelled' || status === 'rejected'

/** Missing fields keep their value, an ended call stays ended, and diffs once shown stay. */
export function mergeToolCall(earlier: ToolContent | undefined, part: ToolCallPart): ToolContent {
  const before: ToolContent = earlier ?? { type: 'tool', tool: 'other', args: {}, toolCallId: part.toolCallId }
  const merged: ToolContent = { ...before }
  const { title, kind, content, locations, status, rawInput } = part
  if (isText(title)) merged.title = title
  if (isText(kind)) merged.kind = kind
  if (isList(locations)) merged.locations = locations
  if (rawInput !== undefined && rawInput !== null) merged.args = asJson(rawInput)
  if (isList(content)) {
    const diffs = isList(before.content) && !content.some(isDiff) ? before.content.filter(isDiff) : []
    merged.content = [...diffs, ...content]
  }
  // Done all the same: the agent did not respect the answer, and that must show.
  if (before.status === 'rejected' && status === 'completed') merged.status = 'completed'
  if (!isOver(before.status)) merged.status = statuses.find((known) => known === status) ?? before.status ?? 'pending'
  const result = resultOf(part)
  if (result !== undefined) merged.result = result
  merged.tool = nameOf(part) ?? (before.tool === 'other' ? (merged.kind ?? 'other') : before.tool)
  return merged
}

/** The tool's own name, if the agent gives it. */
function nameOf(part: ToolCallPart): string | undefined {
  if (isText(part.name)) return part.name
  const meta = part._meta as { claudeCode?: { toolName?: unknown }; toolName?: unknown } | null | undefined
  const name = meta?.claudeCode?.toolName ?? meta?.toolName
  return isText(name) ? name : undefined
}

function resultOf(part: ToolCallPart): Json | undefined {
  if (part.rawOutput !== undefined && part.rawOutput !== null) return asJson(part.rawOutput)
  if (part.status !== 'completed' && part.status !== 'failed') return undefined
  const text = (isList(part.content) ? part.content : []).map(textOf).filter((words) => words !== '')
  return text.length > 0 ? text.join('\n') : undefined
}

function textOf(entry: unknown): string {
  const { type, content } = (entry ?? {}) as { type?: string; content?: { type?: string; text?: unknown } }
  return type === 'content' && typeof content?.text === 'string' ? content.text : ''
}

export type FileEdit = { path: string; oldText: string | null; newText: string }

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
const isList = (value: unknown): value is readonly Json[] => Array.isArray(value)
const isDiff = (entry: unknown): boolean => (entry as { type?: unknown } | null)?.type === 'diff'

/** The file changes a tool call shows. A missing or empty old text may mean a new file. */
export function editsOf(tool: Pick<ToolContent, 'content'>): FileEdit[] {
  if (!isList(tool.content)) return []
  return tool.content.flatMap((entry) => {
    const { type, path, oldText, newText } = (entry ?? {}) as Record<string, unknown>
    return type === 'diff' && typeof path === 'string' && typeof newText === 'string'
      ? [{ path, oldText: typeof oldText === 'string' ? oldText : null, newText }]
      : []
  })
}

export function pathsOf(tool: Pick<ToolContent, 'locations'>): string[] {
  if (!isList(tool.locations)) return []
  return tool.locations.flatMap((entry) => {
    const path = (entry as { path?: unknown } | null)?.path
    return typeof path === 'string' ? [path] : []
  })
}

/** Equal for two calls that do the same thing. */
export const callFingerprint = (tool: ToolContent): string =>
  canonicalJson([tool.tool, tool.kind ?? '', tool.title ?? '', tool.args])

/** Data from the wire is JSON already. */
const asJson = (value: unknown): Json => value as Json
