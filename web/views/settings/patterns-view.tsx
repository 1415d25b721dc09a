import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Pattern, PatternRule } from '../../../src/domain/pattern/schema.ts'
import { useClient } from '../../api/backend.tsx'
import { useAction } from '../../api/use-action.ts'
import { ConfirmButton } from '../../ui/confirm-button.tsx'
import { TextField } from '../../ui/field.tsx'
import { Heading, Row, Rows } from '../../ui/rows.tsx'
import { clip, safeText } from '../../ui/safe-text.ts'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { ProposalRow } from './proposal-row.tsx'
import { SettingsPage } from './settings-page.tsx'

export function PatternsView() {
  const client = useClient()
  const [q, setQ] = useState('')
  const patterns = useQuery({
    queryKey: ['patterns', { q }],
    queryFn: () => client.listPatterns({ query: { limit: 100, ...(q.trim() !== '' && { q: q.trim() }) } }),
    placeholderData: (before) => before,
  })
  return (
    <SettingsPage title="Patterns">
      <Proposals />
      <Heading about="Secrets and dangerous questions are never learned.">Your past answers</Heading>
      <TextField label="Words of the question" type="search" value={q} onChange={(event) => setQ(event.target.value)} />
      {patterns.isPending && <Loading />}
      {patterns.isError && <Failed error={patterns.error} retry={() => void patterns.refetch()} />}
      {patterns.data?.total === 0 && (
        <Empty icon="wave" title={q === '' ? 'Nothing learned yet' : 'No matching question'}>
          <p>When programs in terminals ask you something, your answers are counted here.</p>
        </Empty>
      )}
      {patterns.data && patterns.data.total > 0 && (
        <Rows label="Patterns">
          {patterns.data.patterns.map((pattern) => (
            <PatternRow key={pattern.id} pattern={pattern} />
          ))}
        </Rows>
      )}
    </SettingsPage>
  )
}

const placeOf = ({ program, host, place }: Pattern['context']): string =>
  [program, host, place].filter((part) => part !== '').join(' · ')

function PatternRow({ pattern }: { pattern: Pattern }) {
  const client = useClient()
  const forget = useAction(() => client.forgetPattern({ params: { id: pattern.id } }), {
    failed: 'Not forgotten',
    done: 'Forgotten',
    stale: [['patterns']],
  })
  const [best, ...others] = pattern.responses
  return (
    <Row
      title={<code className="font-mono text-sm">{clip(safeText(pattern.promptText), 300)}</code>}
      about={
        <>
          {best && (
            <span className="text-text">
              “{clip(safeText(best.response), 60)}” {best.count}×{' '}
              {best.successCount < best.count && `(${best.successCount} taken)`}
            </span>
          )}
          {others.length > 0 &&
            ` · ${others.map((one) => `“${clip(safeText(one.response), 30)}” ${one.count}×`).join(', ')}`}
          {` · ${placeOf(pattern.context)} · `}
          <Time at={pattern.lastSeen} />
        </>
      }
    >
      <ConfirmButton label="Forget" title="Forget this question?" sure="Forget" run={() => forget.mutate(undefined)}>
        Its answers are no longer suggested, and rules made from it end.
      </ConfirmButton>
    </Row>
  )
}

function Proposals() {
  const client = useClient()
  const proposals = useQuery({
    queryKey: ['patterns', 'proposals'],
    queryFn: () => client.listProposals({ query: { status: 'proposed,confirmed' } }),
  })
  const rules = proposals.data?.proposals ?? []
  if (rules.length === 0) return null
  return (
    <>
      <Heading about="Nothing is typed automatically until you confirm it.">Possible automatic answers</Heading>
      <Rows label="Proposals">
        {rules.map((rule) => (
          <PatternProposal key={rule.id} rule={rule} />
        ))}
      </Rows>
    </>
  )
}

function PatternProposal({ rule }: { rule: PatternRule }) {
  const client = useClient()
  const params = { id: rule.id }
  return (
    <ProposalRow
      title={
        <span>
          <code className="font-mono text-sm">{clip(safeText(rule.promptText), 200)}</code> → “
          {clip(safeText(rule.response), 60)}”
        </span>
      }
      about={`${rule.why} · ${placeOf(rule.context)}`}
      status={rule.status}
      revoke="Ask me again"
      stale={[['patterns']]}
      acts={{
        confirm: () => client.confirmProposal({ params }),
        dismiss: () => client.dismissProposal({ params }),
        revoke: () => client.revokeProposal({ params }),
      }}
    />
  )
}
