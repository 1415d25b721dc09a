import { Link, useLocation } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { paths } from '../../app/paths.ts'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { PageHead } from '../../ui/page.tsx'

/** A settings page; on a desktop with the list of all pages beside it. */
export function SettingsPage({
  title,
  back = paths.settings,
  actions,
  children,
}: {
  title: string
  back?: string
  actions?: ReactNode
  children: ReactNode
}) {
  const { pathname } = useLocation()
  return (
    <>
      <PageHead title={title} {...(pathname !== paths.settings && { back })}>
        {actions}
      </PageHead>
      <div
        className={`mx-auto flex w-full ${pathname === paths.settings ? 'max-w-4xl' : 'max-w-6xl'} gap-8 p-4 md:p-6`}
      >
        <nav
          aria-label="Settings"
          // The overview already lists all pages.
          className={`sticky top-20 hidden w-44 shrink-0 flex-col gap-0.5 self-start ${pathname === paths.settings ? '' : 'lg:flex'}`}
        >
          {sections.map(({ to, label, icon }) => (
            <Link
              key={to}
              to={to}
              aria-current={pathname.startsWith(to) ? 'page' : undefined}
              className={`flex items-center gap-2.5 rounded-lg px-2.5 py-1.5 text-[0.94rem] ${pathname.startsWith(to) ? 'bg-accent-soft text-accent' : 'text-soft hover:bg-sunken hover:text-text'}`}
            >
              <Icon name={icon} className="size-4.5" />
              {label}
            </Link>
          ))}
        </nav>
        <div className="flex min-w-0 flex-1 flex-col gap-5">{children}</div>
      </div>
    </>
  )
}

/** The settings pages. */
export const sections: readonly { to: string; label: string; about: string; icon: IconName; admin?: boolean }[] = [
  {
    to: paths.notifications,
    label: 'Notifications',
    about: 'Devices that get notifications, and quiet hours',
    icon: 'bell',
  },
  {
    to: paths.people,
    label: 'People',
    about: 'Roles and identities',
    icon: 'person',
    admin: true,
  },
  { to: paths.chats, label: 'Chats', about: 'Agents in Slack and elsewhere, and who writes to them', icon: 'chat' },
  { to: paths.signIn, label: 'Sign-in', about: 'Passkeys, and other devices of yours', icon: 'key' },
  { to: paths.tokens, label: 'Tokens', about: 'Sign-in for programs and agents', icon: 'key' },
  { to: paths.agents, label: 'Agents', about: 'Agents you can start here, and how to install others', icon: 'play' },
  { to: paths.mcpClients, label: 'MCP clients', about: 'Editors and terminals whose agents ask here', icon: 'jump' },
  { to: paths.workspaces, label: 'Workspaces', about: 'Repos that sessions work in', icon: 'branch' },
  { to: paths.templates, label: 'Templates', about: 'Prompts that you keep, with fields to fill in', icon: 'file' },
  { to: paths.policy, label: 'Policy', about: 'Auto-approve rules and back-tests', icon: 'flag' },
  { to: paths.patterns, label: 'Patterns', about: 'Your past answers to programs', icon: 'wave' },
  { to: paths.audit, label: 'Audit', about: 'Who did what, and when', icon: 'list' },
  { to: paths.system, label: 'System', about: 'Health, version and dead letters', icon: 'settings' },
]
