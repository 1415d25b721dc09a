import { Link } from '@tanstack/react-router'
import { useQuery } from '@tanstack/react-query'
import type { PolicyRule } from '../../../src/domain/policy/schema.ts'
import { useClient } from '../../api/backend.tsx'
import { paths } from '../../app/paths.ts'
import { Heading, Rows } from '../../ui/rows.tsx'
import { clip, safeText } from '../../ui/safe-text.ts'
import { ProposalRow } from './proposal-row.tsx'

/** Rules proposed by "always", and those in force. */
export function PolicyRules({ root }: { root: string }) {
  const client = useClient()
  const rules = useQuery({
    queryKey: ['rules', root],
    queryFn: () => client.listRules({ query: { workspaceRoot: root, status: 'proposed,confirmed' } }),
  })
  const found = rules.data?.rules ?? []
  return (
    <>
      <Heading about="“Always” suggests a rule; it applies once confirmed.">Rules</Heading>
      {found.length === 0 ? (
        <p className="text-soft">None for this workspace.</p>
      ) : (
        <Rows label="Rules">
          {found.map((rule) => (
            <RuleRow key={rule.id} rule={rule} />
          ))}
        </Rows>
      )}
    </>
  )
}

function RuleRow({ rule }: { rule: PolicyRule }) {
  const client = useClient()
  const params = { id: rule.id }
  return (
    <ProposalRow
      title={
        <span>
          {rule.rule.kind} <code className="font-mono text-sm break-all">{clip(safeText(rule.rule.pattern), 300)}</code>
        </span>
      }
      about={
        <>
          approved {rule.evidence}× by people
          {rule.askId && (
            <>
              {' · '}
              <Link to={paths.ask} params={{ id: rule.askId }} className="text-link underline">
                source ask
              </Link>
            </>
          )}
        </>
      }
      status={rule.status}
      revoke="Ask again"
      stale={[['rules'], ['policy']]}
      acts={{
        confirm: () => client.confirmRule({ params }),
        dismiss: () => client.dismissRule({ params }),
        revoke: () => client.revokeRule({ params }),
      }}
    />
  )
}
