import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { SessionDetail } from '../../../../src/client/contract/sessions.ts'
import type { Diagnosis as Found } from '../../../../src/domain/agent/about.ts'
import { useClient } from '../../../api/backend.tsx'
import { namesQuery } from '../../../api/queries.ts'
import { paths } from '../../../app/paths.ts'
import { Card } from '../../../ui/card.tsx'
import { CopyText } from '../../../ui/copy-text.tsx'
import { Heading } from '../../../ui/rows.tsx'
import { safeText } from '../../../ui/safe-text.ts'
import { Time, WithTimes } from '../../../ui/time.tsx'
import { Badge, type Signal } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { Failed, Loading } from '../../../ui/states.tsx'
import { protocolLabels, statusLabels } from '../../sessions/session-labels.ts'
import { SharedNote } from './changes-tab.tsx'
import { ClippedOutput } from '../entries/clipped-output.tsx'
import { Allowances } from './allowances.tsx'
import { modeLabels } from '../steer/mode-dialog.tsx'

/** Details of the session. */
export function AboutTab({ session }: { session: SessionDetail }) {
  const { data: names } = useQuery(namesQuery(useClient()))
  const name = (id: string) => safeText(names?.people.find((person) => person.id === id)?.displayName ?? id.slice(0, 8))
  const { agentState: state } = session
  const reason = session.metadata['reason']
  return (
    <>
      <Diagnosis session={session} />
      <SharedNote count={session.sharedWith} />
      <Facts title="Session">
        <Fact label="Id">
          <CopyText text={session.id} label="Copy the id" />
        </Fact>
        <Fact label="Status">
          {statusLabels[session.status].label}. {statusLabels[session.status].about}
          {typeof reason === 'string' && ` ${safeText(reason)}`}
        </Fact>
        <Fact label="Owner">{name(session.ownerUserId)}</Fact>
        {session.delegates.length > 0 && <Fact label="Delegated to">{session.delegates.map(name).join(', ')}</Fact>}
        <Fact label="Allowed for the session">
          <Allowances id={session.id} mayRevoke={session.terminatedAt === null} />
        </Fact>
        <Fact label="Notification routing">{modeLabels.find(({ value }) => value === session.mode)?.about}</Fact>
        <Fact label="Started">
          <Time at={session.createdAt} />
        </Fact>
        {session.terminatedAt !== null && (
          <Fact label="Ended">
            <Time at={session.terminatedAt} />
          </Fact>
        )}
        {session.lastActivityAt !== null && (
          <Fact label="Last activity">
            <Time at={session.lastActivityAt} />
            {session.lastTool !== null && `, ${safeText(session.lastTool)}`}
          </Fact>
        )}
        <Lineage session={session} />
      </Facts>
      <Facts title="Agent">
        <Fact label="Agent">
          {safeText(session.agent ?? 'unknown')}
          {agentVersion(state?.agentInfo)}
        </Fact>
        <Fact label="Kind">{protocolLabels[session.protocolMode].about}</Fact>
        <Fact label="Workspace">
          <code className="font-mono text-sm break-all">{safeText(session.workspaceRoot)}</code>
          {session.workspaceClaimed && ' (named by the agent: no policy applies there)'}
        </Fact>
        {session.repo && <Fact label="Repo">{safeText(session.repo.name)}</Fact>}
        {state?.worktree && (
          <Fact label="Worktree">
            branch <code className="font-mono text-sm">{safeText(state.worktree.branch)}</code> of{' '}
            <code className="font-mono text-sm break-all">{safeText(state.worktree.repo)}</code>
            {state.worktree.from?.branch && `, from ${safeText(state.worktree.from.branch)}`}
          </Fact>
        )}
        <Fact label="Confinement">{safeText(confinement(session))}</Fact>
        {state?.authMethod && <Fact label="Signed in by">{safeText(state.authMethod)}</Fact>}
      </Facts>
      {session.protocolMode === 'acp' && <LastErrors session={session} />}
      {Object.keys(session.metadata).length > 0 && (
        <section className="flex flex-col gap-2">
          <Heading>Metadata</Heading>
          <ClippedOutput text={JSON.stringify(session.metadata, null, 2)} label="Metadata" />
        </section>
      )}
    </>
  )
}

const Facts = ({ title, children }: { title: string; children: ReactNode }) => (
  <section className="flex flex-col gap-2">
    <Heading>{title}</Heading>
    <Card className="px-4 py-1">
      <dl className="divide-y divide-line">{children}</dl>
    </Card>
  </section>
)

const Fact = ({ label, children }: { label: string; children: ReactNode }) => (
  <div className="grid gap-x-4 py-2 sm:grid-cols-[10rem_minmax(0,1fr)]">
    <dt className="text-soft">{label}</dt>
    <dd className="min-w-0 break-words">{children}</dd>
  </div>
)

function confinement({ agentState, isolation, protocolMode }: SessionDetail): string {
  if (agentState?.confinement) return agentState.confinement
  if (isolation === 'container') return 'In a container.'
  if (isolation === 'sandbox') return 'In a sandbox.'
  if (isolation === 'none') return "None: it can do what the server's user can."
  return protocolMode === 'terminal' ? "None: it runs as the server's user." : 'Runs elsewhere.'
}

function agentVersion(info: unknown): string {
  const { version } = (info ?? {}) as { version?: unknown }
  return typeof version === 'string' ? ` ${safeText(version)}` : ''
}

function Lineage({ session }: { session: SessionDetail }) {
  const { lineage, id, metadata } = session
  const fork = metadata['forkOf']
  return (
    <>
      {lineage.length > 1 && (
        <Fact label="Lineage">
          <ol className="flex flex-wrap gap-x-3">
            {lineage.map((one, index) => (
              <li key={one}>
                {one === id ? (
                  <span className="font-medium">{index + 1}: this one</span>
                ) : (
                  <Link to={paths.session} params={{ id: one }} className="text-link underline">
                    {index + 1}: {one.slice(0, 8)}
                  </Link>
                )}
              </li>
            ))}
          </ol>
        </Fact>
      )}
      {typeof fork === 'string' && (
        <Fact label="Forked from">
          <Link to={paths.session} params={{ id: fork }} className="text-link underline">
            {fork.slice(0, 8)}
          </Link>
        </Fact>
      )}
    </>
  )
}

const causes: Readonly<Record<Found['cause'], { label: string; signal: Signal }>> = {
  starting: { label: 'starting', signal: 'info' },
  working: { label: 'working', signal: 'clear' },
  idle: { label: 'idle', signal: 'plain' },
  asleep: { label: 'asleep', signal: 'plain' },
  queued: { label: 'waiting for a container', signal: 'wait' },
  paused: { label: 'paused', signal: 'wait' },
  waiting_for_person: { label: 'waiting for a person', signal: 'wait' },
  model_silent: { label: 'the model is silent', signal: 'wait' },
  rate_limited: { label: 'rate limited', signal: 'wait' },
  ignores_cancel: { label: 'does not stop', signal: 'stop' },
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
function Diagnosis({ session: { id } }: { session: SessionDetail }) {
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
            <WithTimes text={found.data.detail} /> {safeText(hintOf(found.data))}
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
function LastErrors({ session: { id } }: { session: SessionDetail }) {
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
