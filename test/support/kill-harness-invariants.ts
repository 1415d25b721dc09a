import { canonicalJson } from '../../src/lib/json.ts'
import { sha256 } from '../../src/lib/secret.ts'
import { indexBy } from './kill-harness-compare.ts'
import type { Row, Rows } from './kill-harness-rows.ts'

type Event = { type: string; data: Record<string, unknown>; key: string | null }

/** Whether the log and the tables agree completely: what is in one is in the other, once. */
export function brokenInvariants(rows: Rows): string[] {
  const events = rows.events.map((row): Event => ({
    type: String(row['type']),
    data: JSON.parse(String(row['data'])),
    key: row['command_key'] === null ? null : String(row['command_key']),
  }))
  return [
    ...unlike('event ids', ids(rows.events), new Set(ids(rows.events))),
    ...sessionsFromLog(rows, events),
    ...messagesFromLog(rows, events),
    ...asksFromLog(rows, events),
    ...keysFromLog(rows, events),
    ...tallyFromRows(rows),
    ...deadlinesFromRows(rows),
    ...rows.deadLetters.map((row) => `an event was put aside: ${String(row['error'])}`),
  ]
}

const ids = (rows: readonly Row[]): string[] => rows.map((row) => String(row['id']))
const about = (event: Event): string => String(event.data['id'])
const idsOf = (events: readonly Event[], type: string): string[] =>
  events.filter((event) => event.type === type).map((event) => about(event))

/** Both contain the same things, none of them twice. */
function unlike(what: string, left: readonly string[], right: Iterable<string>): string[] {
  const rightSide = [...right]
  const inRight = new Set(rightSide)
  const inLeft = new Set(left)
  const problems = [
    ...left.filter((id) => !inRight.has(id)).map((id) => `${what}: ${id} has no row`),
    ...rightSide.filter((id) => !inLeft.has(id)).map((id) => `${what}: ${id} has no event`),
  ]
  if (inLeft.size !== left.length || inRight.size !== rightSide.length)
    problems.push(`${what}: something is there twice`)
  return problems
}

function sessionsFromLog(rows: Rows, events: readonly Event[]): string[] {
  const last = new Map<string, unknown>()
  for (const event of events) {
    if (event.type === 'session.started') last.set(about(event), 'created')
    if (event.type === 'session.status_changed') last.set(about(event), event.data['to'])
  }
  return [
    ...unlike('session.started', idsOf(events, 'session.started'), ids(rows.sessions)),
    ...rows.sessions.flatMap((row) => [
      ...mismatch(`session ${String(row['id'])}`, row['status'], last.get(String(row['id']))),
      // A session is started and made active in one step.
      ...(row['status'] === 'created' ? [`session ${String(row['id'])} is half started`] : []),
      ...((row['terminated_at'] === null) === (row['status'] === 'completed')
        ? [`session ${String(row['id'])} ended by half`]
        : []),
    ]),
  ]
}

function messagesFromLog(rows: Rows, events: readonly Event[]): string[] {
  const byId = indexBy(rows.messages, 'id')
  const added = events.filter((event) => event.type === 'message.added')
  return [
    ...unlike('message.added', added.map(about), ids(rows.messages)),
    ...added.flatMap((event) => {
      const row = byId.get(about(event))
      const hash = row && sha256(canonicalJson(JSON.parse(String(row['content']))))
      return mismatch(`message ${about(event)}`, hash, event.data['contentHash'])
    }),
  ]
}

const endOfAsk: Readonly<Record<string, string>> = {
  'ask.answered': 'answered',
  'ask.interrupted': 'interrupted',
  'ask.cancelled': 'cancelled',
  'ask.expired': 'expired',
}

function asksFromLog(rows: Rows, events: readonly Event[]): string[] {
  const ends = Map.groupBy(
    events.filter((event) => event.type in endOfAsk),
    (event) => about(event),
  )
  return [
    ...unlike('ask.opened', idsOf(events, 'ask.opened'), ids(rows.asks)),
    ...rows.asks.flatMap((row) => {
      const ended = ends.get(String(row['id'])) ?? []
      const expected = ended.length === 0 ? 'open' : endOfAsk[ended[0]?.type ?? '']
      return [
        ...(ended.length > 1 ? [`ask ${String(row['id'])} ended ${ended.length} times`] : []),
        ...mismatch(`ask ${String(row['id'])}`, row['status'], expected),
        ...mismatch(`answer of ask ${String(row['id'])}`, row['answer'] !== null, expected === 'answered'),
      ]
    }),
  ]
}

/** A key and its command's effect were written together. */
function keysFromLog(rows: Rows, events: readonly Event[]): string[] {
  const keyed = events.flatMap((event) => (event.key === null ? [] : [event.key]))
  const stored = rows.commands.map((row) => String(row['key']))
  return unlike('keyed command', [...new Set(keyed)], stored)
}

function tallyFromRows(rows: Rows): string[] {
  const slot = (row: Row) => [row['owner_user_id'], row['repo_id'] ?? '', row['status']].join(' ')
  const counted = Map.groupBy(rows.sessions, slot)
  const tallied = new Map(rows.tally.map((row) => [slot(row), Number(row['n'])]))
  return [...new Set([...counted.keys(), ...tallied.keys()])].flatMap((name) =>
    mismatch(`tally of ${name}`, tallied.get(name) ?? 0, counted.get(name)?.length ?? 0),
  )
}

function deadlinesFromRows(rows: Rows): string[] {
  const due = rows.asks.filter((row) => row['status'] === 'open' && row['expires_at'] !== null)
  return unlike(
    'deadline',
    rows.deadlines.map((row) => String(row['subject_id'])),
    ids(due),
  )
}

const mismatch = (what: string, found: unknown, expected: unknown): string[] =>
  found === expected ? [] : [`${what}: ${String(found)} in the tables, ${String(expected)} by the log`]
