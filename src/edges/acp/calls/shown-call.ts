import type { ToolContent } from '../../../domain/message/schema.ts'
import type { Json } from '../../../lib/json.ts'
import { anyJson, jsonOrNull } from '../../../lib/parse-json.ts'
import type { WorkspaceFiles } from '../deps.ts'
import { editsOf, type FileEdit, type ToolCallPart } from '../transcript/tool-call.ts'

export type InputFields = Readonly<Record<string, unknown>>

/** The input of a tool, as data or as JSON text: Kimi sends only the text before it asks. */
export function inputOf(call: { toolCall: ToolCallPart; earlier: ToolContent | undefined }): InputFields | null {
  const { toolCall, earlier } = call
  const texts = [toolCall.content, earlier?.content].flatMap((content) => (Array.isArray(content) ? content : []))
  const read = texts.map((entry) => fromJson(fieldsOf(fieldsOf(entry)['content'])['text']))
  const found = [toolCall.rawInput, earlier?.args, ...read].map(fieldsOf)
  return found.find((fields) => Object.keys(fields).length > 0) ?? null
}

/**
 * A request for permission with everything that the agent said about the call: its input, and its change as a diff.
 * Some agents show neither, and then call for exactly that; people decide about it once, and must see it.
 */
export async function shownCall(
  part: ToolCallPart,
  earlier: ToolContent | undefined,
  files: Pick<WorkspaceFiles, 'locate' | 'readText'>,
): Promise<ToolCallPart> {
  const input = inputOf({ toolCall: part, earlier })
  if (input === null) return part
  const whole = { ...part, rawInput: part.rawInput ?? input }
  const content = [part.content, earlier?.content].find(Array.isArray) as readonly Json[] | undefined
  const hasDiff = [part.content, earlier?.content].some((one) => editsOf({ content: one as Json }).length > 0)
  const edit = hasDiff ? null : editIn(input, part.kind ?? earlier?.kind)
  const place = edit && (await files.locate(edit.path))
  if (!edit || !place?.ok) return whole
  const now = edit.oldText === null && place.value.exists ? await files.readText(edit.path) : null
  const oldText = now?.ok ? now.value.text : edit.oldText
  return { ...whole, content: [{ type: 'diff', ...edit, oldText }, ...(content ?? [])] }
}

const pathKeys = ['path', 'file_path', 'filePath', 'absolute_path'] as const
const wholeKeys = ['content', 'file_text'] as const
const partKeys = [
  ['old_string', 'new_string'],
  ['old_str', 'new_str'],
  ['oldText', 'newText'],
  ['before', 'after'],
] as const

const usualKeys: ReadonlySet<string> = new Set([...pathKeys, ...wholeKeys, ...partKeys.flat()])

/** The change that the input of a tool describes; null if it may mean something else. */
function editIn(input: InputFields, kind: unknown): FileEdit | null {
  if (kind !== undefined && kind !== null && kind !== 'edit' && kind !== 'other') return null
  // Another tool may write elsewhere, as those of code hosts do, or only add to a file.
  const isPlain = ([key, value]: [string, unknown]) => usualKeys.has(key) || (key === 'mode' && value === 'overwrite')
  if (!Object.entries(input).every(isPlain)) return null
  const path = onlyText(input, pathKeys)
  if (path === null) return null
  const whole = onlyText(input, wholeKeys)
  if (whole !== null) return { path, oldText: null, newText: whole }
  const parts = partKeys.flatMap(([before, after]) => {
    const [oldText, newText] = [input[before], input[after]]
    return typeof oldText === 'string' && oldText !== '' && typeof newText === 'string' ? [{ oldText, newText }] : []
  })
  return parts.length === 1 && parts[0] ? { path, ...parts[0] } : null
}

/** The text under one of these names; null if there is none, or several. */
function onlyText(input: InputFields, keys: readonly string[]): string | null {
  const found = keys.flatMap((key) => (typeof input[key] === 'string' ? [input[key]] : []))
  return found.length === 1 && found[0] !== undefined ? found[0] : null
}

export const fieldsOf = (value: unknown): InputFields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as InputFields) : {}

const fromJson = (text: unknown): Json | null => (typeof text === 'string' ? jsonOrNull(text, anyJson) : null)
