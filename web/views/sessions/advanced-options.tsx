import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { AgentInfo } from '../../../src/client/contract/agents.ts'
import { useClient } from '../../api/backend.tsx'
import { usePermissions } from '../../api/queries.ts'
import { CheckField, SelectField, TextField } from '../../ui/field.tsx'
import { safeText } from '../../ui/safe-text.ts'
import { signInsOf, type StartChoices } from './start-choices.ts'

export type Budgets = { cost: string; tokens: string }

type Props = {
  agent: AgentInfo | undefined
  choices: StartChoices
  choose: (change: Partial<StartChoices>) => void
  budgets: Budgets
  setBudgets: (next: Budgets) => void
  badBudget: boolean
}

/** Rarely changed options: confinement, worktree, budget, sign-in. */
export function AdvancedOptions({ agent, choices, choose, budgets, setBudgets, badBudget }: Props) {
  const isSet = choices.isolation !== '' || choices.worktree || choices.authMethod !== ''
  const [open, setOpen] = useState(isSet)
  const may = usePermissions()
  return (
    <details open={open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="min-h-8 font-medium">Confinement, worktree, budget, sign-in</summary>
      {open && (
        <div className="mt-3 grid gap-4 sm:grid-cols-2">
          <SelectField
            label="Confinement"
            value={choices.isolation}
            onChange={({ target }) => choose({ isolation: isolationOf(target.value) })}
            hint={isolationHint(choices.isolation)}
          >
            <option value="">Default{agent && ` (${agent.isolation})`}</option>
            <option value="sandbox">Sandbox</option>
            <option value="container">Container</option>
            {may.machine && <option value="none">None</option>}
          </SelectField>
          {agent && <SignIn agent={agent} choices={choices} choose={choose} />}
          <TextField
            label="Budget in US dollars"
            inputMode="decimal"
            value={budgets.cost}
            onChange={({ target }) => setBudgets({ ...budgets, cost: target.value })}
            placeholder="no limit"
            error={badBudget ? 'Must be a number above 0.' : null}
            hint="As reported by the agent. At this limit it pauses and asks."
          />
          <TextField
            label="Budget in tokens"
            inputMode="numeric"
            value={budgets.tokens}
            onChange={({ target }) => setBudgets({ ...budgets, tokens: target.value })}
            placeholder="no limit"
            hint="Context in use."
          />
          <div className="sm:col-span-2">
            <CheckField
              label="In a separate Git worktree"
              hint="Works in a separate branch and folder. Your checkout is not touched."
              checked={choices.worktree}
              onChange={({ target }) => choose({ worktree: target.checked })}
            />
          </div>
        </div>
      )}
    </details>
  )
}

const isolationOf = (value: string): StartChoices['isolation'] =>
  value === 'none' || value === 'sandbox' || value === 'container' ? value : ''

function isolationHint(isolation: StartChoices['isolation']): string {
  if (isolation === 'none') return 'The agent runs as the server’s user, and can do what that user can.'
  if (isolation === 'sandbox') return 'It sees the workspace and what it needs to run, nothing else.'
  if (isolation === 'container')
    return 'It runs in a container of its own, without network, with limits. This needs Docker or Podman on the server.'
  return 'Default of the agent or the configuration.'
}

/** Asking an agent for its sign-in methods starts it, so this waits until needed. */
function SignIn({ agent, choices, choose }: Pick<Props, 'choices' | 'choose'> & { agent: AgentInfo }) {
  const client = useClient()
  const [asked, setAsked] = useState(choices.authMethod !== '')
  const may = usePermissions()
  const probe = useQuery({
    queryKey: ['agents', 'probed'],
    queryFn: () => client.listAgents({ query: { probe: 'true' } }),
    enabled: asked && agent.name !== 'practice' && may.machine,
    staleTime: 5 * 60_000,
  })
  const probed = probe.data?.agents.find(({ name }) => name === agent.name)
  const methods = signInsOf(probed?.authMethods ?? agent.authMethods)
  const hint =
    agent.name === 'practice'
      ? 'The practice agent needs no sign-in.'
      : probe.isFetching
        ? 'Asking the agent…'
        : (probed?.error ??
          (asked && methods.length === 0 ? 'No options available.' : 'Its default, unless you choose one.'))
  return (
    <SelectField
      label="Sign-in"
      value={choices.authMethod}
      disabled={agent.name === 'practice'}
      onFocus={() => setAsked(true)}
      onPointerDown={() => setAsked(true)}
      onChange={({ target }) => choose({ authMethod: target.value })}
      hint={safeText(hint)}
    >
      <option value="">Default</option>
      {choices.authMethod !== '' && !methods.some(({ id }) => id === choices.authMethod) && (
        <option value={choices.authMethod}>{safeText(choices.authMethod)}</option>
      )}
      {methods.map(({ id, name }) => (
        <option key={id} value={id}>
          {safeText(name)}
        </option>
      ))}
    </SelectField>
  )
}
