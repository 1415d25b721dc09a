import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useClient } from '../../api/backend.tsx'
import { agentsQuery, reposQuery } from '../../api/queries.ts'
import { useAction } from '../../api/use-action.ts'
import { paths } from '../../app/paths.ts'
import { SelectField } from '../../ui/field.tsx'
import { PageBody, PageHead } from '../../ui/page.tsx'
import { safeText } from '../../ui/safe-text.ts'
import { errorText } from '../../ui/states.tsx'
import { groupsQuery } from '../chats/queries.ts'
import { ScheduleForm, type ScheduleFields } from './schedule-form.tsx'

export function NewScheduleView() {
  const client = useClient()
  const navigate = useNavigate()
  const { data: agents } = useQuery(agentsQuery(client))
  const { data: repos } = useQuery(reposQuery(client))
  const { data: groups } = useQuery(groupsQuery(client))
  const { group: wanted } = useSearch({ strict: false }) as { group?: unknown }
  const [place, setPlace] = useState(typeof wanted === 'string' ? wanted : '')
  const [agent, setAgent] = useState('')
  const group = groups?.find(({ id }) => id === place)
  const repo = repos?.find(({ id }) => id === place)
  const create = useAction(
    (fields: ScheduleFields) =>
      client.createSchedule({
        body: {
          ...fields,
          ...(group && { agentGroupId: group.id }),
          ...(repo && { repoId: repo.id }),
          ...(!group && agent !== '' && { agent }),
        },
      }),
    {
      failed: null,
      stale: [['schedules']],
      whenDone: ({ id }) => void navigate({ to: paths.schedule, params: { id } }),
    },
  )
  const error = create.isError ? errorText(create.error) : null
  return (
    <>
      <PageHead title="New schedule" back={paths.schedules} about="It starts an agent as you" />
      <PageBody>
        <ScheduleForm
          label="Create schedule"
          save={(fields) => create.mutate(fields)}
          isSaving={create.isPending}
          error={error && `${error.message} ${error.hint ?? ''}`}
        >
          <div className="grid gap-4 sm:grid-cols-2">
            <SelectField
              label="Runs in"
              hint="Each run is a new session there."
              value={place}
              onChange={({ target }) => setPlace(target.value)}
            >
              <option value="">The server’s default workspace</option>
              {repos && repos.length > 0 && (
                <optgroup label="Repos">
                  {repos.map(({ id, name }) => (
                    <option key={id} value={id}>
                      {safeText(name)}
                    </option>
                  ))}
                </optgroup>
              )}
              {groups && groups.length > 0 && (
                <optgroup label="Agent groups">
                  {groups.map(({ id, name }) => (
                    <option key={id} value={id}>
                      {safeText(name)}
                    </option>
                  ))}
                </optgroup>
              )}
            </SelectField>
            {!group && (
              <SelectField label="Agent" value={agent} onChange={({ target }) => setAgent(target.value)}>
                <option value="">The server’s default</option>
                {agents?.agents.map(({ name, title, installed }) => (
                  <option key={name} value={name}>
                    {title}
                    {installed ? '' : ' (not installed)'}
                  </option>
                ))}
              </SelectField>
            )}
          </div>
        </ScheduleForm>
      </PageBody>
    </>
  )
}
