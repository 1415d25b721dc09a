import { Link } from '@tanstack/react-router'
import { memo } from 'react'
import type { ListedSession } from '../../../src/client/contract/sessions.ts'
import { paths } from '../../app/paths.ts'
import { Icon } from '../../ui/icon.tsx'
import { safeText } from '../../ui/safe-text.ts'
import { Time } from '../../ui/time.tsx'
import { ConnectivityBadge, StatusBadge, WaitingBadge } from './session-badges.tsx'
import { costText, folderName, protocolLabels, titleOf } from './session-labels.ts'

/** Columns on a desktop; a phone stacks them. */
export const columns = 'md:grid md:grid-cols-[minmax(0,1fr)_8.5rem_10.5rem_4.5rem_5.5rem] md:items-center md:gap-x-4'

/** One session: a table row on a desktop, a card on a phone. The whole row is a link. */
export const SessionRow = memo(function SessionRow({ session, current }: { session: ListedSession; current: boolean }) {
  const { id, protocolMode, openAsks = 0, repoName, workspaceRoot, usage, ownerName } = session
  const place = safeText(repoName ?? folderName(workspaceRoot))
  const agent = safeText(session.agent ?? protocolLabels[protocolMode].label)
  const cost = costText(usage?.costUsd)
  return (
    <Link
      to={protocolMode === 'terminal' ? paths.terminal : paths.session}
      params={{ id }}
      data-row={id}
      className={`block border-b border-line bg-panel px-4 py-3 hover:bg-sunken focus-visible:-outline-offset-2 md:px-6 md:py-2.5 ${columns} ${current ? 'bg-accent-soft!' : ''}`}
    >
      <span className="flex min-w-0 items-start gap-2 md:items-center">
        <span className="line-clamp-2 min-w-0 flex-1 font-medium break-words md:line-clamp-1">
          {titleOf(session, session.title)}
        </span>
        <WaitingBadge count={openAsks} />
      </span>
      <span className="mt-1.5 flex min-w-0 items-center gap-2 md:contents">
        <span className="flex shrink-0 flex-wrap items-center gap-1.5">
          <StatusBadge status={session.status} />
          <ConnectivityBadge session={session} />
        </span>
        <span className="flex min-w-0 flex-1 items-center gap-x-1.5 text-sm text-soft md:flex-col md:items-start">
          <span className="flex min-w-0 items-center gap-1.5 md:max-w-full">
            {protocolMode === 'terminal' && <Icon name="terminal" className="size-4" />}
            <span className="truncate text-text" title={agent}>
              {agent}
            </span>
          </span>
          <span className="min-w-0 truncate md:max-w-full" title={safeText(workspaceRoot)}>
            <span className="md:hidden">in </span>
            {place}
          </span>
          <span className="ml-auto shrink-0 md:hidden">
            {cost && `${cost} · `}
            <Time at={session.createdAt} />
          </span>
        </span>
      </span>
      <span className="hidden text-right text-sm text-soft tabular-nums md:block">{cost ?? '–'}</span>
      <span
        className="hidden text-right text-sm text-soft md:block"
        title={ownerName === undefined ? undefined : `of ${safeText(ownerName)}`}
      >
        <Time at={session.createdAt} />
      </span>
    </Link>
  )
})
