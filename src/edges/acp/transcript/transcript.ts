import type { MessageWrite } from '../../../domain/agent/schema.ts'
import {
  isOpen,
  type Message,
  type MessageContent,
  type MessageId,
  type MessageRole,
  type ToolContent,
} from '../../../domain/message/schema.ts'
import type { SessionId } from '../../../domain/session/id.ts'
import type { Json } from '../../../lib/json.ts'
import { derivedId } from '../../../lib/derived-id.ts'
import { mergeToolCall, callFingerprint, type ToolCallPart } from './tool-call.ts'

/** A message while it grows. */
type TranscriptEntry = { id: MessageId; role: MessageRole; content: MessageContent; at: string; key: string | null }

export type LiveFrame = { type: 'message.chunk' | 'message.updated'; data: unknown }

type TextChunk = {
  sessionId: SessionId
  messageId: MessageId
  role: MessageRole
  type: 'text' | 'thought'
  at: number
  text: string
  partial: true
}

/** What is needed to continue the transcript after a restart; the texts are in the messages. */
export type TranscriptNotes = {
  text: { id: MessageId; key: string | null } | null
  plan: MessageId | null
  tools: readonly (readonly [toolCallId: string, id: MessageId])[]
}

/** Turns the agent's updates into messages: chunks are joined, tool calls and plans are updated in place. */
export type Transcript = {
  /** `said`: by the person, in a conversation that is replayed. */
  text(kind: 'text' | 'thought' | 'said', words: string, key: string | null, offset: number, at: string): void
  tool(part: ToolCallPart, offset: number, at: string): ToolContent
  plan(steps: readonly unknown[], offset: number, at: string): void
  /** Adds a system note. `cause` determines its id. */
  note(words: string, cause: number | string, at: string): void
  /** Publishes new text to viewers. Chunks that arrived together are sent together. */
  tell(): void
  /** Completes the open text. */
  closeText(): void
  /** Ends the turn: closes what is still open. */
  endTurn(cancelled: boolean): void
  /** The agent is gone: an open text stays partial. */
  lose(): void
  /** A person or a policy refused the call; agents report that as a failure. */
  rejected(toolCallId: string): void
  toolOf(toolCallId: string): ToolContent | undefined
  openTools(): { title: string; since: string }[]
  repeats(): { title: string; count: number } | null
  /** Messages changed since the last call. */
  takeWrites(): MessageWrite[]
  /** What was taken is stored; until then, reads get it from here. */
  stored(): void
  isDirty(): boolean
  /** Characters in open messages. */
  size(): number
  growing(): Message[]
  notes(): TranscriptNotes
}

/** Longer messages are split, so that rewriting them stays cheap. */
const longestText = 2_000_000

/** Approximate number of characters. */
function sizeOf(content: MessageContent): number {
  if ('text' in content) return content.text.length
  const shown = content.type === 'tool' && Array.isArray(content.content) ? content.content : []
  return shown.reduce((sum: number, entry) => {
    const { newText, oldText } = (entry ?? {}) as { newText?: unknown; oldText?: unknown }
    return sum + [newText, oldText].reduce((all: number, text) => all + (typeof text === 'string' ? text.length : 0), 0)
  }, 1000)
}

export function createTranscript(deps: {
  sessionId: SessionId
  childId: string
  publish(frame: LiveFrame): void
  /** Whether the running turn was cancelled: a tool call that completes after that counts as cancelled. */
  cancelled(): boolean
  from?: { notes: TranscriptNotes; messages: readonly Message[] }
}): Transcript {
  const { sessionId, childId } = deps
  const dirty = new Map<MessageId, { entry: TranscriptEntry; final: boolean }>()
  let taken: readonly TranscriptEntry[] = []
  const tools = new Map<string, TranscriptEntry>()
  const stored = new Map(deps.from?.messages.map((message) => [message.id, message]))
  let open: TranscriptEntry | null = null
  let plan: TranscriptEntry | null = null
  let untold: TextChunk | null = null
  let lastCall = { same: '', title: '', count: 0 }

  if (deps.from) restore(deps.from.notes)

  function restore(notes: TranscriptNotes): void {
    const entryOf = (id: MessageId, key: string | null): TranscriptEntry | null => {
      const message = stored.get(id)
      return message ? { id, role: message.role, content: message.content, at: message.timestamp, key } : null
    }
    if (notes.text) open = entryOf(notes.text.id, notes.text.key)
    if (notes.plan)
      plan = entryOf(notes.plan, null) ?? {
        id: notes.plan,
        role: 'system',
        content: { type: 'plan', steps: [] },
        at: '',
        key: null,
      }
    for (const [toolCallId, id] of notes.tools) {
      const entry = entryOf(id, null)
      if (entry) tools.set(toolCallId, entry)
    }
  }

  const newId = (offset: number | string, what: string) => derivedId<MessageId>(childId, offset, what)

  function touch(entry: TranscriptEntry): void {
    dirty.set(entry.id, { entry, final: !isOpen(entry.content) })
  }

  function tell(): void {
    if (untold) deps.publish({ type: 'message.chunk', data: untold })
    untold = null
  }

  function closeText(): void {
    tell()
    if (!open) return
    const { content } = open
    if (content.type === 'text' || content.type === 'thought') open.content = { ...content, partial: false }
    touch(open)
    open = null
  }

  function show(entry: TranscriptEntry): void {
    const data = { sessionId, messageId: entry.id, role: entry.role, content: entry.content }
    deps.publish({ type: 'message.updated', data })
  }

  function countCall(content: ToolContent): void {
    const same = callFingerprint(content)
    const title = content.title ?? content.tool
    lastCall = same === lastCall.same ? { same, title, count: lastCall.count + 1 } : { same, title, count: 1 }
  }

  function append(
    what: 'text' | 'thought' | 'said',
    words: string,
    key: string | null,
    id: () => MessageId,
    at: string,
  ): void {
    const role = ({ text: 'agent', thought: 'system', said: 'user' } as const)[what]
    const kind = what === 'said' ? 'text' : what
    const known = open?.content
    const goesOn =
      open !== null &&
      known !== undefined &&
      known.type === kind &&
      open.role === role &&
      (open.key === null || key === null || open.key === key) &&
      known.text.length < longestText
    if (!goesOn) {
      closeText()
      open = { id: id(), role, content: { type: kind, text: '', partial: true }, at, key }
    }
    if (!open || (open.content.type !== 'text' && open.content.type !== 'thought')) return
    open.key ??= key
    const before = open.content.text.length
    open.content.text += words
    touch(open)
    if (untold) untold.text += words
    else untold = { sessionId, messageId: open.id, role, type: kind, at: before, text: words, partial: true }
  }

  return {
    text(kind, words, key, offset, at) {
      for (let from = 0; from < words.length; from += longestText) {
        // Lazy: deriving an id costs more than the rest of handling a chunk.
        const id = () => newId(offset, from === 0 ? kind : `${kind} ${from}`)
        append(kind, words.slice(from, from + longestText), key, id, at)
      }
    },
    tool(part, offset, at) {
      const known = tools.get(part.toolCallId)
      const before = known?.content.type === 'tool' ? known.content : undefined
      let content = mergeToolCall(before, part)
      // An update without changes must not split a text.
      if (before !== undefined && isSame(before, content)) return before
      closeText()
      const cutOff = deps.cancelled() && before !== undefined && isOpen(before) && content.status === 'completed'
      if (cutOff) content = { ...content, status: 'cancelled' }
      const entry: TranscriptEntry = known ?? { id: newId(offset, 'tool'), role: 'system', content, at, key: null }
      entry.content = content
      tools.set(part.toolCallId, entry)
      if (before !== undefined && isOpen(before) && !isOpen(content)) countCall(content)
      touch(entry)
      show(entry)
      return content
    },
    rejected(toolCallId) {
      const entry = tools.get(toolCallId)
      if (entry?.content.type !== 'tool' || !isOpen(entry.content)) return
      entry.content = { ...entry.content, status: 'rejected' }
      touch(entry)
      show(entry)
    },
    plan(steps, offset, at) {
      closeText()
      plan ??= { id: newId(offset, 'plan'), role: 'system', content: { type: 'plan', steps: [] }, at, key: null }
      plan.content = { type: 'plan', steps: steps as Json[] }
      touch(plan)
      show(plan)
    },
    note(words, cause, at) {
      closeText()
      const content: MessageContent = { type: 'text', text: words, partial: false }
      const entry: TranscriptEntry = { id: newId(cause, 'note'), role: 'system', content, at, key: null }
      touch(entry)
      show(entry)
    },
    tell,
    closeText,
    endTurn(cancelled) {
      closeText()
      for (const entry of tools.values()) {
        if (entry.content.type !== 'tool' || !isOpen(entry.content)) continue
        // Some agents never report the end of a refused or cancelled call.
        entry.content = { ...entry.content, status: cancelled ? 'cancelled' : 'failed' }
        touch(entry)
        show(entry)
      }
      tools.clear()
      plan = null
      lastCall = { same: '', title: '', count: 0 }
    },
    lose() {
      tell()
      for (const entry of tools.values()) {
        if (entry.content.type !== 'tool' || !isOpen(entry.content)) continue
        entry.content = { ...entry.content, status: 'failed' }
        touch(entry)
      }
      tools.clear()
      plan = null
      open = null
    },
    toolOf(toolCallId) {
      const content = tools.get(toolCallId)?.content
      return content?.type === 'tool' ? content : undefined
    },
    openTools: () =>
      [...tools.values()].flatMap(({ content, at }) =>
        content.type === 'tool' && isOpen(content) ? [{ title: content.title ?? content.tool, since: at }] : [],
      ),
    repeats: () => (lastCall.count > 1 ? { title: lastCall.title, count: lastCall.count } : null),
    takeWrites() {
      const writes = [...dirty.values()].map(({ entry: { id, role, content, at }, final }) => ({
        id,
        role,
        content: { ...content },
        final,
        at,
      }))
      taken = [...dirty.values()].map(({ entry }) => entry)
      dirty.clear()
      return writes
    },
    stored() {
      taken = []
    },
    isDirty: () => dirty.size > 0,
    size: () => [...dirty.values()].reduce((sum, { entry: { content } }) => sum + sizeOf(content), 0),
    growing: () => {
      const unwritten = [...dirty.values()].map(({ entry }) => entry)
      const entries = new Set([...taken, ...unwritten, ...tools.values(), ...(open ? [open] : [])])
      // In order of their start, as they will be stored.
      const inOrder = [...entries].toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
      return inOrder.map(({ id, role, content, at }) => ({
        id,
        sessionId,
        role,
        content: { ...content },
        timestamp: at,
      }))
    },
    notes: () => ({
      text: open && { id: open.id, key: open.key },
      plan: plan?.id ?? null,
      tools: [...tools].map(([toolCallId, entry]) => [toolCallId, entry.id] as const),
    }),
  }
}

function isSame(before: ToolContent, after: ToolContent): boolean {
  const names = Object.keys(after) as (keyof ToolContent)[]
  // Fields that the update leaves out are identical; only the others need comparing.
  return names.every(
    (name) => before[name] === after[name] || JSON.stringify(before[name]) === JSON.stringify(after[name]),
  )
}
