import { command, family, number, oneOf, text } from '../command.ts'

const timing = {
  cron: text('LINE', 'When: minute hour day month weekday, such as "0 9 * * 1-5"'),
  every: text('INTERVAL', 'When: an interval such as 15m, 2h or 1d'),
  at: text('TIME', 'When: once, such as 2030-01-31T09:00'),
  zone: text('ZONE', 'Time zone of --cron and --at, such as Europe/Berlin (default: yours)'),
}
const policies = {
  precheck: text('SCRIPT', 'Shell script that runs first; an exit code other than 0 skips the run'),
  missed: oneOf('POLICY', 'Due times while no server was running: skip them, run once, or run all', [
    'skip',
    'once',
    'all',
  ]),
  overlap: oneOf('POLICY', 'If the last run has not ended: skip, or queue', ['skip', 'queue']),
  jitter: number('SECONDS', 'Spread the start over this many seconds (default: 0)'),
  name: text('NAME', 'Name (default: the beginning of PROMPT)'),
}
export const addScheduleFlags = {
  ...timing,
  group: text('GROUP', 'The agent group that runs it'),
  repo: text('REPO', 'The repo to work in (default: the repo you are in)'),
  workspace: text('DIR', 'The directory to work in, instead of a repo'),
  agent: text('AGENT', 'The agent: see signalbox agents'),
  session: text('ID', 'Send the prompt to this session instead of starting one'),
  ...policies,
}
export const updateScheduleFlags = { ...timing, ...policies, prompt: text('TEXT', 'New prompt') }
export const scheduleRunsFlags = { limit: number('N', 'Number of runs (default: 20)', 1) }

const schedule = { name: 'SCHEDULE' }
const load = () => import('../commands/schedules.ts')

export const scheduleCommands = [
  family({
    name: 'schedules',
    summary: 'Run agents on a schedule',
    group: 'Watch and steer the work',
    alone: 'list',
    more: 'SCHEDULE is an id or the start of one, or a name.',
    examples: ['signalbox schedules add "Summarise new issues" --cron "0 9 * * 1-5"', 'signalbox schedules'],
    children: [
      command({
        name: 'list',
        summary: 'Schedules, their next run and the outcome of the last one (the default)',
        examples: ['signalbox schedules', 'signalbox schedules --json'],
        load: async () => (await load()).listSchedules,
      }),
      command({
        name: 'add',
        summary: 'Create a schedule',
        args: [{ name: 'PROMPT' }],
        flags: addScheduleFlags,
        examples: [
          'signalbox schedules add "Summarise new issues" --cron "0 9 * * 1-5"',
          'signalbox schedules add "Check the mail" --every 15m --group helpers --precheck "test -s inbox"',
          'signalbox schedules add "Publish the release" --at 2030-01-31T09:00 --repo shop',
        ],
        load: async () => (await load()).addSchedule,
      }),
      command({
        name: 'show',
        summary: 'A schedule with its next runs',
        args: [schedule],
        examples: ['signalbox schedules show "Check the mail"', 'signalbox schedules show 0199c2d4 --json'],
        load: async () => (await load()).showSchedule,
      }),
      command({
        name: 'runs',
        summary: 'Its runs with their outcome, newest first',
        args: [schedule],
        flags: scheduleRunsFlags,
        examples: ['signalbox schedules runs 0199c2d4', 'signalbox schedules runs 0199c2d4 --limit 100 --json'],
        load: async () => (await load()).listRuns,
      }),
      command({
        name: 'update',
        summary: 'Change the time, prompt or policies of a schedule',
        args: [schedule],
        flags: updateScheduleFlags,
        examples: [
          'signalbox schedules update 0199c2d4 --every 1h',
          'signalbox schedules update 0199c2d4 --missed once',
        ],
        load: async () => (await load()).updateSchedule,
      }),
      command({
        name: 'pause',
        summary: 'Pause a schedule',
        args: [schedule],
        examples: ['signalbox schedules pause 0199c2d4', 'signalbox schedules pause "Check the mail"'],
        load: async () => (await load()).pauseSchedule,
      }),
      command({
        name: 'resume',
        summary: 'Resume a schedule from its next due time',
        args: [schedule],
        examples: ['signalbox schedules resume 0199c2d4', 'signalbox schedules resume "Check the mail"'],
        load: async () => (await load()).resumeSchedule,
      }),
      command({
        name: 'run',
        summary: 'Run a schedule now, in addition to its due times',
        args: [schedule],
        examples: ['signalbox schedules run 0199c2d4', 'signalbox schedules run 0199c2d4 --json'],
        load: async () => (await load()).runSchedule,
      }),
      command({
        name: 'remove',
        summary: 'Cancel a schedule; its records stay',
        args: [schedule],
        examples: ['signalbox schedules remove 0199c2d4', 'signalbox schedules remove "Check the mail"'],
        load: async () => (await load()).removeSchedule,
      }),
    ],
  }),
]
