import * as z from 'zod'
import { withTimeLimit } from '../../lib/time-limit.ts'
import { anyJson, parseJson } from '../../lib/parse-json.ts'

/** Input of all Claude Code hooks. New versions add fields. */
const Common = z.object({
  session_id: z.uuid(),
  cwd: z.string(),
  transcript_path: z.string().optional(),
  prompt_id: z.string().optional(),
  permission_mode: z.string().optional(),
  /** The subagent that calls the tool. */
  agent_type: z.string().optional(),
  agent_id: z.string().optional(),
})
const ToolEvent = Common.extend({
  hook_event_name: z.enum(['PreToolUse', 'PermissionRequest']),
  tool_name: z.string().min(1),
  tool_input: z.unknown(),
  /** Only of PreToolUse. */
  tool_use_id: z.string().optional(),
  /** Where an MCP tool's server was configured. */
  mcp_server: z.object({ source: z.string() }).optional().catch(undefined),
})
const NotificationEvent = Common.extend({
  hook_event_name: z.literal('Notification'),
  message: z.string(),
  title: z.string().optional(),
  notification_type: z.string().optional(),
})
const StopEvent = Common.extend({
  hook_event_name: z.literal('Stop'),
  last_assistant_message: z.string().optional(),
  /** Tasks still running, which may wait for an answer. */
  background_tasks: z.array(z.unknown()).default([]),
})
const PromptEvent = Common.extend({ hook_event_name: z.literal('UserPromptSubmit'), prompt: z.string() })
const EndEvent = Common.extend({ hook_event_name: z.literal('SessionEnd'), reason: z.string().optional() })

export const events = {
  permission: ToolEvent,
  notification: NotificationEvent,
  stop: StopEvent,
  prompt: PromptEvent,
  end: EndEvent,
}
export type HookEvent = z.infer<typeof Common>
export type ToolEvent = z.infer<typeof ToolEvent>
export type NotificationEvent = z.infer<typeof NotificationEvent>
export type StopEvent = z.infer<typeof StopEvent>
export type PromptEvent = z.infer<typeof PromptEvent>
export type EndEvent = z.infer<typeof EndEvent>

const mostBytes = 16 * 1024 * 1024
const usualWaitMs = 10_000

/** An invalid event, with the kind it claims to be, if known. */
export class UnreadableEvent extends Error {
  readonly says: ToolEvent['hook_event_name'] | null
  constructor(message: string, said?: unknown) {
    super(message)
    const name = typeof said === 'object' && said !== null && 'hook_event_name' in said ? said.hook_event_name : null
    this.says = name === 'PreToolUse' || name === 'PermissionRequest' ? name : null
  }
}

/** Reads the event from standard input; throws if it is invalid. */
export async function readEvent<E>(
  schema: z.ZodType<E>,
  input: AsyncIterable<Buffer | string>,
  waitMs = usualWaitMs,
): Promise<E> {
  const text = await readBounded(input, waitMs)
  const json = parseJson(text, anyJson)
  if (!json.ok) throw new UnreadableEvent('Standard input is not JSON. This command is called by Claude Code hooks.')
  const said = json.value
  let read: z.ZodSafeParseResult<E>
  try {
    read = schema.safeParse(said)
  } catch {
    // Nested too deeply.
    throw new UnreadableEvent("The event on standard input can't be read.", said)
  }
  if (read.success) return read.data
  const [issue] = read.error.issues
  throw new UnreadableEvent(
    `The event on standard input is not for this hook (${issue?.path.join('.') || 'it'}: ${issue?.message ?? 'wrong'}). Claude Code calls this command. To install the hook: signalbox hook install claude`,
    said,
  )
}

/** Reads with limits on time and size. */
async function readBounded(input: AsyncIterable<Buffer | string>, waitMs: number): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  const reading = input[Symbol.asyncIterator]()
  for (;;) {
    const next = await withTimeLimit(reading.next(), waitMs)
    if (next === undefined) throw new UnreadableEvent('The event on standard input does not end.')
    if (next.done) return Buffer.concat(chunks).toString()
    const chunk = Buffer.from(next.value)
    size += chunk.length
    if (size > mostBytes) throw new UnreadableEvent('The event on standard input is larger than 16 MiB.')
    chunks.push(chunk)
  }
}
