import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import type { GroupDependents } from '../../../src/client/contract/agent-groups.ts'
import type { AgentGroup, AgentGroupId } from '../../../src/domain/agent-group/schema.ts'
import { useClient } from '../../api/backend.tsx'
import { meQuery, usePermissions } from '../../api/queries.ts'
import { useAction } from '../../api/use-action.ts'
import { paths } from '../../app/paths.ts'
import { Card } from '../../ui/card.tsx'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { Heading, Row, Rows } from '../../ui/rows.tsx'
import { safeText } from '../../ui/safe-text.ts'
import { SettingsPage } from '../settings/settings-page.tsx'
import { GroupForm, type GroupFields } from './group-form.tsx'
import { GroupConfig } from './group-config-form.tsx'
import { GroupInstructions } from './group-instructions.tsx'
import { GroupMembers } from './group-members.tsx'
import { GroupDestinations } from './group-destinations.tsx'
import { GroupAsks, GroupSchedules } from './group-activity.tsx'
import { GroupFacts, GroupSessions } from './group-summary.tsx'
import { Instead } from './instead-of-item.tsx'
import { nameOfChat } from './names.ts'
import { chatsQuery, groupDependentsQuery } from './queries.ts'
import { platformTitle } from './words.ts'

export function GroupView() {
  const { id } = useParams({ strict: false }) as { id: AgentGroupId }
  const client = useClient()
  const { administer } = usePermissions()
  const { data: me } = useQuery(meQuery(client))
  const group = useQuery({ queryKey: ['groups', id], queryFn: () => client.getAgentGroup({ params: { id } }) })
  const runs = administer || me?.user.roles.some(({ role, agentGroupId }) => role === 'admin' && agentGroupId === id)
  return (
    <SettingsPage title={group.data?.name ?? 'An agent group'} back={paths.agentGroups}>
      <Instead query={group} what="Agent group" all="All agent groups" to={paths.agentGroups} />
      {group.data && !runs && (
        <p className="text-soft">
          You are a member of this agent group, so you can write to it in its chats. Its settings, chats and members are
          for its admins.
        </p>
      )}
      {group.data && runs && (
        <>
          <GroupFacts group={group.data} />
          <GroupSessions group={group.data} />
          <GroupAsks group={group.data} />
          <GroupSchedules group={group.data} />
          <GroupMembers group={group.data} mayFind={administer} />
          <WiredTo group={group.data} />
          <GroupDestinations group={group.data} />
          <GroupInstructions group={group.data} />
          <Edit group={group.data} />
          <GroupConfig group={group.data} />
          {administer && <Remove group={group.data} />}
        </>
      )}
    </SettingsPage>
  )
}

function Edit({ group }: { group: AgentGroup }) {
  const client = useClient()
  const save = useAction((body: GroupFields) => client.updateAgentGroup({ params: { id: group.id }, body }), {
    failed: 'Not saved',
    done: 'Saved',
    stale: [['groups']],
  })
  return (
    <>
      <Heading>Name, agent and place</Heading>
      <Card className="p-4">
        <GroupForm group={group} label="Save" save={(fields) => save.mutate(fields)} isSaving={save.isPending} />
      </Card>
    </>
  )
}

function WiredTo({ group }: { group: AgentGroup }) {
  const { data: chats } = useQuery(chatsQuery(useClient()))
  const own = chats?.filter(({ wirings }) => wirings.some(({ agentGroupId }) => agentGroupId === group.id)) ?? []
  return (
    <>
      <Heading about="Where it listens. To change that, open the chat.">Chats</Heading>
      {own.length === 0 && <p className="text-soft">Not wired to any chat.</p>}
      {own.length > 0 && (
        <Rows label="Chats">
          {own.map((chat) => (
            <Row
              key={chat.id}
              title={
                <Link to={paths.chat} params={{ id: chat.id }} className="hover:underline">
                  {nameOfChat(chat)}
                </Link>
              }
              about={platformTitle(chat.channelType)}
            />
          ))}
        </Rows>
      )}
    </>
  )
}

function Remove({ group }: { group: AgentGroup }) {
  const client = useClient()
  const navigate = useNavigate()
  const { data: dependents } = useQuery(groupDependentsQuery(client, group.id))
  const name = safeText(group.name)
  const remove = useAction(() => client.removeAgentGroup({ params: { id: group.id } }), {
    failed: `${name} is still here`,
    done: `${name} removed`,
    stale: [['groups'], ['chats'], ['destinations']],
    whenDone: () => void navigate({ to: paths.agentGroups }),
  })
  return (
    <div className="border-t border-line pt-5">
      <ConfirmButton
        label="Remove this agent group"
        title={`Remove ${name}?`}
        sure="Remove"
        run={() => remove.mutate(undefined)}
      >
        {dependents && hangsOn(dependents)} Its sessions and its folder stay.
      </ConfirmButton>
    </div>
  )
}

const count = (number: number, what: string): string => `${number} ${what}${number === 1 ? '' : 's'}`

const hangsOn = ({ wirings, destinations, members, sessions }: GroupDependents): string =>
  `${count(wirings, 'wiring')} and ${count(destinations, 'destination')} are removed too. ${count(members, 'member')} and ` +
  `${count(sessions, 'running session')} depend on it.`
