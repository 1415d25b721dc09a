import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { Template } from '../../../src/domain/template/schema.ts'
import { useClient } from '../../api/backend.tsx'
import { meQuery } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { SelectField, TextArea, TextField } from '../../ui/field.tsx'
import { safeText } from '../../ui/safe-text.ts'
import { errorText } from '../../ui/states.tsx'
import { groupsQuery } from '../chats/queries.ts'

/** Adds a template, or changes this one. */
export function TemplateDialog({ template, close }: { template: Template | null; close: () => void }) {
  const client = useClient()
  const queries = useQueryClient()
  const [name, setName] = useState(template?.name ?? '')
  const [description, setDescription] = useState(template?.description ?? '')
  const [text, setText] = useState(template?.text ?? '')
  const [holder, setHolder] = useState('')
  const groups = useOwnGroups()
  const save = useMutation({
    mutationFn: () => {
      const fields = { name: name.trim(), description: description.trim(), text }
      if (template?.id)
        return client.changeTemplate({
          params: { id: template.id },
          body: { ...fields, ...(template.revision !== null && { revision: template.revision }) },
        })
      const group = groups.find(({ id }) => id === holder)
      return client.addTemplate({ body: { ...fields, ...(group && { agentGroupId: group.id }) } })
    },
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['templates'] })
      close()
    },
    // Someone else may have changed it.
    onError: () => queries.invalidateQueries({ queryKey: ['templates'] }),
  })
  const incomplete = name.trim() === '' || text.trim() === ''
  const error = save.isError ? errorText(save.error) : null
  return (
    <Dialog open close={close} title={template === null ? 'New template' : `Edit ${template.name}`}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          if (!incomplete && !save.isPending) save.mutate()
        }}
      >
        <TextField
          label="Name"
          hint="Lower-case letters, digits, - and _."
          autoFocus
          maxLength={64}
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
        <TextField
          label="Description (optional)"
          maxLength={200}
          value={description}
          onChange={({ target }) => setDescription(target.value)}
        />
        <TextArea
          label="Text"
          className="min-h-32!"
          maxLength={100_000}
          hint="Fields: {name}, {name=default}, {name:one|two}. {{name}} is text."
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        {template === null && groups.length > 0 && (
          <SelectField label="For" value={holder} onChange={({ target }) => setHolder(target.value)}>
            <option value="">You</option>
            {groups.map((group) => (
              <option key={group.id} value={group.id}>
                Everyone in {safeText(group.name)}
              </option>
            ))}
          </SelectField>
        )}
        {error && (
          <p role="alert" className="text-sm text-stop">
            Not saved: {error.message} {error.hint}
          </p>
        )}
        <DialogActions>
          <Button onClick={close}>Cancel</Button>
          <Button tone="main" type="submit" disabled={incomplete || save.isPending}>
            Save
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

/** Agent groups that this person administers. */
export function useOwnGroups() {
  const client = useClient()
  const { data: me } = useQuery(meQuery(client))
  const { data: groups } = useQuery(groupsQuery(client))
  const administers = (id: string) =>
    me?.may.administer === true ||
    me?.user.roles.some((one) => one.role === 'admin' && one.agentGroupId === id) === true
  return (groups ?? []).filter(({ id }) => administers(id))
}
