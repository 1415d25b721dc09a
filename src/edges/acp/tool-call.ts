import type { MessageContent } from '../../domain/message/schema.ts'
import { canonicalJson, type Json } from '../../lib/json.ts'

export type ToolContent = Extract<MessageContent, { type: 'tool' }>
type Status = NonNullable<ToolContent['status']>

/** What agents send of a tool call: any part of it, in any order, in three kinds of messages. */
export type ToolCallPart = {
  toolCallId: string
  name?: string
  title?: string | null
  kind?: string | null
  status?: string | null
  rawInput?: unknown
  rawOutput?: unknown
  content?: readonly unknown[] | null
  locations?: readonly unknown[] | null
  _meta?: unknown
}

const statuses: readonly string[] = ['pending', 'in_progress', 'completed', 'failed', 'cancelled'] satisfies Status[]
const isOver = (status: Status | undefined): boolean =>
  status === 'completed' || status === 'failed' || status === 'cancelled'

/** What is left out stays as it was; what is over stays over; a diff once shown stays shown. */
export function mergeToolCall(known: ToolContent | undefined, part: ToolCallPart): ToolContent {
  const before: ToolContent = known ?? { type: 'tool', tool: 'other', args: {}, toolCallId: part.toolCallId }
  const merged: ToolContent = { ...before }
  if (part.title) merged.title = part.title
  if (part.kind) merged.kind = part.kind
  if (part.locations) merged.locations = asJson(part.locations)
  if (part.rawInput !== undefined && part.rawInput !== null) merged.args = asJson(part.rawInput)
  if (part.content) {
    const diffs = isList(before.content) && !part.content.some(isDiff) ? before.content.filter(isDiff) : []
    merged.content = asJson([...diffs, ...part.content])
  }
  if (!isOver(before.status)) {
    const status = part.status ?? undefined
    if (status !== undefined && statuses.includes(status)) merged.status = status as Status
    merged.status ??= 'pending'
  }
  const result = resultOf(part)
  if (result !== undefined) merged.result = result
  merged.tool = nameOf(part) ?? (before.tool === 'other' ? (merged.kind ?? 'other') : before.tool)
  return merged
}

/** The tool's own name, where the agent gives one away. */
function nameOf(part: ToolCallPart): string | undefined {
  if (part.name) return part.name
  const meta = part._meta as { claudeCode?: { toolName?: unknown }; toolName?: unknown } | null | undefined
  const name = meta?.claudeCode?.toolName ?? meta?.toolName
  return typeof name === 'string' ? name : undefined
}

function resultOf(part: ToolCallPart): Json | undefined {
  if (part.rawOutput !== undefined && part.rawOutput !== null) return asJson(part.rawOutput)
  if (part.status !== 'completed' && part.status !== 'failed') return undefined
  const text = (part.content ?? []).map(textOf).filter((words) => words !== '')
  return text.length > 0 ? text.join('\n') : undefined
}

function textOf(entry: unknown): string {
  const { type, content } = (entry ?? {}) as { type?: string; content?: { type?: string; text?: unknown } }
  return type === 'content' && typeof content?.text === 'string' ? content.text : ''
}

export type Edit = { path: string; oldText: string | null; newText: string }

const isList = (value: unknown): value is readonly Json[] => Array.isArray(value)
const isDiff = (entry: unknown): boolean => (entry as { type?: unknown } | null)?.type === 'diff'

/** The changes to files a tool call shows; no old text, or an empty one, may mean a new file. */
export function editsOf(tool: Pick<ToolContent, 'content'>): Edit[] {
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

/** Equal for two calls that do the same. */
export const sameness = (tool: ToolContent): string =>
  canonicalJson([tool.tool, tool.kind ?? '', tool.title ?? '', tool.args])

/** What came over the wire is JSON already; the type just doesn't say so. */
const asJson = (value: unknown): Json => value as Json
