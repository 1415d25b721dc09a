import { useQuery } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import type { AgentGroup } from '../../../src/domain/agent-group/schema.ts'
import type { AgentDestination } from '../../../src/domain/chat/schema.ts'
import { useClient } from '../../api/backend.tsx'
import { useAction } from '../../api/use-action.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { Heading, Row, Rows } from '../../ui/rows.tsx'
import { safeText } from '../../ui/safe-text.ts'
import { nameOfChat } from './names.ts'
import { chatsQuery, destinationsQuery, groupsQuery } from './queries.ts'
import { platformTitle } from './words.ts'

const stale = [['destinations']] as const

/** Where an agent group may send messages, and under which names. */
export function GroupDestinations({ group }: { group: AgentGroup }) {
  const client = useClient()
  const { data: destinations } = useQuery(destinationsQuery(client))
  const { data: chats } = useQuery(chatsQuery(client))
  const { data: groups } = useQuery(groupsQuery(client))
  const own = destinations?.filter(({ agentGroupId }) => agentGroupId === group.id) ?? []
  const targetOf = ({ targetType, targetId }: AgentDestination): string => {
    if (targetType === 'agent') return `Agent group ${groups?.find(({ id }) => id === targetId)?.name ?? ''}`
    const chat = chats?.find(({ id }) => id === targetId)
    return chat ? `${nameOfChat(chat)} on ${platformTitle(chat.channelType)}` : 'A chat that you can’t see'
  }
  const targets = [
    ...(chats ?? []).map((chat) => ({
      value: `channel ${chat.id}`,
      label: `${nameOfChat(chat)} (${platformTitle(chat.channelType)})`,
    })),
    ...(groups ?? [])
      .filter(({ id }) => id !== group.id)
      .map(({ id, name }) => ({ value: `agent ${id}`, label: `${safeText(name)} (agent group)` })),
  ]
  return (
    <>
      <Heading about="Names that the agent can send messages to. Each wired chat is one.">Destinations</Heading>
      {own.length === 0 && <p className="text-soft">None.</p>}
      {own.length > 0 && (
        <Rows label="Destinations">
          {own.map((one) => (
            <DestinationRow key={one.localName} destination={one} target={safeText(targetOf(one))} />
          ))}
        </Rows>
      )}
      {targets.length > 0 && <AddDestination group={group} targets={targets} />}
    </>
  )
}

function DestinationRow({ destination, target }: { destination: AgentDestination; target: string }) {
  const client = useClient()
  const { agentGroupId, localName, wiringId } = destination
  const remove = useAction(() => client.removeDestination({ params: { agentGroupId, localName } }), {
    failed: 'Still a destination',
    done: `${localName} removed`,
    stale,
  })
  return (
    <Row title={safeText(localName)} about={`${target}${wiringId === null ? '' : ' · from its wiring'}`}>
      <ConfirmButton
        label="Remove"
        title={`Remove the destination ${localName}?`}
        sure="Remove"
        run={() => remove.mutate(undefined)}
      >
        The agent can no longer send messages there, also in running sessions.
      </ConfirmButton>
    </Row>
  )
}

function AddDestination({
  group,
  targets,
}: {
  group: AgentGroup
  targets: readonly { value: string; label: string }[]
}) {
  const client = useClient()
  const [target, setTarget] = useState('')
  const [name, setName] = useState('')
  const add = useAction(
    () => {
      const [targetType, targetId = ''] = target.split(' ')
      return client.addDestination({
        body: {
          agentGroupId: group.id,
          localName: name.trim() || null,
          targetType: targetType === 'agent' ? 'agent' : 'channel',
          targetId,
        },
      })
    },
    {
      failed: 'The destination was not added',
      done: 'Added',
      stale,
      whenDone() {
        setTarget('')
        setName('')
      },
    },
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    add.mutate(undefined)
  }
  return (
    <form onSubmit={submit} className="flex flex-wrap items-end gap-2">
      <div className="min-w-0 flex-1 basis-48">
        <SelectField label="Add a destination" value={target} onChange={(event) => setTarget(event.target.value)}>
          <option value="">Choose a chat or agent group…</option>
          {targets.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </SelectField>
      </div>
      <div className="min-w-0 flex-1 basis-40">
        <TextField
          label="Name (optional)"
          maxLength={80}
          placeholder="release-news"
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      </div>
      <Button type="submit" disabled={target === '' || add.isPending}>
        Add
      </Button>
    </form>
  )
}
