import { Link } from '@tanstack/react-router'
import { useEffect } from 'react'
import type { SessionDetail } from '../../../src/client/contract/sessions.ts'
import { paths } from '../../app/paths.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { safeText } from '../../ui/safe-text.ts'
import { ConnectivityBadge, StatusBadge, WaitingBadge } from '../sessions/session-badges.tsx'
import { folderName, protocolLabels, titleOf, costText, tokenText } from '../sessions/session-labels.ts'
import { SessionActions } from './steer/session-actions.tsx'

export type Tab = 'conversation' | 'files' | 'changes' | 'checkpoints' | 'audit' | 'about'

const tabs: readonly { tab: Tab; to: string; label: string }[] = [
  { tab: 'conversation', to: paths.session, label: 'Conversation' },
  { tab: 'files', to: paths.sessionFiles, label: 'Files' },
  { tab: 'changes', to: paths.sessionChanges, label: 'Changes' },
  { tab: 'checkpoints', to: paths.sessionCheckpoints, label: 'Checkpoints' },
  { tab: 'audit', to: paths.sessionAudit, label: 'Audit' },
  { tab: 'about', to: paths.sessionAbout, label: 'About' },
]

type Props = {
  session: SessionDetail
  tab: Tab
  openAsks: number
  ownerName: string | null
  mayAct: boolean
  mine: boolean
}

/** Title, status, actions and tabs of the session. */
export function SessionHead({ session, tab, openAsks, ownerName, mayAct, mine }: Props) {
  const title = titleOf(session, session.name ?? session.agentState?.title)
  useEffect(() => {
    document.title = `${title} · Signalbox`
  }, [title])
  const agent = session.agent ?? protocolLabels[session.protocolMode].label
  return (
    <header className="shrink-0 border-b border-line bg-ground px-4 pt-2 md:px-6">
      <div className="flex items-center gap-x-2">
        <ButtonLink
          tone="quiet"
          icon="back"
          to={paths.sessions}
          aria-label="Back to sessions"
          className="-ml-2 w-9 px-0"
        />
        <h1 className="min-w-0 flex-1 truncate text-lg font-semibold" title={title}>
          {title}
        </h1>
        <div className="flex shrink-0 items-center gap-2">
          {session.protocolMode === 'terminal' && (
            <ButtonLink tone="main" icon="terminal" to={paths.terminal} params={{ id: session.id }}>
              Open terminal
            </ButtonLink>
          )}
          <SessionActions session={session} mayAct={mayAct} mine={mine} />
        </div>
      </div>
      <div className="mt-1 flex min-h-6 flex-wrap items-center gap-x-2.5 gap-y-1 text-sm text-soft">
        <StatusBadge session={session} />
        <ConnectivityBadge session={session} />
        <WaitingBadge count={openAsks} />
        <span className="min-w-0 truncate">
          <span className="text-text">{safeText(agent)}</span> in{' '}
          <span className="text-text" title={safeText(session.workspaceRoot)}>
            {safeText(session.repo?.name ?? folderName(session.workspaceRoot))}
          </span>
          {!mine && ownerName !== null && <> · of {safeText(ownerName)}</>}
        </span>
        <UsageText session={session} />
      </div>
      <nav aria-label="Session tabs" className="-mx-1.5 mt-1.5 flex flex-wrap md:gap-1">
        {tabs.map(({ tab: name, to, label }) => (
          <Link
            key={name}
            to={to}
            params={{ id: session.id }}
            aria-current={name === tab ? 'page' : undefined}
            className={`flex min-h-11 items-center border-b-2 px-1 text-[0.8rem] font-medium whitespace-nowrap md:px-2.5 md:text-[0.92rem] pointer-fine:min-h-9 ${name === tab ? 'border-accent text-text' : 'border-transparent text-soft hover:text-text'}`}
          >
            {label}
          </Link>
        ))}
      </nav>
    </header>
  )
}

/** Context, cost and budget used, as reported by the agent. */
function UsageText({ session: { agentState } }: { session: SessionDetail }) {
  const { usage, budget } = agentState ?? {}
  if (!usage && !budget) return null
  const { used = null, size = null } = usage ?? {}
  const cost = costText(usage?.costUsd)
  const costLimit = costText(budget?.costUsd)
  const tokenLimit = budget?.tokens ?? null
  const isClose =
    (budget?.costUsd && usage?.costUsd && usage.costUsd / budget.costUsd > 0.8) ||
    (tokenLimit && used && used / tokenLimit > 0.8)
  return (
    <span className={`flex flex-wrap gap-x-2.5 tabular-nums ${isClose ? 'font-medium text-wait' : ''}`}>
      {used !== null && (
        <span title="Tokens in the agent’s context">
          {tokenText(used)}
          {(tokenLimit ?? size) !== null && ` of ${tokenText(tokenLimit ?? size ?? 0)}`} tokens
        </span>
      )}
      {(cost ?? costLimit) !== null && (
        <span title="As reported by the agent">
          {cost ?? '$0.00'}
          {costLimit !== null && ` of ${costLimit}`}
        </span>
      )}
    </span>
  )
}
