import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { timingText } from '../../../src/client/schedule-text.ts'
import type { Schedule } from '../../../src/domain/schedule/schema.ts'
import { useClient } from '../../api/backend.tsx'
import { meQuery } from '../../api/queries.ts'
import { paths } from '../../app/paths.ts'
import { Badge } from '../../ui/badge.tsx'
import { ButtonLink } from '../../ui/button.tsx'
import { PageBody, PageHead } from '../../ui/page.tsx'
import { Row, Rows } from '../../ui/rows.tsx'
import { safeText } from '../../ui/safe-text.ts'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { schedulesQuery } from './queries.ts'
import { ScheduleActions } from './schedule-actions.tsx'
import { localTime, ownZone, runSignal } from './words.ts'

export function SchedulesView() {
  const client = useClient()
  const schedules = useQuery(schedulesQuery(client))
  const { data: me } = useQuery(meQuery(client))
  const add = (
    <ButtonLink tone="main" icon="plus" to={paths.newSchedule}>
      New schedule
    </ButtonLink>
  )
  const isEmpty = schedules.data?.length === 0
  return (
    <>
      <PageHead title="Schedules" about={`Times are in ${ownZone()}`}>
        {schedules.data && !isEmpty && add}
      </PageHead>
      <PageBody>
        {schedules.isPending && <Loading />}
        {schedules.isError && <Failed error={schedules.error} retry={() => void schedules.refetch()} />}
        {isEmpty && (
          <Empty icon="clock" title="No schedules">
            <p>A schedule starts an agent by the clock: once, at an interval, or on certain days.</p>
            {add}
          </Empty>
        )}
        {schedules.data && !isEmpty && (
          <Rows label="Schedules">
            {schedules.data.map((schedule) => (
              <ScheduleRow key={schedule.id} schedule={schedule} mine={schedule.ownerUserId === me?.user.id} />
            ))}
          </Rows>
        )}
      </PageBody>
    </>
  )
}

function ScheduleRow({ schedule, mine }: { schedule: Schedule; mine: boolean }) {
  const { id, name, status, nextAt, lastRun, timing } = schedule
  return (
    <Row
      title={
        <span className="flex flex-wrap items-center gap-2">
          <Link to={paths.schedule} params={{ id }} className="hover:underline">
            {safeText(name)}
          </Link>
          {status !== 'active' && <Badge>{status}</Badge>}
        </span>
      }
      about={
        <>
          <span className="block">{safeText(timingText(timing))}</span>
          {nextAt !== null && (
            <span className="block">
              Next: {localTime(nextAt)} (<Time at={nextAt} />)
            </span>
          )}
          {lastRun && (
            <span className="mt-1 flex flex-wrap items-center gap-2">
              <Badge signal={runSignal[lastRun.status]}>{lastRun.status}</Badge>
              <Time at={lastRun.endedAt ?? lastRun.startedAt ?? lastRun.createdAt} />
              {lastRun.reason !== null && <span className="break-words">{safeText(lastRun.reason)}</span>}
            </span>
          )}
        </>
      }
    >
      <ScheduleActions schedule={schedule} mine={mine} />
    </Row>
  )
}
