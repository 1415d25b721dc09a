import { useQuery } from '@tanstack/react-query'
import type { Ask } from '../../../src/domain/ask/schema.ts'
import { adminFacts, effectOf } from '../../../src/domain/ask/shown-effect.ts'
import type { GroupSubject } from '../../../src/domain/ask/subject.ts'
import { useClient } from '../../api/backend.tsx'
import { safeText } from '../../ui/safe-text.ts'
import { Code, Exact, Fold, PlainText, SubjectPart } from './body-parts.tsx'
import { useActorName } from './use-names.ts'

/** What an approval changes, exactly, and whom it was asked for. */
export function AdminBody({ ask, subject }: { ask: Ask; subject: GroupSubject }) {
  const who = useActorName()
  return (
    <>
      {effectOf(subject).map(({ title, text, exact }) => (
        <SubjectPart key={title} title={safeText(title)}>
          {exact ? <Exact text={text} /> : <PlainText text={text} />}
        </SubjectPart>
      ))}
      <dl className="grid grid-cols-[max-content_1fr] gap-x-4 gap-y-1 text-sm">
        {ask.requestedBy !== null && (
          <>
            <dt className="text-soft">For</dt>
            <dd>{who(`user:${ask.requestedBy}`)}</dd>
          </>
        )}
        {adminFacts(ask).map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-soft">{name}</dt>
            <dd className="min-w-0 break-all">{name === 'SHA-256' ? <Code>{value}</Code> : value}</dd>
          </div>
        ))}
      </dl>
      {ask.status !== 'open' && <CarriedOut ask={ask} />}
    </>
  )
}

const pollMs = 1000

/** The log of what an approval started, live while it runs. */
function CarriedOut({ ask }: { ask: Ask }) {
  const client = useClient()
  const isRunning = ask.status === 'answered' || ask.status === 'applying'
  const { data } = useQuery({
    queryKey: ['ask', ask.id, 'log', ask.status],
    queryFn: () => client.getAskLog({ params: { id: ask.id }, query: {} }),
    refetchInterval: isRunning ? pollMs : false,
  })
  if (!data || data.lines.length === 0) return null
  const text = data.lines.map((line) => line.text).join('\n')
  return isRunning ? (
    <SubjectPart title="Log">
      <Exact text={text} />
    </SubjectPart>
  ) : (
    <Fold title="Log">
      <Exact text={text} />
    </Fold>
  )
}
