import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { useState, type FormEvent } from 'react'
import type { WiredChat } from '../../../src/client/contract/chats.ts'
import type { MessagingGroupId } from '../../../src/domain/chat/id.ts'
import { useClient } from '../../api/backend.tsx'
import { usePermissions } from '../../api/queries.ts'
import { useAction } from '../../api/use-action.ts'
import { paths } from '../../app/paths.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { TextField } from '../../ui/field.tsx'
import { SettingsPage } from '../settings/settings-page.tsx'
import { ChatWirings } from './chat-wirings.tsx'
import { ChoiceField } from './choice-field.tsx'
import { Instead } from './instead-of-item.tsx'
import { nameOfChat, nameOfInstance } from './names.ts'
import { useInstances } from './queries.ts'
import { platformTitle, senderPolicies } from './words.ts'

const stale = [['chats']] as const

export function ChatView() {
  const { id } = useParams({ strict: false }) as { id: MessagingGroupId }
  const client = useClient()
  const { administer } = usePermissions()
  const chat = useQuery({ queryKey: ['chats', id], queryFn: () => client.getChat({ params: { id } }) })
  return (
    <SettingsPage title={chat.data ? nameOfChat(chat.data) : 'A chat'} back={paths.chats}>
      <Instead query={chat} what="Chat" all="All chats" to={paths.chats} />
      {chat.data && (
        <>
          <Place chat={chat.data} />
          {administer && <ChatSettings key={chat.data.id} chat={chat.data} />}
          <ChatWirings chat={chat.data} />
          {administer && <ChatEnd chat={chat.data} />}
        </>
      )}
    </SettingsPage>
  )
}

function Place({ chat }: { chat: WiredChat }) {
  const instance = useInstances().find(({ id }) => id === chat.instanceId)
  const platform = platformTitle(chat.channelType)
  return (
    <p className="flex flex-wrap items-center gap-2 text-soft">
      {chat.isGroup ? 'Group' : 'Direct messages'} on {instance ? nameOfInstance(instance) : platform}
      {chat.deniedAt !== null && <Badge signal="stop">denied</Badge>}
      {chat.channelType !== 'web' && <code className="font-mono text-sm break-all">{chat.platformId}</code>}
    </p>
  )
}

function ChatSettings({ chat }: { chat: WiredChat }) {
  const client = useClient()
  const [name, setName] = useState(chat.name ?? '')
  const [policy, setPolicy] = useState(chat.unknownSenderPolicy)
  const save = useAction(
    () =>
      client.updateChat({ params: { id: chat.id }, body: { name: name.trim() || null, unknownSenderPolicy: policy } }),
    { failed: 'Not saved', done: 'Saved', stale },
  )
  const isSame = name.trim() === (chat.name ?? '') && policy === chat.unknownSenderPolicy
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate(undefined)
  }
  return (
    <Card className="p-4">
      <form onSubmit={submit} className="flex flex-col gap-4">
        <TextField label="Name" maxLength={200} value={name} onChange={({ target }) => setName(target.value)} />
        <ChoiceField label="Unknown people" words={senderPolicies} value={policy} choose={setPolicy} />
        <div>
          <Button type="submit" tone="main" disabled={isSame || save.isPending}>
            Save
          </Button>
        </div>
      </form>
    </Card>
  )
}

function ChatEnd({ chat }: { chat: WiredChat }) {
  const client = useClient()
  const navigate = useNavigate()
  const params = { id: chat.id }
  const test = useAction(() => client.testChat({ params }), {
    failed: 'No test message was sent',
    done: (_input, { connected }) =>
      connected ? 'Test message queued' : 'The account is not connected. The message is sent once it is.',
  })
  const deny = useAction(() => client.denyChat({ params }), { failed: 'Not denied', done: 'Denied', stale })
  const remove = useAction(() => client.removeChat({ params }), {
    failed: 'The chat is still here',
    done: 'Chat removed',
    stale,
    whenDone: () => void navigate({ to: paths.chats }),
  })
  const name = nameOfChat(chat)
  return (
    <div className="flex flex-wrap gap-2 border-t border-line pt-5">
      <Button icon="send" disabled={test.isPending || chat.instanceId === null} onClick={() => test.mutate(undefined)}>
        Send a test message
      </Button>
      {chat.deniedAt === null && chat.wirings.length === 0 && (
        <ConfirmButton label="Deny" title={`Deny ${name}?`} sure="Deny" run={() => deny.mutate(undefined)}>
          Messages there get no reply, and nobody is asked about them, until you wire an agent group.
        </ConfirmButton>
      )}
      <ConfirmButton
        label="Remove this chat"
        title={`Remove ${name}?`}
        sure="Remove"
        run={() => remove.mutate(undefined)}
      >
        Its {chat.wirings.length === 1 ? 'wiring is' : `${chat.wirings.length} wirings are`} removed too, and agents can
        no longer send messages there. If someone writes there again, it comes back as a new chat.
      </ConfirmButton>
    </div>
  )
}
