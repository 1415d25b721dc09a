import { useQuery } from '@tanstack/react-query'
import { useClient } from '../../api/backend.tsx'
import { meQuery } from '../../api/queries.ts'
import { paths } from '../../app/paths.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { PageBody, PageHead } from '../../ui/page.tsx'
import { Rows } from '../../ui/rows.tsx'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import { schedulesQuery } from './queries.ts'
import { ScheduleRow } from './schedule-row.tsx'
import { ownZone } from './words.ts'

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
            <p>A schedule starts an agent automatically: once, at an interval, or on certain days.</p>
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
