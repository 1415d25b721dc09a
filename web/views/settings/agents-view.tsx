import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { AgentInfo } from '../../../src/client/contract/agents.ts'
import { useClient } from '../../api/backend.tsx'
import { usePermissions } from '../../api/queries.ts'
import { paths } from '../../app/paths.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { CopyText } from '../../ui/copy-text.tsx'
import { Row, Rows } from '../../ui/rows.tsx'
import { Failed, Loading } from '../../ui/states.tsx'
import { SettingsPage } from './settings-page.tsx'

function stateOf({ installed, answers, error }: AgentInfo) {
  if (!installed) return <Badge>not installed</Badge>
  if (answers === false)
    return (
      <Badge signal="stop" title={error ?? ''}>
        not responding
      </Badge>
    )
  return <Badge signal="clear">{answers ? 'answers' : 'installed'}</Badge>
}

const whereItRuns = { none: 'runs as you', sandbox: 'in a sandbox', container: 'in a container' }

export function AgentsView() {
  const client = useClient()
  const { machine } = usePermissions()
  const [probe, setProbe] = useState(false)
  const agents = useQuery({
    queryKey: ['agents', { probe }],
    queryFn: () => client.listAgents({ query: { probe: probe ? 'true' : 'false' } }),
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
        Agents that use the Agent Client Protocol. Others, in editors and terminals, connect over MCP:{' '}
        <code className="font-mono text-sm">signalbox mcp install claude</code>
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
                  {agent.error && <span className="block text-stop">{agent.error}</span>}
                </>
              }
            >
              {agent.installed ? (
                <ButtonLink to={paths.newSession} search={{ agent: agent.name }} icon="play">
                  Start
                </ButtonLink>
              ) : (
                <CopyText text={agent.install} label="Copy the command" />
              )}
            </Row>
          ))}
        </Rows>
      )}
    </SettingsPage>
  )
}
