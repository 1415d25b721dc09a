import { RequestError } from '@agentclientprotocol/sdk'
import type { Answer } from '../../../domain/ask/answer.ts'
import type { Ask, AskId, NewAsk } from '../../../domain/ask/schema.ts'
import type { SessionId } from '../../../domain/session/id.ts'
import { seeing, system } from '../actor.ts'
import type { Answers } from '../../../app/answers.ts'
import type { Approvals } from './approvals.ts'
import { derivedId } from '../../../lib/derived-id.ts'
import type { WorkspaceFiles, SharedDeps } from '../deps.ts'
import type { Recorder } from '../transcript/recorder.ts'
import type { AgentTerminals } from './terminal-calls.ts'
import type { Transcript } from '../transcript/transcript.ts'
import { storable } from '../transcript/words.ts'

/** What the agent's calls are answered with. */
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
  /** The call as it came, to be kept while it waits. */
  callAt(offset: number): object | undefined
  /** Read by a life before this one: what it says of a tool is in the messages already. */
  wasApplied(offset: number): boolean
  /** Held back while the session is paused. */
  unpaused(): Promise<void>
  /** The server goes: calls that wait are left to the next one. */
  closing: AbortSignal
}

export type AskPart = Omit<NewAsk, 'id' | 'sessionId' | 'origin' | 'needed' | 'answerers' | 'timeoutSeconds'>

/** An answer that is ours to give, by this rule. */
export type AutomaticAnswer = { rule: string; answer: Answer }

export type AskForCall = (
  requestId: unknown,
  ask: AskPart,
  signal: AbortSignal,
  automatic?: AutomaticAnswer,
) => Promise<Ask>

const never = new Promise<never>(() => {})

/** Opens an ask for a call and waits, through restarts of the server, for what becomes of it. */
export function createAskForCall(deps: CallDeps): AskForCall {
  const { shared, recorder, answers, closing } = deps
  return async (requestId, part, signal, automatic) => {
    const offset = deps.offsetOf(requestId)
    const id = derivedId<AskId>(deps.childId, offset, 'ask')
    const message = deps.callAt(offset)
    if (message) recorder.hold({ offset, message })
    await recorder.flush()
    recorder.kept(offset)
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
    const opened = await answers.expect(id, () => shared.app.dispatch(command, system))
    if (!opened.ok && opened.fault.code !== 'ask_exists') throw RequestError.requestCancelled(opened.fault.message)
    const closed = await answers.wait(id, AbortSignal.any([closing, signal]))
    if (closing.aborted) return never
    if (closed === null) {
      // Ended with the server it withdraws what it asked; whoever takes up its work still wants to know.
      const session = await shared.app.read.session(seeing, deps.sessionId)
      if (session.ok && session.value.status === 'interrupted') return never
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
