import { useState, type FormEvent } from 'react'
import type { AgentGroup } from '../../../src/domain/agent-group/schema.ts'
import type { WiringSettings } from '../../../src/domain/chat/schema.ts'
import { Button } from '../../ui/button.tsx'
import { DialogActions } from '../../ui/dialog.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { safeText } from '../../ui/safe-text.ts'
import { ChoiceField } from './choice-field.tsx'
import { engageModes, ignoredPolicies, senderScopes, sessionModes, verbosities } from './words.ts'

const defaults: WiringSettings = {
  sessionMode: 'shared',
  priority: 0,
  engageMode: 'mention',
  engagePattern: null,
  senderScope: 'all',
  ignoredMessagePolicy: 'drop',
  verbosity: 'quiet',
}

/** How an agent group listens in a chat. `groups` is given when it is chosen here. */
export function WiringForm({
  groups,
  settings = defaults,
  save,
  close,
  isSaving,
}: {
  groups: readonly AgentGroup[] | null
  settings?: WiringSettings
  save: (settings: WiringSettings, group: AgentGroup | null) => void
  close: () => void
  isSaving: boolean
}) {
  const [group, setGroup] = useState(groups?.[0] ?? null)
  const [wanted, setWanted] = useState<WiringSettings>({ ...defaults, ...settings })
  const set = (part: Partial<WiringSettings>) => setWanted((before) => ({ ...before, ...part }))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save({ ...wanted, engagePattern: wanted.engagePattern?.trim() || null }, group)
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      {groups && (
        <SelectField
          label="Agent group"
          value={group?.id}
          onChange={({ target }) => setGroup(groups.find(({ id }) => id === target.value) ?? null)}
        >
          {groups.map(({ id, name }) => (
            <option key={id} value={id}>
              {safeText(name)}
            </option>
          ))}
        </SelectField>
      )}
      <ChoiceField
        label="Answers"
        words={engageModes}
        value={wanted.engageMode}
        choose={(engageMode) => set({ engageMode })}
      />
      {wanted.engageMode === 'pattern' && (
        <TextField
          label="Pattern"
          hint="A regular expression. A dot, or nothing, matches every message."
          value={wanted.engagePattern ?? ''}
          className="font-mono"
          onChange={({ target }) => set({ engagePattern: target.value })}
        />
      )}
      <ChoiceField
        label="Listens to"
        words={senderScopes}
        value={wanted.senderScope}
        choose={(senderScope) => set({ senderScope })}
      />
      <ChoiceField
        label="Other messages"
        words={ignoredPolicies}
        value={wanted.ignoredMessagePolicy}
        choose={(ignoredMessagePolicy) => set({ ignoredMessagePolicy })}
      />
      <ChoiceField
        label="Sessions"
        words={sessionModes}
        value={wanted.sessionMode}
        choose={(sessionMode) => set({ sessionMode })}
      />
      <ChoiceField
        label="Posts"
        words={verbosities}
        value={wanted.verbosity}
        choose={(verbosity) => set({ verbosity })}
      />
      <TextField
        label="Priority"
        type="number"
        min={-1000}
        max={1000}
        step={1}
        hint="If several agent groups listen here, the higher one gets a message first."
        value={wanted.priority}
        onChange={({ target }) => set({ priority: Math.trunc(Number(target.value)) })}
      />
      <DialogActions>
        <Button onClick={close}>Cancel</Button>
        <Button tone="main" type="submit" disabled={isSaving || (groups !== null && group === null)}>
          {groups ? 'Wire' : 'Save'}
        </Button>
      </DialogActions>
    </form>
  )
}
