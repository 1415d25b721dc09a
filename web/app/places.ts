import type { IconName } from '../ui/icon.tsx'
import { paths } from './paths.ts'

export type NavigationEntry = {
  to: string
  label: string
  icon: IconName
  within: RegExp
  /** The keys that lead here. */
  keys: string
  /** On phones it is reached from another place. */
  wide?: true
}

export const chatPlace: NavigationEntry = {
  to: paths.webChats,
  label: 'Chat',
  icon: 'chat',
  within: /^\/chat/,
  keys: 'g m',
}

export const places: readonly NavigationEntry[] = [
  { to: paths.inbox, label: 'Inbox', icon: 'inbox', within: /^\/($|asks|alerts)/, keys: 'g i' },
  { to: paths.sessions, label: 'Sessions', icon: 'sessions', within: /^\/sessions/, keys: 'g s' },
  { to: paths.terminals, label: 'Terminals', icon: 'terminal', within: /^\/terminals/, keys: 'g t' },
  { to: paths.schedules, label: 'Schedules', icon: 'clock', within: /^\/schedules/, keys: 'g d', wide: true },
  { to: paths.overview, label: 'Overview', icon: 'chart', within: /^\/overview/, keys: 'g o', wide: true },
  { to: paths.search, label: 'Search', icon: 'search', within: /^\/(search|catch-up)/, keys: '/' },
  { to: paths.settings, label: 'Settings', icon: 'settings', within: /^\/settings/, keys: 'g ,' },
]
