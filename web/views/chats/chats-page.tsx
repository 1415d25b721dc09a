import { Link, useLocation } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { usePermissions } from '../../api/queries.ts'
import { paths } from '../../app/paths.ts'
import { SettingsPage } from '../settings/settings-page.tsx'

const tabs: readonly { to: string; label: string; admin?: boolean }[] = [
  { to: paths.chats, label: 'Chats' },
  { to: paths.agentGroups, label: 'Agent groups' },
  { to: paths.chatInstances, label: 'Accounts', admin: true },
  { to: paths.strangers, label: 'Strangers' },
  { to: paths.notSent, label: 'Not sent', admin: true },
]

/** A list about chats, with the other lists as tabs. */
export function ChatsPage({ title, actions, children }: { title: string; actions?: ReactNode; children: ReactNode }) {
  const { pathname } = useLocation()
  const { administer } = usePermissions()
  return (
    <SettingsPage title={title} actions={actions}>
      <nav aria-label="Chats" className="flex flex-wrap border-b border-line md:gap-1">
        {tabs
          .filter(({ admin }) => !admin || administer)
          .map(({ to, label }) => (
            <Link
              key={to}
              to={to}
              // Else the first tab is current on all of them: their addresses begin with its own.
              activeOptions={{ exact: true }}
              aria-current={pathname === to ? 'page' : undefined}
              className={`-mb-px flex min-h-11 items-center border-b-2 px-1 text-[0.82rem] md:px-3 md:text-[0.94rem] font-medium whitespace-nowrap pointer-fine:min-h-9 ${pathname === to ? 'border-accent text-accent' : 'border-transparent text-soft hover:text-text'}`}
            >
              {label}
            </Link>
          ))}
      </nav>
      {children}
    </SettingsPage>
  )
}
