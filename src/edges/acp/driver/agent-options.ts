import type { AgentAbout } from '../../../domain/agent/about.ts'
import { isListedModel } from '../../../app/agent-offers.ts'
import { newRandomId } from '../../../lib/id.ts'
import type { Json } from '../../../lib/json.ts'
import { fail, ok, type Result } from '../../../lib/result.ts'
import { withTimeLimit } from '../../../lib/time-limit.ts'
import type { Recorder } from '../transcript/recorder.ts'
import type { Wire } from '../wire/wire.ts'
import { choiceOf, notOfferedText } from './choose-option.ts'

/** Modes, options and past conversations of a running agent. */
export type AgentOptions = {
  setMode(modeId: string): Promise<Result<void>>
  setOption(optionId: string, value: string | boolean): Promise<Result<void>>
  setModel(modelId: string): Promise<Result<void>>
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

  const setModel = (modelId: string): Promise<Result<void>> =>
    tune('session/set_model', { sessionId: sessionId(), modelId }, () => {
      const { models } = recorder.about
      recorder.setAbout({ models: { ...(models as object | null), currentModelId: modelId } })
    })

  return {
    setMode: (modeId) =>
      tune('session/set_mode', { sessionId: sessionId(), modeId }, () => {
        const { modes } = recorder.about
        recorder.setAbout({ modes: { ...(modes as object | null), currentModeId: modeId } })
      }),
    setOption: (configId, value) => {
      if (isListedModel(recorder.about, configId)) return setModel(String(value))
      const params = {
        sessionId: sessionId(),
        configId,
        ...(typeof value === 'boolean' ? { type: 'boolean', value } : { value }),
      }
      return tune('session/set_config_option', params, ({ configOptions }) => {
        if (configOptions !== undefined) recorder.setAbout({ configOptions })
      })
    },
    setModel,
    async conversations(cwd) {
      let found: Json = []
      const listed = await tune('session/list', { cwd }, ({ sessions }) => {
        found = sessions ?? []
      })
      return listed.ok ? ok(found) : listed
    },
  }
}

/** C11: tells the agent which model to use and how much to think. Returns what it does not offer, as text. */
export async function applyChoices(
  options: Pick<AgentOptions, 'setOption' | 'setModel'>,
  about: () => Pick<AgentAbout, 'configOptions' | 'models'>,
  wanted: { readonly model: string | null; readonly effort: string | null },
  /** Whether the agent was told by a variable. */
  told: { readonly model: boolean; readonly effort: boolean },
): Promise<string[]> {
  const failures: string[] = []
  for (const what of ['model', 'effort'] as const) {
    const word = wanted[what]
    if (word === null) continue
    const choice = choiceOf(what, word, about())
    if (choice.kind === 'in_force') continue
    if (choice.kind === 'not_offered') {
      if (!told[what]) failures.push(notOfferedText(what, word, choice.offered))
      continue
    }
    const done =
      choice.kind === 'set_model' ? await options.setModel(choice.id) : await options.setOption(choice.id, choice.value)
    if (!done.ok) failures.push(`The agent did not take the ${what} "${word}": ${done.fault.message}`)
  }
  return failures
}
