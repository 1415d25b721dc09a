import { outcomesOf } from '../../../../src/domain/ask/outcomes.ts'
import { useShortcuts } from '../../../app/shortcuts.ts'
import type { AskAnswer } from '../use-answer.ts'
import type { ActionProps } from './action-props.ts'
import { ActionBar, KeyButton, Row } from './action-bar.tsx'

const ways = [
  { outcome: 'reject', label: 'Reject' },
  { outcome: 'decline', label: 'Decline' },
  { outcome: 'stop', label: 'Stop' },
] as const satisfies readonly { outcome: AskAnswer['outcome']; label: string }[]

/** For people who may only reject: the agent runs as the server's user, and they lack the machine right. */
export function RejectOnly({ subject, keys, resting, bar, send }: ActionProps) {
  const way = ways.find(({ outcome }) => outcomesOf[subject.kind].includes(outcome))
  const refuse = () => way && send({ outcome: way.outcome, reason: null })
  useShortcuts({ r: keys && !resting ? refuse : undefined })
  return (
    <>
      <p className="rounded-lg bg-sunken px-3 py-2.5 text-soft">
        This agent runs without a sandbox. Only people with the machine right can approve what it asks.
      </p>
      {way && (
        <ActionBar className={bar}>
          <Row>
            <KeyButton letter="r" keys={keys} tone="stop-plain" icon="cross" disabled={resting} onClick={refuse}>
              {way.label}
            </KeyButton>
          </Row>
        </ActionBar>
      )}
    </>
  )
}
