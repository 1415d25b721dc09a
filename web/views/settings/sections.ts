import { paths } from '../../app/paths.ts'
import type { IconName } from '../../ui/icon.tsx'

/** What can be set, and where. */
export const sections: readonly { to: string; label: string; about: string; icon: IconName; admin?: boolean }[] = [
  {
    to: paths.notifications,
    label: 'Notifications',
    about: 'Which browsers and phones buzz, and when not',
    icon: 'bell',
  },
  {
    to: paths.people,
    label: 'People',
    about: 'Who may do what, and what they are known as',
    icon: 'person',
    admin: true,
  },
  { to: paths.tokens, label: 'Tokens', about: 'What programs and agents sign in with', icon: 'key' },
  { to: paths.agents, label: 'Agents', about: 'Which can be started here, and how to get others', icon: 'play' },
  { to: paths.workspaces, label: 'Workspaces', about: 'Repos that sessions work in', icon: 'branch' },
  { to: paths.policy, label: 'Policy', about: 'What needs nobody’s answer, tried against the past', icon: 'flag' },
  { to: paths.patterns, label: 'Patterns', about: 'What you answered to programs before', icon: 'wave' },
  { to: paths.audit, label: 'Audit', about: 'Who did what, and when', icon: 'list' },
  { to: paths.system, label: 'System', about: 'Health, version, what could not be handled', icon: 'settings' },
]
