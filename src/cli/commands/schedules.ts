import type { Client } from '../../client/client.ts'
import { placeText, runText, timingText } from '../../client/schedule-text.ts'
import type { ScheduleDetail } from '../../client/contract/schedules.ts'
import type { Schedule, ScheduleRun } from '../../domain/schedule/schema.ts'
import { renderFields, type Cell, type Column } from '../columns.ts'
import type { FlagValues, Handler } from '../command.ts'
import type { Context } from '../context.ts'
import { wrongUsage } from '../failure.ts'
import { findGroup, findSchedule, findSession } from '../find-by-id.ts'
import { shortId, shortener } from '../ids.ts'
import { printResult, tableOr } from '../print-result.ts'
import { programName } from '../program-name.ts'
import type { addScheduleFlags, scheduleRunsFlags, updateScheduleFlags } from '../table/schedules.ts'
import { relativeTime } from '../times.ts'
import { chooseWorkspace } from '../workspace-choice.ts'

/** In the time zone of the terminal. */
const localTime = (at: string): string =>
  new Date(at).toLocaleString('sv-SE', { timeZoneName: 'short' }).replace(/:\d\d /, ' ')

const outcome = (run: ScheduleRun | null): Cell => {
  if (run === null) return ''
  const colour = run.status === 'failed' ? 'red' : run.status === 'skipped' ? 'yellow' : 'green'
  return { text: run.status, colour }
}

export const listSchedules: Handler = async (_invocation, context) => {
  const { client } = await context.api()
  const schedules = (await client.listSchedules({ query: { limit: 1000 } })).schedules
  printResult(context, schedules, () => {
    const short = shortener(schedules.map(({ id }) => id))
    const columns: Column<Schedule>[] = [
      { title: 'ID', cell: ({ id }) => short(id) },
      { title: 'NAME', cell: ({ name }) => name, shrinks: true },
      { title: 'WHEN', cell: ({ timing }) => timingText(timing) },
      { title: 'STATUS', cell: ({ status }) => status },
      { title: 'NEXT', cell: ({ nextAt }) => relativeTime(nextAt, context.now()) },
      { title: 'LAST', cell: ({ lastRun }) => outcome(lastRun) },
    ]
    const none = `No schedules. Create one with: ${programName()} schedules add PROMPT --cron "0 9 * * 1-5"`
    return tableOr(context, schedules, columns, none)
  })
}

async function show(context: Context, client: Client, id: Schedule['id']): Promise<void> {
  const schedule: ScheduleDetail = await client.getSchedule({ params: { id } })
  const { agentGroupId, repoId } = schedule
  const groups = context.json || agentGroupId === null ? [] : (await client.listAgentGroups({})).agentGroups
  const repos = context.json || repoId === null ? [] : (await client.listRepos({})).repos
  const group = groups.find((one) => one.id === agentGroupId)?.name ?? null
  const repo = repos.find((one) => one.id === repoId)?.name ?? null
  printResult(context, schedule, (one) =>
    renderFields(
      [
        ['Schedule', one.id],
        ['Name', one.name],
        ['When', one.timing.kind === 'at' ? `once, ${localTime(one.timing.at)}` : timingText(one.timing)],
        ['Status', one.status],
        ['Next', one.upcoming.slice(0, 3).map(localTime).join(', ')],
        ['Runs in', placeText(one, group, repo)],
        ['Agent', one.agent],
        ['Precheck', one.precheck],
        ['Missed runs', one.missed],
        ['Overlap', one.overlap],
        ['Jitter', one.jitterSeconds === 0 ? null : `${one.jitterSeconds} s`],
        ['Last run', one.lastRun && `${runText(one.lastRun)} (${relativeTime(one.lastRun.dueAt, context.now())})`],
        ['Prompt', one.prompt],
      ],
      context.out,
    ),
  )
}

export const showSchedule: Handler = async ({ args: [schedule = ''] }, context) => {
  const { client } = await context.api()
  await show(context, client, await findSchedule(client, schedule))
}

type Timing = Pick<FlagValues<typeof addScheduleFlags>, 'cron' | 'every' | 'at' | 'zone'>

function timingOf({ cron, every, at, zone }: Timing) {
  const isLocal = cron !== undefined || (at !== undefined && !/(Z|[+-]\d\d:\d\d)$/.test(at))
  const timeZone = zone ?? (isLocal ? Intl.DateTimeFormat().resolvedOptions().timeZone : undefined)
  return {
    ...(cron !== undefined && { cron }),
    ...(every !== undefined && { every }),
    ...(at !== undefined && { at }),
    ...(timeZone !== undefined && { timeZone }),
  }
}

type Policies = Pick<FlagValues<typeof addScheduleFlags>, 'precheck' | 'missed' | 'overlap' | 'jitter' | 'name'>

const policiesOf = ({ precheck, missed, overlap, jitter, name }: Policies) => ({
  ...(precheck !== undefined && { precheck }),
  // The parser accepts only these values.
  ...(missed !== undefined && { missed: missed as Schedule['missed'] }),
  ...(overlap !== undefined && { overlap: overlap as Schedule['overlap'] }),
  ...(jitter !== undefined && { jitterSeconds: jitter }),
  ...(name !== undefined && { name }),
})

async function placeOf(client: Client, flags: FlagValues<typeof addScheduleFlags>, context: Context) {
  const { group, repo, workspace, agent, session } = flags
  const places = [group, repo, workspace, session].filter((one) => one !== undefined)
  if (places.length > 1) throw wrongUsage('Give one of --group, --repo, --workspace and --session.')
  if (session !== undefined) return { session: 'same' as const, sessionId: await findSession(client, session) }
  if (group !== undefined) return { agentGroupId: await findGroup(client, group) }
  return { ...(await chooseWorkspace(client, { repo, workspace }, context)), ...(agent !== undefined && { agent }) }
}

export const addSchedule: Handler<typeof addScheduleFlags> = async ({ args: [prompt = ''], flags }, context) => {
  if ([flags.cron, flags.every, flags.at].every((one) => one === undefined))
    throw wrongUsage('Say when it runs.', 'Use --cron, --every or --at.')
  const { client } = await context.api()
  const place = await placeOf(client, flags, context)
  const body = { prompt, ...timingOf(flags), ...policiesOf(flags), ...place }
  const made = await client.createSchedule({ body })
  const next = made.nextAt === null ? '' : ` It runs next at ${localTime(made.nextAt)}.`
  printResult(context, made, ({ id, name }) => `Schedule ${name} is created as ${shortId(id)}.${next}`)
}

export const updateSchedule: Handler<typeof updateScheduleFlags> = async (
  { args: [schedule = ''], flags },
  context,
) => {
  const { client } = await context.api()
  const { prompt } = flags
  const body = { ...timingOf(flags), ...policiesOf(flags), ...(prompt !== undefined && { prompt }) }
  if (Object.keys(body).length === 0) throw wrongUsage('Nothing to change.', 'Use one of the options.')
  const id = await findSchedule(client, schedule)
  await client.updateSchedule({ params: { id }, body })
  await show(context, client, id)
}

export const pauseSchedule: Handler = async ({ args: [schedule = ''] }, context) => {
  const { client } = await context.api()
  const params = { id: await findSchedule(client, schedule) }
  printResult(context, await client.pauseSchedule({ params }), ({ name }) => `${name} is paused.`)
}

export const resumeSchedule: Handler = async ({ args: [schedule = ''] }, context) => {
  const { client } = await context.api()
  const params = { id: await findSchedule(client, schedule) }
  printResult(context, await client.resumeSchedule({ params }), ({ name, nextAt }) =>
    nextAt === null ? `${name} is done.` : `${name} runs next at ${localTime(nextAt)}.`,
  )
}

export const runSchedule: Handler = async ({ args: [schedule = ''] }, context) => {
  const { client } = await context.api()
  const id = await findSchedule(client, schedule)
  printResult(context, await client.runSchedule({ params: { id } }), () => {
    return `It is starting. To see its outcome: ${programName()} schedules runs ${shortId(id)}`
  })
}

export const removeSchedule: Handler = async ({ args: [schedule = ''] }, context) => {
  const { client } = await context.api()
  const id = await findSchedule(client, schedule)
  printResult(context, await client.removeSchedule({ params: { id } }), () => `Schedule ${shortId(id)} was removed.`)
}

export const listRuns: Handler<typeof scheduleRunsFlags> = async ({ args: [schedule = ''], flags }, context) => {
  const { client } = await context.api()
  const id = await findSchedule(client, schedule)
  const runs = (await client.listScheduleRuns({ params: { id }, query: { limit: flags.limit ?? 20 } })).runs
  printResult(context, runs, () => {
    const columns: Column<ScheduleRun>[] = [
      { title: 'DUE', cell: ({ dueAt }) => localTime(dueAt) },
      { title: 'WHY', cell: ({ trigger }) => trigger },
      { title: 'OUTCOME', cell: outcome },
      { title: 'COST', cell: ({ costUsd }) => (costUsd === null ? '' : `$${costUsd.toFixed(2)}`) },
      { title: 'SESSION', cell: ({ sessionId }) => (sessionId === null ? '' : shortId(sessionId)) },
      { title: 'REASON', cell: ({ reason }) => reason ?? '', shrinks: true },
    ]
    return tableOr(context, runs, columns, 'It has not run yet.')
  })
}
