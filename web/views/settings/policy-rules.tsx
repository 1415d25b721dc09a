import { Link } from '@tanstack/react-router'
import { useQuery } from '@tanstack/react-query'
import type { PolicyRule } from '../../../src/domain/policy/schema.ts'
import { useClient } from '../../api/backend.tsx'
import { useAct } from '../../api/use-act.ts'
import { paths } from '../../app/paths.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Heading, Row, Rows } from '../../ui/rows.tsx'
import { clip, safeText } from '../../ui/safe-text.ts'

/** Rules people proposed by "always", and those in force. */
export function PolicyRules({ root }: { root: string }) {
  const client = useClient()
  const rules = useQuery({
    queryKey: ['rules', root],
    queryFn: () => client.listRules({ query: { workspaceRoot: root, status: 'proposed,confirmed' } }),
  })
  const found = rules.data?.rules ?? []
  return (
    <>
      <Heading about="“Always” proposes a rule; it counts once it is confirmed.">Rules</Heading>
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
  const words = { failed: 'Nothing changed', stale: [['rules'], ['policy']] as const }
  const confirm = useAct(() => client.confirmRule({ params }), words)
  const dismiss = useAct(() => client.dismissRule({ params }), words)
  const revoke = useAct(() => client.revokeRule({ params }), words)
  return (
    <Row
      title={
        <span className="flex flex-wrap items-center gap-2">
          {rule.rule.kind} <code className="font-mono text-sm break-all">{clip(safeText(rule.rule.pattern), 300)}</code>
          {rule.status === 'confirmed' && <Badge signal="clear">in force</Badge>}
        </span>
      }
      about={
        <>
          approved {rule.evidence}× by people
          {rule.askId && (
            <>
              {' · '}
              <Link to={paths.ask} params={{ id: rule.askId }} className="text-link underline">
                the ask it came from
              </Link>
            </>
          )}
        </>
      }
    >
      {rule.status === 'proposed' ? (
        <>
          <Button tone="main" onClick={() => confirm.mutate(undefined)}>
            Confirm
          </Button>
          <Button onClick={() => dismiss.mutate(undefined)}>Turn down</Button>
        </>
      ) : (
        <Button onClick={() => revoke.mutate(undefined)}>Ask again</Button>
      )}
    </Row>
  )
}
