import { RequestError } from '@agentclientprotocol/sdk'
import type { Answer } from '../../../domain/ask/answer.ts'
import type { Ask, AskId, NewAsk } from '../../../domain/ask/schema.ts'
import type { SessionId } from '../../../domain/session/id.ts'
import { system } from '../actor.ts'
import type { Answers } from '../../../app/answers.ts'
import type { Approvals } from './approvals.ts'
import { derivedId } from '../../../lib/derived-id.ts'
import type { WorkspaceFiles, SharedDeps } from '../deps.ts'
import { createLimit } from '../../../lib/limit.ts'
import type { Recorder } from '../transcript/recorder.ts'
import type { AgentTerminals } from './terminal-calls.ts'
import type { Transcript } from '../transcript/transcript.ts'
import { storable } from '../transcript/storable-text.ts'

/** What the handlers of the agent's calls need. */
export type CallDeps = {
  shared: SharedDeps
  sessionId: SessionId
  childId: string
  recorder: Recorder
  transcript: () => Transcript
  answers: Answers
  approvals: Approvals
  files: WorkspaceFiles
  terminals: AgentTerminals
  missingFileIsEmpty: boolean
  offsetOf(requestId: unknown): number
  /** The call as it was received, stored while it waits. */
  callAt(offset: number): object | undefined
  /** Whether an earlier server already applied the line: its tool call is in the messages. */
  wasApplied(offset: number): boolean
  /** Resolves when the session is not paused. */
  unpaused(): Promise<void>
  /** The server stops: waiting calls are left to the next one. */
  closing: AbortSignal
}

export type AskPart = Omit<NewAsk, 'id' | 'sessionId' | 'origin' | 'needed' | 'answerers' | 'timeoutSeconds'>

/** An answer given automatically, by this rule. */
export type AutomaticAnswer = { rule: string; answer: Answer }

export type AskForCall = (
  requestId: unknown,
  ask: AskPart,
  signal: AbortSignal,
  automatic?: AutomaticAnswer,
) => Promise<Ask>

/** An agent that asks a thousand things at once must not keep everyone else waiting. */
const openedAtOnce = 4

const never = new Promise<never>(() => {})

/** Opens an ask for a call and waits for its end, across restarts of the server. */
export function createAskForCall(deps: CallDeps): AskForCall {
  const { shared, recorder, answers, closing } = deps
  const fewAtOnce = createLimit(openedAtOnce)
  return async (requestId, part, signal, automatic) => {
    const offset = deps.offsetOf(requestId)
    const id = derivedId<AskId>(deps.childId, offset, 'ask')
    const message = deps.callAt(offset)
    if (message) recorder.hold({ offset, message })
    const ask: NewAsk = {
      ...part,
      id,
      sessionId: deps.sessionId,
      origin: 'acp',
      needed: 1,
      answerers: null,
      timeoutSeconds: null,
    }
    const command = { type: 'ask.open' as const, ask, ...(automatic && { automatic }) }
    const opened = await fewAtOnce(async () => {
      await recorder.flush()
      recorder.kept(offset)
      return answers.expect(id, () => shared.app.dispatch(command, system))
    })
    if (!opened.ok && opened.fault.code !== 'ask_exists') throw RequestError.requestCancelled(opened.fault.message)
    const closed = await answers.wait(id, AbortSignal.any([closing, signal]))
    if (closing.aborted) return never
    if (closed === null) {
      // An agent that ends with the server, or is restarted, withdraws its requests; its next process still needs them.
      const hosted = await shared.app.read.hostPhase(deps.sessionId)
      if (hosted && (hosted.status === 'interrupted' || hosted.phase !== 'awake')) return never
      await shared.app.dispatch({ type: 'ask.cancel', id, reason: 'withdrawn by the agent' }, system)
      throw RequestError.requestCancelled()
    }
    await deps.unpaused()
    return closing.aborted ? never : closed
  }
}

export const askDefaults = { description: null, riskLevel: 'low' as const }
export const oneLine = (text: string): string =>
  storable(text).replaceAll(/\s+/g, ' ').trim().slice(0, 500) || 'The agent asks'
