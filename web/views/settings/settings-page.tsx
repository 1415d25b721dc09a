import { Link, useLocation } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { paths } from '../../app/paths.ts'
import { Icon } from '../../ui/icon.tsx'
import { PageHead } from '../../ui/page.tsx'
import { sections } from './sections.ts'

/** A settings page; on a desktop with the list of all pages beside it. */
export function SettingsPage({
  title,
  actions,
  children,
}: {
  title: string
  actions?: ReactNode
  children: ReactNode
}) {
  const { pathname } = useLocation()
  return (
    <>
      <PageHead title={title} {...(pathname !== paths.settings && { back: paths.settings })}>
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
