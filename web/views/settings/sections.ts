import { paths } from '../../app/paths.ts'
import type { IconName } from '../../ui/icon.tsx'

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
  { to: paths.tokens, label: 'Tokens', about: 'Sign-in for programs and agents', icon: 'key' },
  { to: paths.agents, label: 'Agents', about: 'Agents you can start here, and how to install others', icon: 'play' },
  { to: paths.workspaces, label: 'Workspaces', about: 'Repos that sessions work in', icon: 'branch' },
  { to: paths.policy, label: 'Policy', about: 'Auto-approve rules and back-tests', icon: 'flag' },
  { to: paths.patterns, label: 'Patterns', about: 'Your past answers to programs', icon: 'wave' },
  { to: paths.audit, label: 'Audit', about: 'Who did what, and when', icon: 'list' },
  { to: paths.system, label: 'System', about: 'Health, version and dead letters', icon: 'settings' },
]
