import { newRandomId } from '../../../lib/id.ts'
import type { Json } from '../../../lib/json.ts'
import { fail, ok, type Result } from '../../../lib/result.ts'
import { withTimeLimit } from '../../../lib/time-limit.ts'
import type { Recorder } from '../transcript/recorder.ts'
import type { Wire } from '../wire/wire.ts'

/** Modes, options and past conversations of a running agent. */
export type AgentOptions = {
  setMode(modeId: string): Promise<Result<void>>
  setOption(optionId: string, value: string | boolean): Promise<Result<void>>
  /** Conversations the agent remembers in this directory. */
  conversations(cwd: string): Promise<Result<Json>>
}

type OptionsAnswer = { configOptions?: Json; sessions?: Json }

export function createAgentOptions(wire: Wire, recorder: Recorder, patienceMs: number): AgentOptions {
  const sessionId = () => recorder.about.agentSessionId

  /** The change is stored before the caller gets the result. */
  async function tune(method: string, params: object, set: (answer: OptionsAnswer) => void): Promise<Result<void>> {
    const asked = wire.request<OptionsAnswer | null>(`tune-${newRandomId()}`, method, params)
    // Also if it comes too late: an unsettled line would hold back everything after it.
    const settled = asked.then((answer) => {
      recorder.settle(answer.ok ? answer.value.offset : Number(answer.fault.details?.['offset'] ?? -1))
      return answer
    })
    const answer = await withTimeLimit(settled, patienceMs)
    if (!answer) return fail({ kind: 'unavailable', code: 'agent_silent', message: 'The agent does not answer.' })
    if (!answer.ok) return answer
    set(answer.value.value ?? {})
    await recorder.flush()
    return ok(undefined)
  }

  return {
    setMode: (modeId) =>
      tune('session/set_mode', { sessionId: sessionId(), modeId }, () => {
        const { modes } = recorder.about
        recorder.setAbout({ modes: { ...(modes as object | null), currentModeId: modeId } })
      }),
    setOption: (configId, value) => {
      const params = {
        sessionId: sessionId(),
        configId,
        ...(typeof value === 'boolean' ? { type: 'boolean', value } : { value }),
      }
      return tune('session/set_config_option', params, ({ configOptions }) => {
        if (configOptions !== undefined) recorder.setAbout({ configOptions })
      })
    },
    async conversations(cwd) {
      let found: Json = []
      const listed = await tune('session/list', { cwd }, ({ sessions }) => {
        found = sessions ?? []
      })
      return listed.ok ? ok(found) : listed
    },
  }
}
