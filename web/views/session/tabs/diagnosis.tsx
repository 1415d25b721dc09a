import { useQuery } from '@tanstack/react-query'
import type { SessionDetail } from '../../../../src/client/contract/sessions.ts'
import type { Diagnosis as Found } from '../../../../src/domain/agent/about.ts'
import { useClient } from '../../../api/backend.tsx'
import { Badge, type Signal } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { Heading } from '../../../ui/rows.tsx'
import { safeText } from '../../../ui/safe-text.ts'
import { Failed, Loading } from '../../../ui/states.tsx'
import { Time } from '../../../ui/time.tsx'
import { ClippedOutput } from '../entries/clipped-output.tsx'

const causes: Readonly<Record<Found['cause'], { label: string; signal: Signal }>> = {
  starting: { label: 'starting', signal: 'info' },
  working: { label: 'working', signal: 'clear' },
  idle: { label: 'idle', signal: 'plain' },
  paused: { label: 'paused', signal: 'wait' },
  waiting_for_person: { label: 'waiting for a person', signal: 'wait' },
  model_silent: { label: 'the model is silent', signal: 'wait' },
  rate_limited: { label: 'rate limited', signal: 'wait' },
  looping: { label: 'repeating itself', signal: 'stop' },
  child_hung: { label: 'a tool is stuck', signal: 'stop' },
  dead: { label: 'dead', signal: 'stop' },
  done: { label: 'over', signal: 'plain' },
}

/** Replaces hints that are command lines. */
function hintOf({ cause, hint }: Found): string {
  if (hint === null || !hint.includes('signalbox ')) return hint ?? ''
  return cause === 'waiting_for_person' ? 'Answer it in the conversation.' : 'Its last output is below.'
}

/** Why the session makes no progress, if it makes none. */
export function Diagnosis({ session: { id } }: { session: SessionDetail }) {
  const client = useClient()
  const found = useQuery({
    queryKey: ['session', id, 'diagnosis'],
    queryFn: () => client.diagnoseSession({ params: { id } }),
    staleTime: 0,
  })
  return (
    <section className="flex flex-col gap-2">
      <Heading>Current activity</Heading>
      {found.isPending && <Loading />}
      {found.isError && <Failed error={found.error} retry={() => void found.refetch()} />}
      {found.data && (
        <Card className="flex flex-wrap items-center gap-x-3 gap-y-2 p-4">
          <Badge signal={causes[found.data.cause].signal}>{causes[found.data.cause].label}</Badge>
          <p className="min-w-0 flex-1 basis-60 break-words">
            {safeText(found.data.detail)} {safeText(hintOf(found.data))}
            {found.data.since !== null && (
              <span className="text-soft">
                {' '}
                (since <Time at={found.data.since} />)
              </span>
            )}
          </p>
          <Button tone="quiet" icon="refresh" disabled={found.isFetching} onClick={() => void found.refetch()}>
            Refresh
          </Button>
        </Card>
      )}
    </section>
  )
}

/** The last lines of the agent's stderr. */
export function LastErrors({ session: { id } }: { session: SessionDetail }) {
  const client = useClient()
  const found = useQuery({
    queryKey: ['session', id, 'stderr'],
    queryFn: () => client.sessionErrors({ params: { id } }),
    staleTime: 0,
  })
  const text = found.data?.text ?? ''
  return (
    <section className="flex flex-col gap-2">
      <Heading about="The agent's stderr.">Error output</Heading>
      {found.isPending && <Loading />}
      {found.isError && <Failed error={found.error} retry={() => void found.refetch()} />}
      {found.data &&
        (text.trim() === '' ? (
          <p className="text-soft">Nothing.</p>
        ) : (
          <ClippedOutput text={text} label="Error output" />
        ))}
    </section>
  )
}
