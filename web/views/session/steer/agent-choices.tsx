import type { SessionDetail } from '../../../../src/client/contract/sessions.ts'
import type { AgentState } from '../../../../src/domain/agent/about.ts'
import { safeText } from '../../../ui/safe-text.ts'
import { useSessionAction } from '../session-hooks.ts'
import { modesOf, offersOf, type AgentChoice, type AgentOption } from './agent-offers.ts'

/** Modes and options of the agent, to be set while it works. */
export function AgentChoices({ session: { id, agentState } }: { session: SessionDetail }) {
  const setMode = useSessionAction<string>(id, {
    failed: 'The mode was not changed',
    run: (client, modeId) => client.setAgentMode({ params: { id }, body: { modeId } }),
    foresee: ({ agentState: state }, currentModeId) =>
      patched(state, { modes: { ...(state?.modes as object | null), currentModeId } }),
  })
  const setOption = useSessionAction<{ offer: AgentOption; value: string | boolean }>(id, {
    failed: 'The option was not changed',
    run: (client, { offer, value }) => client.setAgentOption({ params: { id }, body: { optionId: offer.id, value } }),
  })
  const modes = modesOf(agentState?.modes)
  const offers = offersOf(agentState?.configOptions)
  // Some agents also list their modes as an option.
  const others = offers.filter(
    (offer) => !(modes && offer.kind === 'select' && sameChoices(offer.choices, modes.choices)),
  )
  return (
    <>
      {modes && (
        <Pick label="Mode" current={modes.current} choices={modes.choices} pick={(value) => setMode.mutate(value)} />
      )}
      {others.map((offer) =>
        offer.kind === 'select' ? (
          <Pick
            key={offer.id}
            label={offer.name}
            about={offer.about}
            current={offer.current}
            choices={offer.choices}
            pick={(value) => setOption.mutate({ offer, value })}
          />
        ) : (
          <label key={offer.id} title={safeText(offer.about)} className="flex min-h-9 items-center gap-2 text-sm">
            <input
              type="checkbox"
              className="size-4 accent-accent"
              checked={offer.current}
              onChange={({ target }) => setOption.mutate({ offer, value: target.checked })}
            />
            {safeText(offer.name)}
          </label>
        ),
      )}
    </>
  )
}

const patched = (state: AgentState | null, change: Partial<AgentState>): Partial<SessionDetail> =>
  state ? { agentState: { ...state, ...change } } : {}

const sameChoices = (a: readonly AgentChoice[], b: readonly AgentChoice[]): boolean =>
  a.length === b.length && a.every(({ value }) => b.some((other) => other.value === value))

type PickProps = {
  label: string
  about?: string
  current: string
  choices: readonly AgentChoice[]
  pick: (value: string) => void
}

const Pick = ({ label, about = '', current, choices, pick }: PickProps) => (
  <label title={safeText(about)} className="flex min-h-9 items-center gap-1.5 text-sm text-soft">
    {safeText(label)}
    <select
      value={current}
      onChange={({ target }) => pick(target.value)}
      className="min-h-11 max-w-40 rounded-lg border border-line-strong bg-panel px-2 text-text pointer-fine:min-h-8"
    >
      {!choices.some(({ value }) => value === current) && <option value={current}>{safeText(current)}</option>}
      {choices.map(({ value, name }) => (
        <option key={value} value={value}>
          {safeText(name)}
        </option>
      ))}
    </select>
  </label>
)
