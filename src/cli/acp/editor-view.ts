import type {
  PlanEntry,
  SessionUpdate,
  ToolCallContent,
  ToolCallStatus,
  ToolKind,
} from '@agentclientprotocol/sdk/unstable'
import { isOpen, type MessageContent, type MessageRole, type ToolContent } from '../../domain/message/schema.ts'
import { fieldOf, listField, textField } from '../json-fields.ts'
import type { LiveView } from '../live/view.ts'

type EditorViewDeps = {
  send(update: SessionUpdate): Promise<void>
  /** Whether this prompt came from this editor, which shows it already. */
  isOwnPrompt(text: string): boolean
}

/** A conversation as updates for an editor, each word once, whether it streams or is read. */
export function createEditorView({ send, isOwnPrompt }: EditorViewDeps): LiveView {
  const lengths = new Map<string, number>()
  const whole = new Set<string>()
  const tools = new Map<string, string>()
  const own = new Set<string>()
  let waiting: SessionUpdate[] = []

  function say(id: string, role: MessageRole, type: 'text' | 'thought', from: number, text: string): void {
    const length = lengths.get(id) ?? 0
    const more = text.slice(Math.max(0, length - from))
    lengths.set(id, Math.max(length, from + text.length))
    if (more === '' || own.has(id)) return
    const content = { type: 'text' as const, text: more }
    waiting.push({ sessionUpdate: kindOf(role, type), content, messageId: id })
  }

  function show(id: string, role: MessageRole, content: MessageContent): void {
    if (!isOpen(content)) whole.add(id)
    switch (content.type) {
      case 'text':
      case 'thought':
        if (role === 'user' && !lengths.has(id) && isOwnPrompt(content.text)) own.add(id)
        return say(id, role, content.type, 0, content.text)
      case 'tool':
        return showTool(id, content)
      case 'plan':
        waiting.push({ sessionUpdate: 'plan', entries: content.steps.map(planEntry) })
        return
      default:
        return content satisfies never
    }
  }

  function showTool(id: string, tool: ToolContent): void {
    const shown = JSON.stringify(tool)
    const before = tools.get(id)
    if (before === shown) return
    tools.set(id, shown)
    const call = toolCall(id, tool)
    waiting.push(
      before === undefined ? { sessionUpdate: 'tool_call', ...call } : { sessionUpdate: 'tool_call_update', ...call },
    )
  }

  return {
    message: ({ id, role, content }) => show(id, role, content),
    skip({ id, content }) {
      if (!isOpen(content)) whole.add(id)
      if ('text' in content) lengths.set(id, content.text.length)
      if (content.type === 'tool') tools.set(id, JSON.stringify(content))
    },
    chunk({ messageId, role, type, at, text }) {
      if (at > (lengths.get(messageId) ?? 0)) return false
      say(messageId, role, type, at, text)
      return true
    },
    updated: ({ messageId, role, content }) => show(messageId, role, content),
    event() {},
    isWhole: (id) => whole.has(id),
    diffShown() {},
    settle() {},
    async flush() {
      const updates = waiting
      waiting = []
      for (const update of updates) await send(update)
    },
  }
}

function kindOf(role: MessageRole, type: 'text' | 'thought') {
  if (role === 'user') return 'user_message_chunk' as const
  return type === 'thought' ? ('agent_thought_chunk' as const) : ('agent_message_chunk' as const)
}

const statuses: Readonly<Record<NonNullable<ToolContent['status']>, ToolCallStatus>> = {
  pending: 'pending',
  in_progress: 'in_progress',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'failed',
  rejected: 'failed',
}
const kinds: readonly string[] = [
  'read',
  'edit',
  'delete',
  'move',
  'search',
  'execute',
  'think',
  'fetch',
  'switch_mode',
  'other',
] satisfies ToolKind[]
const isKind = (kind: string | undefined): kind is ToolKind => kind !== undefined && kinds.includes(kind)

/** A tool call as the agent told it to Signalbox. */
export function toolCall(id: string, tool: ToolContent) {
  return {
    toolCallId: tool.toolCallId ?? id,
    title: tool.title ?? tool.tool,
    kind: isKind(tool.kind) ? tool.kind : ('other' as const),
    status: statuses[tool.status ?? 'completed'],
    rawInput: tool.args,
    content: contentOf(tool),
    locations: listField(tool, 'locations').flatMap((place) => {
      const path = textField(place, 'path')
      return path === null ? [] : [{ path }]
    }),
  }
}

/** Without terminals: those of the agent are Signalbox's, and the editor has no such terminal. */
const contentOf = (tool: ToolContent): ToolCallContent[] =>
  listField(tool, 'content').filter((part) => fieldOf(part, 'type') !== 'terminal') as ToolCallContent[]

function planEntry(step: unknown): PlanEntry {
  const status = textField(step, 'status')
  const priority = textField(step, 'priority')
  return {
    content: textField(step, 'content') ?? textField(step, 'label') ?? '',
    status: status === 'completed' || status === 'in_progress' ? status : 'pending',
    priority: priority === 'high' || priority === 'low' ? priority : 'medium',
  }
}
