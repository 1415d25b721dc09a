import { alertStatuses } from '../../domain/alert/statuses.ts'
import { command, family, number, on, someOf, text } from '../command.ts'

export const alertListFlags = {
  all: on('Also list closed ones'),
  status: someOf('STATUS', 'Only these, comma-separated', alertStatuses),
  session: text('ID', 'Only those in a session'),
  limit: number('N', 'How many (20)', 1),
}
export const alertStatFlags = { session: text('ID', 'Only those in a session') }
export const watchPauseFlags = { for: text('TIME', 'For how long: 30m, 2h (default: until resumed)') }

const session = { name: 'SESSION' }
const alerts = () => import('../commands/alerts.ts')

export const alertCommands = [
  family({
    name: 'alerts',
    summary: 'Sessions that have gone quiet: nudge the agent, dismiss the alert, see outcomes',
    group: 'Watch and steer the work',
    alone: 'list',
    more: 'To end the session of an alert: signalbox sessions cancel SESSION',
    examples: ['signalbox alerts', 'signalbox alerts nudge 019c2f6a "what are you waiting for?"'],
    children: [
      command({
        name: 'list',
        summary: 'Open alerts, newest first (the default)',
        flags: alertListFlags,
        examples: ['signalbox alerts', 'signalbox alerts --status escalated --json'],
        load: async () => (await alerts()).listAlerts,
      }),
      command({
        name: 'nudge',
        summary: 'Nudge the agent now, with your own text or the configured one',
        args: [
          { name: 'ID', of: 'alert' },
          { name: 'TEXT', optional: true, rest: true },
        ],
        examples: ['signalbox alerts nudge 019c2f6a', 'signalbox alerts nudge 019c2f6a "skip the slow test"'],
        load: async () => (await alerts()).nudgeAlert,
      }),
      command({
        name: 'dismiss',
        summary: 'Dismiss an alert; no new one is raised until the agent responds again',
        args: [{ name: 'ID', of: 'alert' }],
        examples: ['signalbox alerts dismiss 019c2f6a', 'signalbox alerts dismiss 019c2f6a --json'],
        load: async () => (await alerts()).dismissAlert,
      }),
      command({
        name: 'stats',
        summary: 'Outcomes of alerts and nudges',
        flags: alertStatFlags,
        examples: ['signalbox alerts stats', 'signalbox alerts stats --session 1f0c3a7e --json'],
        load: async () => (await alerts()).showStats,
      }),
      command({
        name: 'pause',
        summary: 'Pause stall detection for a session, for a while or until you resume it',
        args: [session],
        flags: watchPauseFlags,
        examples: ['signalbox alerts pause 1f0c3a7e --for 30m', 'signalbox alerts pause 1f0c3a7e'],
        load: async () => (await alerts()).pauseWatch,
      }),
      command({
        name: 'resume',
        summary: 'Watch a session again',
        args: [session],
        examples: ['signalbox alerts resume 1f0c3a7e', 'signalbox alerts resume 1f0c3a7e --json'],
        load: async () => (await alerts()).resumeWatch,
      }),
    ],
  }),
]
