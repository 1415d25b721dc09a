import type { Frame, RpcMessage } from '../support/acp-recordings.ts'

export type Option = { optionId: string; name: string; kind: string }
export type Diff = { type: string; path: string; oldText?: string | null; newText: string }
export type RecordedAsk = { toolCallId: string; options: Option[]; diffs: Diff[] }
export type Action =
  | { type: 'answer'; ask: RecordedAsk; optionId: string }
  /** An ask: the turn was cancelled while it was open; `said` is the text up to then. */
  | { type: 'cancel'; ask: RecordedAsk | null; said: string }

/** One turn of a recording, and what the person did. */
export type RecordedTurn = {
  prompt: string
  actions: Action[]
  said: string
  thought: string
  plan: unknown[] | null
  /** The last status of every tool call. */
  tools: Map<string, string>
  stopReason: string | null
  error: RpcMessage['error'] | null
}

type ToolCall = { toolCallId: string; status?: string; content?: Diff[] }
type Update = ToolCall & { sessionUpdate: string; content?: { text?: string } | Diff[]; entries?: unknown[] }

/** Gemini reports its modes as text (`[MODE_UPDATE] yolo`), which is not part of the conversation. */
const isSpeech = (text: string): boolean => !text.startsWith('[MODE_UPDATE]')

export function turnsOf(frames: readonly Frame[]): RecordedTurn[] {
  const turns: RecordedTurn[] = []
  const running = new Map<string | number, RecordedTurn>()
  const diffs = new Map<string, Diff[]>()
  const open = new Map<string | number, RecordedAsk>()
  /** Turns follow each other; of two requested at once, the first runs first. */
  const current = () => running.values().next().value

  function call(turn: RecordedTurn, { toolCallId, status, content }: ToolCall): void {
    if (status !== undefined || !turn.tools.has(toolCallId)) turn.tools.set(toolCallId, status ?? 'pending')
    const shown = (content ?? []).filter(({ type }) => type === 'diff')
    if (shown.length > 0) diffs.set(toolCallId, shown)
  }

  function update(turn: RecordedTurn, { sessionUpdate, ...more }: Update): void {
    const text = more.content && 'text' in more.content ? (more.content.text ?? '') : ''
    if (sessionUpdate === 'agent_message_chunk' && isSpeech(text)) turn.said += text
    if (sessionUpdate === 'agent_thought_chunk') turn.thought += text
    if (sessionUpdate === 'plan') turn.plan = more.entries ?? []
    if (sessionUpdate.startsWith('tool_call')) call(turn, more)
  }

  function fromAgent(msg: RpcMessage): void {
    const turn = current()
    if (msg.method === undefined && msg.id !== undefined) {
      const ended = running.get(msg.id)
      if (ended) Object.assign(ended, { stopReason: stopReasonOf(msg), error: msg.error ?? null })
      running.delete(msg.id)
    }
    if (!turn) return
    const {
      update: news,
      toolCall,
      options,
    } = (msg.params ?? {}) as {
      update?: Update
      toolCall?: ToolCall
      options?: Option[]
    }
    if (msg.method === 'session/update' && news) update(turn, news)
    if (msg.method === 'session/request_permission' && toolCall && options && msg.id !== undefined) {
      call(turn, toolCall)
      open.set(msg.id, { toolCallId: toolCall.toolCallId, options, diffs: diffs.get(toolCall.toolCallId) ?? [] })
    }
  }

  function fromClient(msg: RpcMessage): void {
    if (msg.method === 'session/prompt' && msg.id !== undefined) {
      const turn = newTurn(promptOf(msg))
      turns.push(turn)
      running.set(msg.id, turn)
    }
    const turn = current()
    if (msg.method === 'session/cancel') {
      const [ask = null] = open.values()
      turn?.actions.push({ type: 'cancel', ask, said: turn.said })
    }
    const ask = msg.method === undefined && msg.id !== undefined ? open.get(msg.id) : undefined
    if (!ask || msg.id === undefined) return
    open.delete(msg.id)
    const { outcome } = msg.result as { outcome: { outcome: string; optionId?: string } }
    if (outcome.optionId !== undefined) turn?.actions.push({ type: 'answer', ask, optionId: outcome.optionId })
  }

  for (const { dir, msg } of frames) (dir === 'a>c' ? fromAgent : fromClient)(msg)
  return turns
}

/** The same recording, made in another folder. */
export const madeIn = (workspace: string, frames: readonly Frame[]): Frame[] =>
  JSON.parse(JSON.stringify(frames).replaceAll('/recorded/workspace', workspace)) as Frame[]

const newTurn = (prompt: string): RecordedTurn => ({
  prompt,
  actions: [],
  said: '',
  thought: '',
  plan: null,
  tools: new Map(),
  stopReason: null,
  error: null,
})

const promptOf = (msg: RpcMessage): string =>
  ((msg.params?.['prompt'] ?? []) as { text: string }[]).map(({ text }) => text).join('')

const stopReasonOf = (msg: RpcMessage): string | null =>
  (msg.result as { stopReason?: string } | undefined)?.stopReason ?? null
