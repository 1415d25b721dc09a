import { withTimeLimit } from '../../../lib/time-limit.ts'
import type { Recorder } from '../transcript/recorder.ts'
import type { Wire } from '../wire/wire.ts'
import type { Turns } from './turns.ts'

const patienceMs = 5000
const closeMs = 1000

/** Cancels the turn and closes the session first; the agent is ended in any case. */
export async function askToClose(
  { turns, recorder, wire, mayClose }: { turns: Turns; recorder: Recorder; wire: Wire; mayClose(): boolean },
  options: { keepAsks: boolean },
): Promise<void> {
  if (recorder.notes.turn) {
    await turns.cancel(options)
    await withTimeLimit(turns.over(), patienceMs)
  } else if (recorder.about.turnless) await turns.cancel(options)
  const { capabilities, agentSessionId } = recorder.about
  const closes = (capabilities as { sessionCapabilities?: { close?: unknown } } | null)?.sessionCapabilities?.close
  if (mayClose() && closes)
    await withTimeLimit(wire.request('session-close', 'session/close', { sessionId: agentSessionId }), closeMs)
}
