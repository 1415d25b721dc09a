import { newRandomId } from '../../lib/id.ts'
import type { Json } from '../../lib/json.ts'
import { fail, ok, type Result } from '../../lib/result.ts'
import { within } from '../../lib/within.ts'
import type { Recorder } from './recorder.ts'
import type { Wire } from './wire.ts'

/** Modes and options of an agent. */
export type AgentSettings = {
  setMode(modeId: string): Promise<Result<void>>
  setOption(optionId: string, value: string | boolean): Promise<Result<void>>
}

export function createSettings(wire: Wire, recorder: Recorder, patienceMs: number): AgentSettings {
  /** What is set is stored before the caller hears of it. */
  async function tune(
    method: string,
    params: object,
    set: (answer: { configOptions?: Json }) => void,
  ): Promise<Result<void>> {
    const whole = { ...params, sessionId: recorder.about.agentSessionId }
    const asked = wire.request<{ configOptions?: Json } | null>(`tune-${newRandomId()}`, method, whole)
    const answer = await within(asked, patienceMs)
    if (!answer) return fail({ kind: 'unavailable', code: 'agent_silent', message: 'The agent does not answer.' })
    recorder.settle(answer.ok ? answer.value.offset : Number(answer.fault.details?.['offset'] ?? -1))
    if (!answer.ok) return answer
    set(answer.value.value ?? {})
    await recorder.flush()
    return ok(undefined)
  }

  return {
    setMode: (modeId) =>
      tune('session/set_mode', { modeId }, () => {
        const { modes } = recorder.about
        recorder.setAbout({ modes: { ...(modes as object | null), currentModeId: modeId } })
      }),
    setOption: (configId, value) => {
      const params = { configId, ...(typeof value === 'boolean' ? { type: 'boolean', value } : { value }) }
      return tune('session/set_config_option', params, ({ configOptions }) => {
        if (configOptions !== undefined) recorder.setAbout({ configOptions })
      })
    },
  }
}
