import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { placeText, timingText } from '../../../src/client/schedule-text.ts'
import type { ScheduleDetail } from '../../../src/client/contract/schedules.ts'
import type { ScheduleId, ScheduleRun } from '../../../src/domain/schedule/schema.ts'
import { useClient } from '../../api/backend.tsx'
import { meQuery, reposQuery } from '../../api/queries.ts'
import { useAction } from '../../api/use-action.ts'
import { paths } from '../../app/paths.ts'
import { Badge } from '../../ui/badge.tsx'
import { Card } from '../../ui/card.tsx'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { PageBody, PageHead } from '../../ui/page.tsx'
import { Heading, Row, Rows } from '../../ui/rows.tsx'
import { safeText } from '../../ui/safe-text.ts'
import { errorText } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { Instead } from '../chats/instead-of-item.tsx'
import { groupsQuery } from '../chats/queries.ts'
import { runsQuery, scheduleQuery } from './queries.ts'
import { ScheduleActions } from './schedule-actions.tsx'
import { ScheduleForm, type ScheduleFields } from './schedule-form.tsx'
import { localTime, runSignal, triggerWords } from './words.ts'

export function ScheduleView() {
  const { id } = useParams({ strict: false }) as { id: ScheduleId }
  const client = useClient()
  const schedule = useQuery(scheduleQuery(client, id))
  const { data: me } = useQuery(meQuery(client))
  const { data } = schedule
  const mine = data !== undefined && data.ownerUserId === me?.user.id
  return (
    <>
      <PageHead
        title={data?.name ?? 'A schedule'}
        back={paths.schedules}
        about={data && safeText(timingText(data.timing))}
      >
        {data && data.status !== 'active' && <Badge>{data.status}</Badge>}
      </PageHead>
      <PageBody>
        <Instead query={schedule} what="Schedule" all="All schedules" to={paths.schedules} />
        {data && (
          <div className="flex flex-col gap-5">
            <div className="flex flex-wrap gap-2">
              <ScheduleActions schedule={data} mine={mine} />
            </div>
            <Facts schedule={data} />
            <Runs id={id} />
            {mine && data.status !== 'cancelled' && <Edit key={data.updatedAt} schedule={data} />}
            {data.status !== 'cancelled' && <Remove schedule={data} />}
          </div>
        )}
      </PageBody>
    </>
  )
}

function Facts({ schedule }: { schedule: ScheduleDetail }) {
  const client = useClient()
  const { data: groups } = useQuery(groupsQuery(client))
  const { data: repos } = useQuery(reposQuery(client))
  const { agentGroupId, repoId, upcoming, timing } = schedule
  const group = groups?.find(({ id }) => id === agentGroupId)?.name ?? null
  const repo = repos?.find(({ id }) => id === repoId)?.name ?? null
  return (
    <Card className="p-4">
      <dl className="grid gap-x-6 gap-y-2 sm:grid-cols-[auto_1fr]">
        <dt className="text-soft">Next runs</dt>
        <dd>
          {upcoming.length === 0 && (timing.kind === 'at' ? `None; it was due at ${localTime(timing.at)}.` : 'None')}
          <ul>
            {upcoming.map((at, index) => (
              <li key={at}>
                {localTime(at)}
                {index === 0 && (
                  <span className="text-soft">
                    {' '}
                    (<Time at={at} />)
                  </span>
                )}
              </li>
            ))}
          </ul>
        </dd>
        <dt className="text-soft">Runs in</dt>
        <dd className="break-words">{safeText(placeText(schedule, group, repo))}</dd>
        <dt className="text-soft">Prompt</dt>
        <dd className="break-words whitespace-pre-wrap">{safeText(schedule.prompt)}</dd>
      </dl>
    </Card>
  )
}

function Runs({ id }: { id: ScheduleId }) {
  const { data: runs } = useQuery(runsQuery(useClient(), id))
  if (!runs) return null
  return (
    <>
      <Heading>Runs</Heading>
      {runs.length === 0 && <p className="text-soft">It has not run yet.</p>}
      {runs.length > 0 && (
        <Rows label="Runs">
          {runs.map((run) => (
            <RunRow key={run.id} run={run} />
          ))}
        </Rows>
      )}
    </>
  )
}

function RunRow({ run }: { run: ScheduleRun }) {
  const { status, dueAt, trigger, reason, costUsd, sessionId, missed } = run
  const about = [
    triggerWords[trigger],
    ...(missed > 1 ? [`${missed} due times`] : []),
    ...(costUsd === null ? [] : [`$${costUsd.toFixed(2)}`]),
    ...(reason === null ? [] : [safeText(reason)]),
  ]
  return (
    <Row
      title={
        <span className="flex flex-wrap items-center gap-2">
          {localTime(dueAt)}
          <Badge signal={runSignal[status]}>{status}</Badge>
        </span>
      }
      about={about.join(' · ')}
    >
      {sessionId !== null && (
        <Link to={paths.session} params={{ id: sessionId }} className="text-accent hover:underline">
          Session
        </Link>
      )}
    </Row>
  )
}

function Edit({ schedule }: { schedule: ScheduleDetail }) {
  const client = useClient()
  const save = useAction((body: ScheduleFields) => client.updateSchedule({ params: { id: schedule.id }, body }), {
    failed: null,
    done: 'Saved',
    stale: [['schedules']],
  })
  const error = save.isError ? errorText(save.error) : null
  return (
    <>
      <Heading>Change it</Heading>
      <Card className="p-4">
        <ScheduleForm
          schedule={schedule}
          label="Save"
          save={(fields) => save.mutate(fields)}
          isSaving={save.isPending}
          error={error && `${error.message} ${error.hint ?? ''}`}
        />
      </Card>
    </>
  )
}

function Remove({ schedule }: { schedule: ScheduleDetail }) {
  const client = useClient()
  const navigate = useNavigate()
  const name = safeText(schedule.name)
  const remove = useAction(() => client.removeSchedule({ params: { id: schedule.id } }), {
    failed: `${name} is still here`,
    done: `${name} removed`,
    stale: [['schedules']],
    whenDone: () => void navigate({ to: paths.schedules }),
  })
  return (
    <div className="border-t border-line pt-5">
      <ConfirmButton
        label="Remove this schedule"
        title={`Remove ${name}?`}
        sure="Remove"
        run={() => remove.mutate(undefined)}
      >
        It never runs again. A run in progress continues.
      </ConfirmButton>
    </div>
  )
}
