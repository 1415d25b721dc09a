import { alertStatuses } from '../../domain/alert/schema.ts'
import { command, family, number, on, someOf, text } from '../command.ts'

export const alertListFlags = {
  all: on('Also those that are closed'),
  status: someOf('STATUS', 'Only these, comma-separated', alertStatuses),
  session: text('ID', 'Only those of a session'),
  limit: number('N', 'At most so many (20)', 1),
}
export const alertStatFlags = { session: text('ID', 'Only those of a session') }
export const watchPauseFlags = { for: text('TIME', 'For how long: 30m, 2h (else until it is resumed)') }

const session = { name: 'SESSION' }
const alerts = () => import('../commands/alerts.ts')

export const alertCommands = [
  family({
    name: 'alerts',
    summary: 'Sessions that have gone quiet: nudge them, dismiss the alert, see what nudges achieved',
    group: 'Watch and steer the work',
    alone: 'list',
    more: 'To end the session of an alert: signalbox sessions cancel SESSION',
    examples: ['signalbox alerts', 'signalbox alerts nudge 019c2f6a "what are you waiting for?"'],
    children: [
      command({
        name: 'list',
        summary: 'Alerts that are open, newest first (the default)',
        flags: alertListFlags,
        examples: ['signalbox alerts', 'signalbox alerts --status escalated --json'],
        load: async () => (await alerts()).listAlerts,
      }),
      command({
        name: 'nudge',
        summary: 'Nudge the agent now, in your own words or the configured ones',
        args: [{ name: 'ID' }, { name: 'TEXT', optional: true, rest: true }],
        examples: ['signalbox alerts nudge 019c2f6a', 'signalbox alerts nudge 019c2f6a "skip the slow test"'],
        load: async () => (await alerts()).nudgeAlert,
      }),
      command({
        name: 'dismiss',
        summary: 'Dismiss an alert; no new one is raised until the agent is heard from again',
        args: [{ name: 'ID' }],
        examples: ['signalbox alerts dismiss 019c2f6a', 'signalbox alerts dismiss 019c2f6a --json'],
        load: async () => (await alerts()).dismissAlert,
      }),
      command({
        name: 'stats',
        summary: 'What became of alerts, and what nudges achieved',
        flags: alertStatFlags,
        examples: ['signalbox alerts stats', 'signalbox alerts stats --session 1f0c3a7e --json'],
        load: async () => (await alerts()).showStats,
      }),
      command({
        name: 'pause',
        summary: 'Do not watch a session, for a while or until it is resumed',
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
