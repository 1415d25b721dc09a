import { outcomesOf } from '../../../../src/domain/ask/outcomes.ts'
import { useShortcuts } from '../../../app/shortcuts.ts'
import type { Answer } from '../use-answer.ts'
import type { Act } from './act.ts'
import { Bar, KeyButton, Row } from './bar.tsx'

const ways = [
  { outcome: 'reject', label: 'Reject' },
  { outcome: 'decline', label: 'Decline' },
  { outcome: 'stop', label: 'Stop' },
] as const satisfies readonly { outcome: Answer['outcome']; label: string }[]

/** For those who may say no, and nothing else: the agent runs as the server's user, and they lack the machine right. */
export function RefuseOnly({ subject, keys, resting, bar, send }: Act) {
  const way = ways.find(({ outcome }) => outcomesOf[subject.kind].includes(outcome))
  const refuse = () => way && send({ outcome: way.outcome, reason: null })
  useShortcuts({ r: keys && !resting ? refuse : undefined })
  return (
    <>
      <p className="rounded-lg bg-sunken px-3 py-2.5 text-soft">
        This agent runs without a sandbox. Only people with the machine right can approve what it asks.
      </p>
      {way && (
        <Bar className={bar}>
          <Row>
            <KeyButton letter="r" keys={keys} tone="stop-plain" icon="cross" disabled={resting} onClick={refuse}>
              {way.label}
            </KeyButton>
          </Row>
        </Bar>
      )}
    </>
  )
}
