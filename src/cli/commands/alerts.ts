import { programName } from '../program-name.ts'
import type { Client } from '../../client/client.ts'
import type { Alert } from '../../domain/alert/schema.ts'
import type { Handler } from '../command.ts'
import { renderFields, type Cell, type Column } from '../columns.ts'
import { findSession } from '../find-by-id.ts'
import { findId, shortId, shortener } from '../ids.ts'
import type { Colour } from '../output.ts'
import { printResult, tableOr } from '../print-result.ts'
import type { alertListFlags, alertStatFlags, watchPauseFlags } from '../table/alerts.ts'
import { relativeTime, timeAhead } from '../times.ts'

const openOnes = 'pending,nudged,escalated'

const colours: Partial<Record<Alert['status'], Colour>> = { pending: 'yellow', nudged: 'yellow', escalated: 'red' }

function statusOf({ status, closedAt }: Alert): Cell {
  const text = status.replaceAll('_', ' ')
  const colour = closedAt === null ? colours[status] : undefined
  return colour === undefined ? text : { text, colour }
}

const causes: Readonly<Record<Alert['cause'], string>> = { silent: 'silent', no_progress: 'stalled' }

function nextOf({ status, nextAt, closedAt }: Alert, now: number): string {
  if (nextAt !== null) return Date.parse(nextAt) - now < 5000 ? 'in a moment' : relativeTime(nextAt, now)
  return status === 'escalated' && closedAt === null ? 'needs a person' : ''
}

export const listAlerts: Handler<typeof alertListFlags> = async ({ flags }, context) => {
  const { client } = await context.api()
  const sessionId = flags.session === undefined ? undefined : await findSession(client, flags.session)
  const status = flags.status ?? (flags.all ? undefined : openOnes)
  const query = {
    ...(status !== undefined && { status }),
    ...(sessionId && { sessionId }),
    ...(flags.limit !== undefined && { limit: flags.limit }),
  }
  const page = await client.listAlerts({ query })
  printResult(context, page, ({ alerts, next }) => {
    const short = shortener(alerts.map(({ id }) => id))
    const now = context.now()
    const columns: Column<Alert>[] = [
      { title: 'ID', cell: ({ id }) => short(id) },
      { title: 'STATUS', cell: statusOf },
      { title: 'SESSION', cell: (alert) => shortId(alert.sessionId) },
      { title: 'WHY', cell: ({ cause }) => causes[cause] },
      { title: 'LAST ACTIVE', cell: ({ lastActivityAt }) => relativeTime(lastActivityAt, now) },
      { title: 'LAST TOOL', cell: ({ lastTool }) => lastTool ?? '', shrinks: true },
      { title: 'NUDGES', cell: ({ nudgeCount }) => String(nudgeCount) },
      { title: 'NEXT STEP', cell: (alert) => nextOf(alert, now) },
    ]
    const table = tableOr(context, alerts, columns, flags.all ? 'No alerts.' : 'No session is stalled.')
    const more = next === null ? '' : '\nMore: use --limit'
    const first = alerts.find(({ closedAt }) => closedAt === null)
    return first
      ? `${table}\n${more}\nNudge one: ${programName()} alerts nudge ${short(first.id)} "TEXT"`
      : table + more
  })
}

export const nudgeAlert: Handler = async ({ args: [text = '', ...words] }, context) => {
  const { client } = await context.api()
  const id = await findAlert(client, text)
  const message = words.join(' ').trim()
  const nudged = await client.nudgeAlert({ params: { id }, body: message === '' ? {} : { message } })
  printResult(
    context,
    nudged,
    ({ sessionId, nudgeCount }) => `Session ${shortId(sessionId)}: nudge ${nudgeCount} sent.`,
  )
}

export const dismissAlert: Handler = async ({ args: [text = ''] }, context) => {
  const { client } = await context.api()
  const dismissed = await client.dismissAlert({ params: { id: await findAlert(client, text) }, body: {} })
  printResult(context, dismissed, () => 'Dismissed; no new alert is raised until the agent responds again.')
}

export const showStats: Handler<typeof alertStatFlags> = async ({ flags }, context) => {
  const { client } = await context.api()
  const sessionId = flags.session === undefined ? undefined : await findSession(client, flags.session)
  const stats = await client.alertStats({ query: sessionId ? { sessionId } : {} })
  printResult(context, stats, ({ byStatus, recoveredAfter, medianSecondsFromNudgeToLife: median, ...all }) => {
    const back = recoveredAfter.map(({ nudges, alerts }) => `${alerts} after ${nudges}`).join(', ')
    return renderFields(
      [
        ['Alerts', String(all.total)],
        ['Open', String(all.open)],
        ['Silent', String(all.byCause.silent)],
        ['Without progress', String(all.byCause.no_progress)],
        ['Recovered', String(byStatus.self_recovered)],
        ['Nudges until recovery', back === '' ? null : back],
        ['Nudge to response', median === null ? null : `${median} s (median)`],
        ['Nudges', String(all.nudges)],
        ['Escalated', String(all.escalated)],
        ['Dismissed', String(byStatus.dismissed)],
        ['Obsolete', all.lapsed === 0 ? null : `${all.lapsed} (ended, paused or waiting for a person)`],
      ],
      context.out,
    )
  })
}

export const pauseWatch: Handler<typeof watchPauseFlags> = async ({ args: [text = ''], flags }, context) => {
  const { client } = await context.api()
  const id = await findSession(client, text)
  const now = context.now()
  const until = flags.for === undefined ? null : timeAhead('for', flags.for, now)
  const seconds = until === null ? null : Math.max(1, Math.round((Date.parse(until) - now) / 1000))
  const session = await client.watchSession({ params: { id }, body: { paused: true, seconds } })
  const when = flags.for === undefined ? 'until you resume it' : `for ${flags.for}`
  printResult(context, session, () => `Session ${shortId(id)} is not watched ${when}.`)
}

export const resumeWatch: Handler = async ({ args: [text = ''] }, context) => {
  const { client } = await context.api()
  const id = await findSession(client, text)
  const session = await client.watchSession({ params: { id }, body: { paused: false } })
  printResult(context, session, () => `Session ${shortId(id)} is watched again.`)
}

function findAlert(client: Client, text: string): Promise<Alert['id']> {
  const pages = async function* () {
    yield (await client.listAlerts({ query: { status: openOnes, limit: 100 } })).alerts
    yield (await client.listAlerts({ query: { limit: 100 } })).alerts
  }
  return findId<Alert>(text, { what: 'alert', list: 'signalbox alerts --all', pages: pages() })
}
