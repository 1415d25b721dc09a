import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { GroupSpending } from '../../../src/client/contract/agent-groups.ts'
import type { ContainerConfig } from '../../../src/domain/agent-group/schema.ts'
import type { AgentGroup } from '../../../src/domain/agent-group/schema.ts'
import { useClient } from '../../api/backend.tsx'
import { reposQuery } from '../../api/queries.ts'
import { paths } from '../../app/paths.ts'
import { Badge } from '../../ui/badge.tsx'
import { Card } from '../../ui/card.tsx'
import { Heading, Row, Rows } from '../../ui/rows.tsx'
import { safeText } from '../../ui/safe-text.ts'
import { Time } from '../../ui/time.tsx'
import { stateLabel } from '../sessions/session-labels.ts'
import { groupConfigQuery, groupSessionsQuery, groupSpendingQuery } from './queries.ts'

const Fact = ({ label, children }: { label: string; children: ReactNode }) => (
  <div className="min-w-0">
    <dt className="text-sm text-soft">{label}</dt>
    <dd className="break-words">{children}</dd>
  </div>
)

const isolationWords = {
  none: 'As the server’s user',
  sandbox: 'In a sandbox',
  container: 'In a container',
} as const

const listed = (values: readonly string[]): string =>
  values.length === 0 ? 'Nothing' : values.map(safeText).join(', ')

export function spentText({ costUsd, period, budget }: GroupSpending): string {
  const when = { day: 'today', month: 'this month', total: 'in total' }[period]
  const most = budget?.costUsd ?? null
  return `$${costUsd.toFixed(2)}${most === null ? '' : ` of $${most.toFixed(2)}`} ${when}`
}

/** What it is, what it may touch, and what it cost. */
export function GroupFacts({ group }: { group: AgentGroup }) {
  const client = useClient()
  const { data: config } = useQuery(groupConfigQuery(client, group.id))
  const { data: spending } = useQuery(groupSpendingQuery(client, group.id))
  const { data: repos } = useQuery(reposQuery(client))
  const place = repos?.find(({ id }) => id === group.repoId)?.name ?? group.workspaceRoot ?? 'Its own folder'
  return (
    <Card className="p-4" aria-label="About">
      <dl className="grid grid-cols-1 gap-x-6 gap-y-4 sm:grid-cols-2 xl:grid-cols-3">
        <Fact label="Agent">{agentText(group, config)}</Fact>
        <Fact label="Works in">{safeText(place)}</Fact>
        <Fact label="Runs">{config?.isolation ? isolationWords[config.isolation] : 'As the server is configured'}</Fact>
        <Fact label="Packages">{config ? listed([...config.packagesApt, ...config.packagesNpm]) : '…'}</Fact>
        <Fact label="Other folders">{config ? listed(config.additionalMounts.map(mountText)) : '…'}</Fact>
        <Fact label="Hosts it reaches in a container">
          {config ? listed([...config.networkHosts, ...config.providers]) : '…'}
        </Fact>
        <Fact label="MCP servers">{config ? listed(serverTexts(config)) : '…'}</Fact>
        <Fact label="Cost">{spending ? spentText(spending) : '…'}</Fact>
      </dl>
    </Card>
  )
}

const serverTexts = ({ mcpServers, vouchedServers }: ContainerConfig): string[] =>
  Object.entries(mcpServers).map(([name, server]) =>
    'command' in server && !vouchedServers.includes(name) ? `${name} (only with isolation)` : name,
  )

function agentText(group: AgentGroup, config: ContainerConfig | undefined): string {
  const agent = config?.provider ?? group.agent ?? group.agentProvider ?? 'The server’s default'
  const more = [config?.model ?? group.model, config?.effort].filter((word) => typeof word === 'string')
  return safeText([agent, ...more].join(', '))
}

const mountText = ({ hostPath, readOnly }: ContainerConfig['additionalMounts'][number]): string =>
  readOnly ? hostPath : `${hostPath} (writable)`

/** Where it runs now. */
export function GroupSessions({ group }: { group: AgentGroup }) {
  const { data } = useQuery(groupSessionsQuery(useClient(), group.id))
  const live = data?.sessions ?? []
  return (
    <>
      <Heading about="Sessions that have not ended.">Running now</Heading>
      {data && live.length === 0 && <p className="text-soft">No session is running.</p>}
      {live.length > 0 && (
        <Rows label="Sessions">
          {live.map((session) => (
            <Row
              key={session.id}
              title={
                <Link to={paths.session} params={{ id: session.id }} className="hover:underline">
                  {safeText(session.title || 'Session')}
                </Link>
              }
              about={
                <>
                  {safeText(session.ownerName ?? '')}
                  {session.isolation === 'container' && ` · container ${session.containerStatus}`} ·{' '}
                  <Time at={session.createdAt} />
                </>
              }
            >
              {(session.openAsks ?? 0) > 0 && (
                <Badge signal="wait">
                  {session.openAsks} open {session.openAsks === 1 ? 'ask' : 'asks'}
                </Badge>
              )}
              <Badge signal={stateLabel(session).signal}>{stateLabel(session).label}</Badge>
            </Row>
          ))}
        </Rows>
      )}
    </>
  )
}
