import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { AgentGroup } from '../../../src/domain/agent-group/schema.ts'
import { useClient } from '../../api/backend.tsx'
import { meQuery } from '../../api/queries.ts'
import { paths } from '../../app/paths.ts'
import { Badge } from '../../ui/badge.tsx'
import { ButtonLink } from '../../ui/button.tsx'
import { Heading, Row, Rows } from '../../ui/rows.tsx'
import { safeText } from '../../ui/safe-text.ts'
import { Time } from '../../ui/time.tsx'
import { kindLabels } from '../asks/ask-labels.ts'
import { groupSchedulesQuery } from '../schedules/queries.ts'
import { ScheduleRow } from '../schedules/schedule-row.tsx'
import { groupAsksQuery } from './queries.ts'

/** What its agents asked administrators for, newest first. */
export function GroupAsks({ group }: { group: AgentGroup }) {
  const { data } = useQuery(groupAsksQuery(useClient(), group.id))
  const asks = data?.asks ?? []
  return (
    <>
      <Heading about="Packages, MCP servers, agents, credentials and changes of its settings.">
        What its agents asked for
      </Heading>
      {data && asks.length === 0 && <p className="text-soft">Nothing yet.</p>}
      {asks.length > 0 && (
        <Rows label="Asks">
          {asks.map((ask) => (
            <Row
              key={ask.id}
              title={
                <Link to={paths.ask} params={{ id: ask.id }} className="hover:underline">
                  {safeText(ask.title)}
                </Link>
              }
              about={
                <>
                  {kindLabels(ask)} · <Time at={ask.createdAt} />
                </>
              }
            >
              <Badge signal={ask.status === 'open' ? 'wait' : ask.status === 'failed' ? 'stop' : 'plain'}>
                {ask.status === 'consumed' ? 'done' : ask.status}
              </Badge>
            </Row>
          ))}
        </Rows>
      )}
    </>
  )
}

/** What starts its agents by the clock. */
export function GroupSchedules({ group }: { group: AgentGroup }) {
  const client = useClient()
  const { data: schedules } = useQuery(groupSchedulesQuery(client, group.id))
  const { data: me } = useQuery(meQuery(client))
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-2">
        <Heading>Schedules</Heading>
        <ButtonLink icon="plus" to={paths.newSchedule} search={{ group: group.id }}>
          New schedule
        </ButtonLink>
      </div>
      {schedules?.length === 0 && <p className="text-soft">No schedule starts it.</p>}
      {schedules && schedules.length > 0 && (
        <Rows label="Schedules">
          {schedules.map((schedule) => (
            <ScheduleRow key={schedule.id} schedule={schedule} mine={schedule.ownerUserId === me?.user.id} />
          ))}
        </Rows>
      )}
    </>
  )
}
