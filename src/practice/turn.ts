import { setTimeout as pause } from 'node:timers/promises'
import {
  methods,
  type AgentContext,
  type ClientCapabilities,
  type SendRequestOptions,
  type SessionUpdate,
} from '@agentclientprotocol/sdk/unstable'
import type { DialectWire } from './dialect-wire.ts'
import type { PracticeSession } from './session.ts'
import { paceOf } from './settings.ts'

/** One prompt and its turn. */
export type PracticeTurn = {
  readonly session: PracticeSession
  readonly client: AgentContext
  readonly can: ClientCapabilities
  readonly seed: DialectWire
  readonly signal: AbortSignal
  /** For requests to the client: cancelled with the turn. */
  readonly withdrawable: SendRequestOptions
  /** Characters sent so far. */
  readonly said: () => number
  /** Reports this usage now, instead of the turn's own. */
  readonly spend: (used: number, cost: number) => Promise<void>
  readonly ignoreCancel: () => void
  /** The next text starts a new line. */
  readonly newLine: () => void
  send(update: SessionUpdate): Promise<void>
  say(text: string): Promise<void>
  think(text: string): Promise<void>
  /** Word by word, at the session's pace. */
  tell(text: string): Promise<void>
  pause(milliseconds: number): Promise<void>
}

export type TurnDeps = {
  session: PracticeSession
  client: AgentContext
  can: ClientCapabilities
  seed: DialectWire
  signal: AbortSignal
  ignoreCancel(): void
  spend(used: number, cost: number): Promise<void>
}

export function createTurn(deps: TurnDeps): PracticeTurn {
  const { session, client, signal } = deps
  let said = 0
  let last: SessionUpdate['sessionUpdate'] | null = null
  let breakBefore = false

  async function send(update: SessionUpdate): Promise<void> {
    signal.throwIfAborted()
    last = update.sessionUpdate
    session.history.append({ type: 'update', update })
    await client.notify(methods.client.session.update, { sessionId: session.id, update })
  }
  async function say(text: string): Promise<void> {
    const whole = breakBefore && last === 'agent_message_chunk' ? `\n${text}` : text
    breakBefore = false
    said += whole.length
    await send({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: whole } })
  }
  const wait = async (milliseconds: number): Promise<void> => {
    await pause(milliseconds, undefined, { signal })
  }
  return {
    ...deps,
    withdrawable: { cancellationSignal: signal, stopWaitingOnCancel: true },
    said: () => said,
    newLine: () => {
      breakBefore = true
    },
    send,
    say,
    think: (text) => send({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text } }),
    async tell(text) {
      const pace = paceOf(session)
      if (pace === 0) return say(text)
      for (const word of text.match(/\s*\S+\s*$|\s*\S+/g) ?? [text]) {
        await say(word)
        await wait(pace)
      }
    },
    pause: wait,
  }
}
