import { Link } from '@tanstack/react-router'
import { timingText } from '../../../src/client/schedule-text.ts'
import type { Schedule } from '../../../src/domain/schedule/schema.ts'
import { paths } from '../../app/paths.ts'
import { Badge } from '../../ui/badge.tsx'
import { Row } from '../../ui/rows.tsx'
import { safeText } from '../../ui/safe-text.ts'
import { Time } from '../../ui/time.tsx'
import { ScheduleActions } from './schedule-actions.tsx'
import { localTime, runSignal } from './words.ts'

/** One schedule in a list. */
export function ScheduleRow({ schedule, mine }: { schedule: Schedule; mine: boolean }) {
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
