import type { Schedule } from '../../../src/domain/schedule/schema.ts'
import { useClient } from '../../api/backend.tsx'
import { useAction } from '../../api/use-action.ts'
import { Button } from '../../ui/button.tsx'
import { safeText } from '../../ui/safe-text.ts'

/** Run now, pause and resume. */
export function ScheduleActions({ schedule, mine }: { schedule: Schedule; mine: boolean }) {
  const client = useClient()
  const { id, status } = schedule
  const name = safeText(schedule.name)
  const stale = [['schedules']] as const
  const run = useAction(() => client.runSchedule({ params: { id } }), {
    failed: `${name} was not started`,
    stale,
  })
  const pause = useAction(() => client.pauseSchedule({ params: { id } }), { failed: 'Not paused', stale })
  const resume = useAction(() => client.resumeSchedule({ params: { id } }), { failed: 'Not resumed', stale })
  if (status === 'cancelled') return null
  return (
    <>
      {mine && (
        <Button
          icon="play"
          aria-label={`Run now: ${name}`}
          disabled={run.isPending}
          onClick={() => run.mutate(undefined)}
        >
          Run now
        </Button>
      )}
      {status === 'active' && (
        <Button
          icon="pause"
          aria-label={`Pause ${name}`}
          disabled={pause.isPending}
          onClick={() => pause.mutate(undefined)}
        >
          Pause
        </Button>
      )}
      {status === 'paused' && mine && (
        <Button
          icon="play"
          aria-label={`Resume ${name}`}
          disabled={resume.isPending}
          onClick={() => resume.mutate(undefined)}
        >
          Resume
        </Button>
      )}
    </>
  )
}
