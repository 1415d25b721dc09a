import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { AgentInfo } from '../../../../src/client/contract/agents.ts'
import { useClient } from '../../../api/backend.tsx'
import { usePermissions } from '../../../api/queries.ts'
import { paths } from '../../../app/paths.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button, ButtonLink } from '../../../ui/button.tsx'
import { Row, Rows } from '../../../ui/rows.tsx'
import { Failed, Loading } from '../../../ui/states.tsx'
import { SettingsPage } from '../settings-page.tsx'

export function stateOf({ installed, answers, ready, error }: AgentInfo) {
  if (!installed) return <Badge>not installed</Badge>
  if (answers === false)
    return (
      <Badge signal="stop" title={error ?? ''}>
        not responding
      </Badge>
    )
  if (ready === false) return <Badge signal="wait">not signed in</Badge>
  return <Badge signal="clear">{ready ? 'ready' : answers ? 'answers' : 'installed'}</Badge>
}

export const whereItRuns = { none: 'runs as you', sandbox: 'in a sandbox', container: 'in a container' }

export function AgentsView() {
  const client = useClient()
  const { machine } = usePermissions()
  const [probe, setProbe] = useState(false)
  const agents = useQuery({
    queryKey: ['agents', { probe }],
    queryFn: () => client.listAgents({ query: { probe: probe ? 'session' : 'false' } }),
    staleTime: 30_000,
  })
  return (
    <SettingsPage
      title="Agents"
      actions={
        machine && (
          <Button
            icon="refresh"
            disabled={agents.isFetching}
            onClick={() => (probe ? void agents.refetch() : setProbe(true))}
          >
            {agents.isFetching ? 'Checking…' : 'Check all'}
          </Button>
        )
      }
    >
      <p className="text-soft">
        Agents that Signalbox starts. Those in editors and terminals connect over MCP:{' '}
        <Link to={paths.mcpClients} className="text-link underline">
          connect one
        </Link>
        .
      </p>
      {agents.isPending && <Loading />}
      {agents.isError && <Failed error={agents.error} retry={() => void agents.refetch()} />}
      {agents.data && (
        <Rows label="Agents">
          {agents.data.agents.map((agent) => (
            <Row
              key={agent.name}
              title={
                <span className="flex flex-wrap items-center gap-2">
                  {agent.title} {stateOf(agent)} {agent.isDefault && <Badge signal="info">default</Badge>}
                </span>
              }
              about={
                <>
                  <code className="font-mono text-sm">{agent.command}</code>
                  {agent.version && ` · ${agent.version}`}
                  {agent.installed && ` · ${whereItRuns[agent.isolation]}`}
                  {!agent.installed && agent.installCommand === null && <span className="block">{agent.install}</span>}
                  {agent.error && <span className="block text-stop">{agent.error}</span>}
                </>
              }
            >
              {agent.installed && (
                <ButtonLink to={paths.newSession} search={{ agent: agent.name }} icon="play">
                  Start
                </ButtonLink>
              )}
              <ButtonLink
                to={paths.agent}
                params={{ id: agent.name }}
                tone={agent.installed ? 'plain' : 'main'}
                icon="settings"
                aria-label={`Set up ${agent.title}`}
              >
                Set up
              </ButtonLink>
            </Row>
          ))}
        </Rows>
      )}
    </SettingsPage>
  )
}
