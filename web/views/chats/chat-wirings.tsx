import { Link } from '@tanstack/react-router'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { WiredChat } from '../../../src/client/contract/chats.ts'
import type { Wiring, WiringSettings } from '../../../src/domain/chat/schema.ts'
import { useClient } from '../../api/backend.tsx'
import { useAction } from '../../api/use-action.ts'
import { paths } from '../../app/paths.ts'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Heading, Row, Rows } from '../../ui/rows.tsx'
import { nameOfGroup } from './names.ts'
import { groupsQuery } from './queries.ts'
import { WiringForm } from './wiring-form.tsx'
import { engageModes, sessionModes, verbosities } from './words.ts'

const stale = [['chats'], ['destinations']] as const

/** The agent groups that listen in a chat. */
export function ChatWirings({ chat }: { chat: WiredChat }) {
  const client = useClient()
  const { data: groups } = useQuery(groupsQuery(client))
  const [adding, setAdding] = useState(false)
  const free = (groups ?? []).filter(({ id }) => !chat.wirings.some(({ agentGroupId }) => agentGroupId === id))
  const add = useAction(
    ({ settings, agentGroupId }: { settings: WiringSettings; agentGroupId: Wiring['agentGroupId'] }) =>
      client.addWiring({ body: { chatId: chat.id, agentGroupId, ...settings } }),
    { failed: 'Not wired', done: 'Wired', stale, whenDone: () => setAdding(false) },
  )
  return (
    <>
      <Heading about="The agents that listen in this chat, and write to it.">Agent groups</Heading>
      {chat.wirings.length > 0 && (
        <Rows label="Wirings">
          {chat.wirings.map((wiring) => (
            <WiringRow key={wiring.id} wiring={wiring} group={nameOfGroup(groups, wiring.agentGroupId)} />
          ))}
        </Rows>
      )}
      <div>
        {free.length > 0 && (
          <Button icon="plus" onClick={() => setAdding(true)}>
            Wire an agent group
          </Button>
        )}
        {groups?.length === 0 && (
          <div className="flex flex-wrap items-center gap-3 text-soft">
            No agent groups yet.
            <ButtonLink to={paths.agentGroups} icon="plus">
              Create an agent group
            </ButtonLink>
          </div>
        )}
      </div>
      <Dialog open={adding} close={() => setAdding(false)} title="Wire an agent group">
        <WiringForm
          groups={free}
          save={(settings, group) => group && add.mutate({ settings, agentGroupId: group.id })}
          close={() => setAdding(false)}
          isSaving={add.isPending}
        />
      </Dialog>
    </>
  )
}

function WiringRow({ wiring, group }: { wiring: Wiring; group: string }) {
  const client = useClient()
  const [editing, setEditing] = useState(false)
  const params = { id: wiring.id }
  const save = useAction((body: WiringSettings) => client.updateWiring({ params, body }), {
    failed: 'Not saved',
    done: 'Saved',
    stale,
    whenDone: () => setEditing(false),
  })
  const remove = useAction(() => client.removeWiring({ params }), { failed: 'Still wired', done: 'Unwired', stale })
  const { engageMode, engagePattern, sessionMode, verbosity } = wiring
  const engages =
    engageMode !== 'pattern'
      ? engageModes[engageMode].label
      : engagePattern === null || engagePattern === '.'
        ? 'Every message'
        : `When the text matches ${engagePattern}`
  return (
    <Row
      title={
        <Link to={paths.agentGroup} params={{ id: wiring.agentGroupId }} className="hover:underline">
          {group}
        </Link>
      }
      about={`${engages} · ${sessionModes[sessionMode].label.replace('One', 'one session')} · ${verbosities[verbosity].label.toLowerCase()}`}
    >
      <Button onClick={() => setEditing(true)}>Edit</Button>
      <ConfirmButton label="Unwire" title={`Unwire ${group}?`} sure="Unwire" run={() => remove.mutate(undefined)}>
        {group} no longer listens in this chat, and can no longer send messages to it. Running sessions keep running.
      </ConfirmButton>
      <Dialog open={editing} close={() => setEditing(false)} title={`How ${group} listens here`}>
        <WiringForm
          groups={null}
          settings={wiring}
          save={({ sessionMode, priority, engageMode, engagePattern, senderScope, ignoredMessagePolicy, verbosity }) =>
            save.mutate({
              sessionMode,
              priority,
              engageMode,
              engagePattern,
              senderScope,
              ignoredMessagePolicy,
              verbosity,
            })
          }
          close={() => setEditing(false)}
          isSaving={save.isPending}
        />
      </Dialog>
    </Row>
  )
}
