import { useNavigate } from '@tanstack/react-router'
import { useState, type FormEvent } from 'react'
import type { ChatInstance } from '../../../src/domain/chat-instance/schema.ts'
import { useClient } from '../../api/backend.tsx'
import { useAction } from '../../api/use-action.ts'
import { paths } from '../../app/paths.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { CheckField, SelectField, TextField } from '../../ui/field.tsx'
import { nameOfInstance } from './names.ts'

/** For chats in which nobody has written yet. */
export function AddChat({ close, instances }: { close: () => void; instances: readonly ChatInstance[] }) {
  const client = useClient()
  const navigate = useNavigate()
  const [instanceId, setInstanceId] = useState(instances[0]?.id)
  const [chatId, setChatId] = useState('')
  const [name, setName] = useState('')
  const [isGroup, setIsGroup] = useState(true)
  const add = useAction(
    async () => {
      const instance = instances.find(({ id }) => id === instanceId)
      if (!instance) throw new Error('Choose an account.')
      const { id, platform, name: word } = instance
      const platformId = word === platform ? chatId.trim() : `${word}/${chatId.trim()}`
      return client.addChat({
        body: { channelType: platform, platformId, name: name.trim() || null, isGroup, instanceId: id },
      })
    },
    {
      failed: 'The chat was not added',
      stale: [['chats']],
      whenDone: ({ id }) => void navigate({ to: paths.chat, params: { id } }),
    },
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    add.mutate(undefined)
  }
  return (
    <Dialog open close={close} title="Add a chat">
      <form onSubmit={submit} className="flex flex-col gap-4">
        <SelectField
          label="Account"
          value={instanceId}
          onChange={({ target }) => setInstanceId(instances.find(({ id }) => id === target.value)?.id)}
        >
          {instances.map((instance) => (
            <option key={instance.id} value={instance.id}>
              {nameOfInstance(instance)}
            </option>
          ))}
        </SelectField>
        <TextField
          label="Id on the platform"
          required
          placeholder="C0123456789"
          hint="In Slack: open the channel’s details; the id is at the bottom."
          value={chatId}
          onChange={({ target }) => setChatId(target.value)}
        />
        <TextField label="Name (optional)" value={name} onChange={({ target }) => setName(target.value)} />
        <CheckField
          label="A group or channel"
          hint="Not a conversation with one person."
          checked={isGroup}
          onChange={({ target }) => setIsGroup(target.checked)}
        />
        <DialogActions>
          <Button onClick={close}>Cancel</Button>
          <Button tone="main" type="submit" disabled={chatId.trim() === '' || add.isPending}>
            Add
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
