import { modeMisfit, optionMisfit } from '../../../app/agent-offers.ts'
import type { ChosenAtStart } from '../../../app/hosting.ts'
import type { AgentAbout } from '../../../domain/agent/about.ts'
import type { Failed, Result } from '../../../lib/result.ts'
import { applyChoices, type AgentOptions } from './agent-options.ts'
import type { Handshake } from './driver-types.ts'

type About = Pick<AgentAbout, 'configOptions' | 'models' | 'modes'>

/** Sets the model, effort, mode and options that a session is to begin with. Returns what the agent did not take, as text. */
export async function applyStart(
  options: Pick<AgentOptions, 'setOption' | 'setModel' | 'setMode'>,
  about: () => About,
  { choices, chosen }: { choices: Handshake['choices']; chosen: ChosenAtStart | undefined },
): Promise<string[]> {
  const failures = choices ? await applyChoices(options, about, choices.wanted, choices.told) : []
  if (!chosen) return failures
  const note = (misfit: Failed | null, done: Result<void> | null) => {
    const refused = misfit ?? (done?.ok === false ? done : null)
    if (refused) failures.push([refused.fault.message, refused.fault.hint ?? ''].join(' ').trim())
  }
  const { mode } = chosen
  if (mode !== null) {
    const misfit = modeMisfit(about(), mode)
    note(misfit, misfit ? null : await options.setMode(mode))
  }
  for (const [id, value] of Object.entries(chosen.options)) {
    const misfit = optionMisfit(about(), id, value)
    note(misfit, misfit ? null : await options.setOption(id, value))
  }
  return failures
}
