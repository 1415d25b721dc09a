import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import type { AgentInfo } from '../../../../src/client/contract/agents.ts'
import { useClient } from '../../../api/backend.tsx'
import { usePermissions } from '../../../api/queries.ts'
import { useAction } from '../../../api/use-action.ts'
import { paths } from '../../../app/paths.ts'
import { Button, ButtonLink } from '../../../ui/button.tsx'
import { deniedText } from '../../../ui/denied-text.ts'
import { DeniedNote } from '../../../ui/denied.tsx'
import { safeText } from '../../../ui/safe-text.ts'
import { Empty, Failed, Loading } from '../../../ui/states.tsx'
import { SettingsPage } from '../settings-page.tsx'
import { stateOf, whereItRuns } from './agents-view.tsx'
import { InstallAgent } from './install-agent.tsx'
import { SignInAgent } from './sign-in-agent.tsx'
import { Step } from './step.tsx'

/** An agent from nothing to its first answer: install it, sign in, try it. */
export function AgentView() {
  const { id = '' } = useParams({ strict: false }) as { id?: string }
  return <Agent key={id} name={id} />
}

function Agent({ name }: { name: string }) {
  const client = useClient()
  const { machine } = usePermissions()
  const found = useQuery({
    queryKey: ['agents', 'of', name],
    queryFn: () => client.listAgents({ query: { name } }),
  })
  const agent = found.data?.agents[0]
  // It is started and asked for a session, which shows whether somebody must sign in.
  const asked = useQuery({
    queryKey: ['agents', 'asked', name],
    queryFn: () => client.listAgents({ query: { name, probe: 'session' } }),
    enabled: machine && agent?.installed === true,
    staleTime: 60_000,
  })
  if (found.isPending) return <Loading />
  if (found.isError) return <Failed error={found.error} retry={() => void found.refetch()} />
  if (!agent)
    return (
      <SettingsPage title="Agent">
        <Empty icon="play" title="Agent not found">
          <p>It is not in the configuration, or the address is mistyped.</p>
          <ButtonLink to={paths.agents} icon="list">
            All agents
          </ButtonLink>
        </Empty>
      </SettingsPage>
    )
  const now = agent.installed ? (asked.data?.agents[0] ?? agent) : agent
  const lookAgain = () => {
    void found.refetch()
    if (agent.installed) void asked.refetch()
  }
  return (
    <SettingsPage
      title={agent.title}
      actions={
        machine && (
          <Button icon="refresh" disabled={found.isFetching || asked.isFetching} onClick={lookAgain}>
            {asked.isFetching ? 'Checking…' : 'Check'}
          </Button>
        )
      }
    >
      <p className="flex flex-wrap items-center gap-2 text-soft">
        {stateOf(now)}
        <code className="font-mono text-sm">{safeText(now.command)}</code>
        {now.version !== null && <span>{safeText(now.version)}</span>}
        {now.installed && <span>{whereItRuns[now.isolation]}</span>}
      </p>
      {now.error !== null && (
        <p role="alert" className="rounded-lg bg-stop-soft p-3 break-words text-stop">
          {safeText(now.error)}
        </p>
      )}
      {!machine && <DeniedNote>{deniedText('Installing agents and signing them in', 'machine')}</DeniedNote>}
      <Step number={1} title="Install" state={now.installed ? 'done' : 'now'}>
        <InstallAgent agent={agent} mayRun={machine} installed={lookAgain} />
      </Step>
      <Step number={2} title="Sign in" state={!now.installed ? 'later' : now.ready ? 'done' : 'now'}>
        {asked.isFetching && now.ready === null ? (
          <p role="status" className="text-soft">
            Starting it and asking for a session…
          </p>
        ) : (
          <SignInAgent agent={now} mayRun={machine} signedIn={lookAgain} />
        )}
      </Step>
      <Step number={3} title="Try" state={now.ready ? 'now' : 'later'}>
        <TryAgent agent={now} />
      </Step>
    </SettingsPage>
  )
}

function TryAgent({ agent }: { agent: AgentInfo }) {
  const client = useClient()
  const navigate = useNavigate()
  const start = useAction(() => client.startPractice({ body: { agent: agent.name } }), {
    failed: null,
    stale: [['sessions'], ['repos']],
    whenDone: ({ id }) => void navigate({ to: paths.session, params: { id } }),
  })
  return (
    <>
      <p className="text-soft">
        A short session in a small repo for practice. The agent says hello and changes nothing.
      </p>
      {start.error && <Failed error={start.error} />}
      <div className="flex flex-wrap gap-2">
        <Button
          tone={agent.ready ? 'main' : 'plain'}
          icon="play"
          disabled={!agent.installed || start.isPending}
          onClick={() => start.mutate(undefined)}
        >
          {start.isPending ? 'Starting…' : `Try ${safeText(agent.title)}`}
        </Button>
        {agent.ready && (
          <ButtonLink to={paths.newSession} search={{ agent: agent.name }} icon="plus">
            New session with it
          </ButtonLink>
        )}
      </div>
    </>
  )
}
