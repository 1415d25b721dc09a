import { useQuery } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import type { AgentGroup } from '../../../src/domain/agent-group/schema.ts'
import { useClient } from '../../api/backend.tsx'
import { namesQuery, reposQuery } from '../../api/queries.ts'
import { useAction } from '../../api/use-action.ts'
import { Button } from '../../ui/button.tsx'
import { DialogActions } from '../../ui/dialog.tsx'
import { CheckField, SelectField } from '../../ui/field.tsx'
import { safeText } from '../../ui/safe-text.ts'
import { NameAndAgent, WorksIn } from './group-fields.tsx'

const steps = ['Name and agent', 'Where it works and runs', 'Who can use it'] as const

/** A new agent group in three steps. */
export function NewGroup({ close, done }: { close: () => void; done: (group: AgentGroup) => void }) {
  const client = useClient()
  const { data: repos } = useQuery(reposQuery(client))
  const { data: people } = useQuery(namesQuery(client))
  const [step, setStep] = useState(0)
  const [name, setName] = useState('')
  const [agent, setAgent] = useState('')
  const [place, setPlace] = useState<string>('')
  const [isolation, setIsolation] = useState('')
  const [members, setMembers] = useState<readonly string[]>([])
  const create = useAction(
    async () => {
      const group = await client.createAgentGroup({
        body: {
          name: name.trim(),
          agent: agent || null,
          repoId: repos?.find(({ id }) => id === place)?.id ?? null,
          config: { isolation: (isolation || null) as 'none' | 'sandbox' | 'container' | null },
        },
      })
      for (const { id } of people?.people.filter(({ id: one }) => members.includes(one)) ?? [])
        await client.addMember({ params: { groupId: group.id, userId: id } })
      return group
    },
    { failed: 'The agent group was not created', stale: [['groups']], whenDone: done },
  )
  const isLast = step === steps.length - 1
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isLast) create.mutate(undefined)
    else setStep(step + 1)
  }
  const toggle = (id: string) =>
    setMembers(members.includes(id) ? members.filter((one) => one !== id) : [...members, id])
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <p className="text-sm text-soft">
        Step {step + 1} of {steps.length}: {steps[step]}
      </p>
      {step === 0 && <NameAndAgent name={{ value: name, set: setName }} agent={{ value: agent, set: setAgent }} />}
      {step === 1 && (
        <>
          <WorksIn value={place} set={setPlace} />
          <SelectField
            label="Runs"
            hint="A container has its own packages, limits and network."
            value={isolation}
            onChange={({ target }) => setIsolation(target.value)}
          >
            <option value="">As the server is configured</option>
            <option value="container">In a container</option>
            <option value="sandbox">In a sandbox</option>
          </SelectField>
        </>
      )}
      {step === 2 && (
        <fieldset className="flex max-h-72 flex-col gap-1 overflow-y-auto">
          <legend className="pb-1 text-sm text-soft">
            Members write to it in chats. Owners and admins always can. You can change this later.
          </legend>
          {people?.people.map(({ id, displayName }) => (
            <CheckField
              key={id}
              label={safeText(displayName)}
              checked={members.includes(id)}
              onChange={() => toggle(id)}
            />
          ))}
        </fieldset>
      )}
      <DialogActions>
        <Button onClick={step === 0 ? close : () => setStep(step - 1)}>{step === 0 ? 'Cancel' : 'Back'}</Button>
        <Button tone="main" type="submit" disabled={name.trim() === '' || create.isPending}>
          {isLast ? 'Create' : 'Next'}
        </Button>
      </DialogActions>
    </form>
  )
}
