import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { PolicyReplay } from '../../../../src/domain/policy/schema.ts'
import { useClient } from '../../../api/backend.tsx'
import { useAction } from '../../../api/use-action.ts'
import { paths } from '../../../app/paths.ts'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { Heading } from '../../../ui/rows.tsx'
import { clip, safeText } from '../../../ui/safe-text.ts'
import { Time } from '../../../ui/time.tsx'

const times = (count: number, one: string, many: string) => `${count} ${count === 1 ? one : many}`

/** What the text in the editor would have said to asks of the past, before anything is saved. */
export function BackTest({ root, settings }: { root: string; settings: string }) {
  const client = useClient()
  const [replay, setReplay] = useState<{ of: string; told: PolicyReplay } | null>(null)
  const test = useAction(() => client.testPolicy({ body: { workspaceRoot: root, settings } }), {
    failed: 'Not tested',
  })
  const run = () => test.mutate(undefined, { onSuccess: (told) => setReplay({ of: settings, told }) })
  return (
    <>
      <Heading about="Test it on your past answers. Nothing changes.">Back-test</Heading>
      <div>
        <Button icon="clock" disabled={test.isPending} onClick={run}>
          {test.isPending ? 'Trying …' : 'Back-test'}
        </Button>
      </div>
      {replay && (
        <Card className="flex flex-col gap-3 p-4" aria-live="polite">
          {replay.of !== settings && <p className="text-wait">The text has changed; test it again.</p>}
          <Replay told={replay.told} />
        </Card>
      )}
    </>
  )
}

/** What a policy would have answered, and where people answered differently. */
export const Replay = ({ told }: { told: PolicyReplay }) => (
  <>
    <p className="text-lg">
      It would have answered <strong>{times(told.answered, 'past ask', 'past asks')}</strong> of {told.asks};{' '}
      <strong className={told.differ.length > 0 ? 'text-stop' : ''}>
        {told.differ.length === 0 ? 'none differ' : times(told.differ.length, 'differs', 'differ')}
      </strong>{' '}
      from what people chose.
    </p>
    {told.wouldAsk > 0 && (
      <p className="text-soft">
        {times(told.wouldAsk, 'ask that a policy answered', 'asks that a policy answered')} would go to people.
      </p>
    )}
    {told.differ.length > 0 && (
      <ul aria-label="Where people answered differently" className="divide-y divide-line">
        {told.differ.map(({ askId, title, rule, chose, at }) => (
          <li key={askId} className="py-2">
            <Link to={paths.ask} params={{ id: askId }} className="font-medium text-link underline">
              {clip(safeText(title), 120)}
            </Link>
            <p className="text-sm text-soft">
              you said <strong>{chose}</strong>, <code className="font-mono">{rule}</code> would have approved
              {at && (
                <>
                  {' · '}
                  <Time at={at} />
                </>
              )}
            </p>
          </li>
        ))}
      </ul>
    )}
    {told.rules.length > 0 && (
      <details>
        <summary className="text-sm text-soft">By rule</summary>
        <ul className="mt-1 text-sm">
          {told.rules.map(({ rule, answered, differ }) => (
            <li key={rule}>
              <code className="font-mono">{rule}</code>: {answered}
              {differ > 0 && <span className="text-stop"> ({times(differ, 'differs', 'differ')})</span>}
            </li>
          ))}
        </ul>
      </details>
    )}
  </>
)
