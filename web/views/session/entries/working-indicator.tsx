import type { SessionDetail } from '../../../../src/client/contract/sessions.ts'
import type { Message } from '../../../../src/domain/message/schema.ts'
import { clip, safeText } from '../../../ui/safe-text.ts'
import { Time } from '../../../ui/time.tsx'
import { turnOf, type RunningTurn } from '../steer/current-turn.ts'
import { stepsOf } from './plan-steps.ts'

type Props = { session: SessionDetail; messages: readonly Message[]; waiting: boolean }

/** Shows that the agent is working, since when and on what. Its space is reserved, so that nothing moves. */
export function WorkingIndicator({ session, messages, waiting }: Props) {
  const turn = turnOf(session)
  const words = wordsOf(session, turn, waiting)
  const step = words === 'Running' ? stepNow(messages) : null
  return (
    <p role="status" className="flex h-6 items-center gap-2 text-sm text-soft">
      {words !== null && (
        <>
          <span className="size-2 shrink-0 animate-pulse rounded-full bg-info" aria-hidden="true" />
          <span className="shrink-0">
            {words}
            {turn?.startedAt && (
              <>
                , began <Time at={turn.startedAt} />
              </>
            )}
          </span>
          {step !== null && <span className="min-w-0 truncate">· {step}</span>}
        </>
      )}
    </p>
  )
}

function wordsOf({ status }: SessionDetail, turn: RunningTurn | null, waiting: boolean): string | null {
  if (status === 'created') return 'The agent is starting…'
  if (status !== 'active' || !turn || waiting) return null
  return turn.cancelled ? 'Stopping …' : 'Running'
}

/** The current step of its last plan. */
function stepNow(messages: readonly Message[]): string | null {
  const plan = messages.findLast(({ content }) => content.type === 'plan')?.content
  if (plan?.type !== 'plan') return null
  const steps = stepsOf(plan.steps)
  const at = steps.findIndex(({ status }) => status === 'in_progress')
  const now = steps[at]
  return now ? `step ${at + 1} of ${steps.length}: ${clip(safeText(now.label), 120)}` : null
}
