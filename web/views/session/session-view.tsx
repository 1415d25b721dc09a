import { useQuery } from '@tanstack/react-query'
import { useLocation, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { SessionDetail } from '../../../src/client/contract/sessions.ts'
import { useClient } from '../../api/backend.tsx'
import { meQuery, namesQuery, sessionQuery } from '../../api/queries.ts'
import { ApiError } from '../../api/transport.ts'
import { paths } from '../../app/paths.ts'
import { useShortcuts } from '../../app/shortcuts.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { PageHead } from '../../ui/page.tsx'
import { Denied } from '../../ui/denied.tsx'
import { Empty, Failed, Loading } from '../../ui/states.tsx'
import { useUndoLast } from '../asks/use-undo.ts'
import { Conversation } from './conversation.tsx'
import { SessionHead, type Tab } from './session-head.tsx'
import { AboutTab } from './tabs/about-tab.tsx'
import { AuditTab } from './tabs/audit-tab.tsx'
import { ChangesTab } from './tabs/changes-tab.tsx'
import { CheckpointsTab } from './tabs/checkpoints-tab.tsx'
import { FilesTab } from './tabs/files-tab.tsx'
import { useSessionAsks } from './session-hooks.ts'

export function SessionView() {
  const { id = '' } = useParams({ strict: false })
  const session = useQuery(sessionQuery(useClient(), id))
  if (session.isPending)
    return (
      <>
        <PageHead title="Session" back={paths.sessions} />
        <Loading />
      </>
    )
  if (!session.data)
    return (
      <>
        <PageHead title="Session" back={paths.sessions} />
        <SessionNotFound error={session.error} retry={() => void session.refetch()} />
      </>
    )
  return <LoadedSession key={id} session={session.data} />
}

function LoadedSession({ session }: { session: SessionDetail }) {
  const client = useClient()
  const { pathname } = useLocation()
  const { data: me } = useQuery(meQuery(client))
  const { data: names } = useQuery(namesQuery(client))
  const { open } = useSessionAsks(session.id)
  const undoLast = useUndoLast()
  useShortcuts({ u: undoLast })
  const tab = tabOf(pathname)
  const mine = me?.user.id === session.ownerUserId
  // The server decides whether admins may act.
  const mayAct =
    mine ||
    (me !== undefined &&
      (session.delegates.includes(me.user.id) || me.user.roles.some((role) => role.agentGroupId === null)))
  const ownerName = names?.people.find((person) => person.id === session.ownerUserId)?.displayName ?? null
  return (
    <div className="flex h-[calc(100dvh-4rem-env(safe-area-inset-bottom))] min-h-0 flex-col md:h-dvh">
      <SessionHead {...{ session, tab, ownerName, mayAct, mine }} openAsks={open.length} />
      {tab === 'conversation' ? (
        <Conversation session={session} ownerName={ownerName} mayAct={mayAct} />
      ) : (
        <Scrolling label={tab}>
          {tab === 'files' && <FilesTab session={session} />}
          {tab === 'changes' && <ChangesTab session={session} mayAct={mayAct} />}
          {tab === 'checkpoints' && <CheckpointsTab session={session} mayAct={mayAct} />}
          {tab === 'audit' && <AuditTab session={session} />}
          {tab === 'about' && <AboutTab session={session} />}
        </Scrolling>
      )}
    </div>
  )
}

const Scrolling = ({ label, children }: { label: string; children: ReactNode }) => (
  <div role="region" aria-label={label} tabIndex={0} className="min-h-0 flex-1 overflow-y-auto outline-offset-[-2px]">
    <div className="mx-auto flex w-full max-w-4xl flex-col gap-4 p-4 md:p-6">{children}</div>
  </div>
)

const tabNames: readonly Tab[] = ['files', 'changes', 'checkpoints', 'audit', 'about']
const tabOf = (pathname: string): Tab => tabNames.find((tab) => pathname.endsWith(`/${tab}`)) ?? 'conversation'

function SessionNotFound({ error, retry }: { error: unknown; retry: () => void }) {
  const status = error instanceof ApiError ? error.status : 0
  if (status !== 404 && status !== 400 && status !== 403) return <Failed error={error} retry={retry} />
  const way = (
    <ButtonLink to={paths.sessions} icon="sessions">
      All sessions
    </ButtonLink>
  )
  if (status === 403)
    return (
      <Denied what="This session" needs="session">
        {way}
      </Denied>
    )
  return (
    <Empty icon="sessions" title="Session not found">
      <p>The address may be mistyped, or it belongs to someone else. Only they and their delegates can see it.</p>
      {way}
    </Empty>
  )
}
