import {
  methods,
  RequestError,
  type AgentContext,
  type ClientCapabilities,
  type ContentBlock,
  type PromptResponse,
} from '@agentclientprotocol/sdk/unstable'
import { perform } from './script.ts'
import type { DialectWire } from './dialect-wire.ts'
import type { PracticeSession } from './session.ts'
import { createTurn } from './turn.ts'

const contextSize = 200_000
const tokensOfTurn = 500
const charactersOfToken = 4
const costOfToken = 0.000_01

type Spent = { used: number; cost: number }

type PromptDeps = {
  session: PracticeSession
  prompt: ContentBlock[]
  client: AgentContext
  can: ClientCapabilities
  seed: DialectWire
  /** The request was cancelled, or the connection is gone. */
  withdrawn: AbortSignal
}

/** Runs one turn of a session; at most one at a time. */
export async function runPrompt({
  session,
  prompt,
  client,
  can,
  seed,
  withdrawn,
}: PromptDeps): Promise<PromptResponse> {
  if (session.running) throw RequestError.invalidRequest(undefined, 'a turn of this session is still running')
  const controller = new AbortController()
  let ignoresCancel = false
  let reported: Spent | null = null
  const cancel = (force = false): void => {
    if (force || !ignoresCancel) controller.abort()
  }
  session.running = { cancel }
  withdrawn.addEventListener('abort', () => cancel(), { once: true })

  const text = textOf(prompt)
  for (const content of prompt)
    session.history.append({ type: 'update', update: { sessionUpdate: 'user_message_chunk', content } })
  const turn = createTurn({
    session,
    client,
    can,
    seed,
    signal: controller.signal,
    ignoreCancel: () => {
      ignoresCancel = true
    },
    spend: (used, cost) => {
      reported = { used, cost }
      return tellUsage(session, client, reported)
    },
  })

  /** Small, deterministic figures, unless `/usage` set others. */
  async function report(): Promise<{ input: number; output: number }> {
    const input = tokensOfTurn + Math.ceil(text.length / charactersOfToken)
    const output = Math.ceil(turn.said() / charactersOfToken)
    const cost = session.cost + (input + output) * costOfToken
    const spent = reported ?? { used: session.used + input + output, cost: Math.round(cost * 1e6) / 1e6 }
    await tellUsage(session, client, spent)
    return { input, output }
  }

  try {
    await giveTitle(session, client, text)
    await perform(turn, text)
  } catch (error) {
    if (!controller.signal.aborted) throw error
  } finally {
    session.running = null
    session.history.flush()
  }
  const { input, output } = await report()
  return {
    stopReason: controller.signal.aborted ? 'cancelled' : 'end_turn',
    usage: { inputTokens: input, outputTokens: output, totalTokens: input + output },
  }
}

async function tellUsage(session: PracticeSession, client: AgentContext, spent: Spent): Promise<void> {
  Object.assign(session, spent)
  session.history.append({ type: 'spent', ...spent })
  const cost = { amount: spent.cost, currency: 'USD' }
  const update = { sessionUpdate: 'usage_update', used: spent.used, size: contextSize, cost } as const
  await client.notify(methods.client.session.update, { sessionId: session.id, update })
}

async function giveTitle(session: PracticeSession, client: AgentContext, prompt: string): Promise<void> {
  if (session.title !== null) return
  const title = prompt.trim().split('\n', 1)[0]?.slice(0, 60) || 'Practice'
  session.title = title
  session.history.append({ type: 'title', title })
  const update = { sessionUpdate: 'session_info_update', title, updatedAt: new Date().toISOString() } as const
  await client.notify(methods.client.session.update, { sessionId: session.id, update })
}

const textOf = (prompt: ContentBlock[]): string =>
  prompt.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')
