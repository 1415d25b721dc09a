import { isDeepStrictEqual } from 'node:util'
import type { Acknowledged, Journal, Operation, OperationKind } from './kill-harness-journal.ts'
import type { Row, Rows } from './kill-harness-rows.ts'

/** What is wrong in the tables, compared with what was promised; an empty list if nothing is. */
export function compareWithJournal(journal: Journal, rows: Rows): string[] {
  const problems: string[] = []
  const byId = {
    session: indexBy(rows.sessions, 'id'),
    message: indexBy(rows.messages, 'id'),
    ask: indexBy(rows.asks, 'id'),
  }
  const marked = markedRows(rows)
  const keys = new Set(rows.commands.map((row) => String(row['key']).split(' ').at(-1)))

  for (const { operation, body } of journal.acknowledged) {
    const found = marked[operation.kind].get(operation.mark) ?? 0
    if (found !== 1) problems.push(`${describe(operation)} was acknowledged and is there ${found} times`)
    if (operation.key !== null && !keys.has(operation.key)) problems.push(`${describe(operation)} left no key`)
    const differences = differs({ operation, body }, byId)
    if (differences.length > 0) problems.push(`${describe(operation)} differs in ${differences.join(', ')}`)
  }
  for (const operation of journal.unknown) {
    const found = marked[operation.kind].get(operation.mark) ?? 0
    if (found > 1) problems.push(`${describe(operation)} got no answer and is there ${found} times`)
  }
  for (const { operation } of journal.refused) {
    if (marked[operation.kind].has(operation.mark)) problems.push(`${describe(operation)} was refused and is there`)
  }
  return [...problems, ...twoWinners(journal)]
}

const describe = ({ kind, mark, key }: Operation): string => `${kind} ${mark}${key === null ? '' : ' (keyed)'}`

type Indexes = Readonly<Record<'session' | 'message' | 'ask', ReadonlyMap<string, Row>>>

/** The names of fields that differ from what was acknowledged. */
function differs({ operation, body }: Acknowledged, byId: Indexes): string[] {
  const { kind, target } = operation
  if (kind === 'complete') return fieldsThatDiffer(byId.session.get(String(target)), { status: 'completed' })
  if (kind === 'session')
    return fieldsThatDiffer(byId.session.get(String(body['id'])), {
      prompt: body['prompt'],
      metadata: body['metadata'],
      owner_user_id: body['ownerUserId'],
      created_at: body['createdAt'],
    })
  if (kind === 'message')
    return fieldsThatDiffer(byId.message.get(String(body['id'])), {
      session_id: target,
      role: operation.body['role'],
      content: operation.body['content'],
      timestamp: body['timestamp'],
    })
  const opened = {
    title: body['title'],
    subject: body['subject'],
    created_at: body['createdAt'],
    expires_at: body['expiresAt'],
  }
  const answered = { answer: body['answer'], answered_by: body['answeredBy'], answered_at: body['answeredAt'] }
  return fieldsThatDiffer(byId.ask.get(String(body['id'])), kind === 'ask' ? opened : { ...opened, ...answered })
}

const jsonColumns: readonly string[] = ['metadata', 'content', 'subject', 'answer']

function fieldsThatDiffer(row: Row | undefined, expected: Readonly<Record<string, unknown>>): string[] {
  if (!row) return ['everything: there is no such row']
  return Object.entries(expected)
    .filter(([column, value]) => {
      const stored = row[column]
      const read: unknown = jsonColumns.includes(column) && typeof stored === 'string' ? JSON.parse(stored) : stored
      return !isDeepStrictEqual(read, value)
    })
    .map(([column]) => column)
}

/** How often each mark is found in the tables. */
function markedRows(rows: Rows): Record<OperationKind, Map<string, number>> {
  const reasons = rows.events
    .filter((event) => event['type'] === 'session.status_changed')
    .map((event) => JSON.parse(String(event['data'])).reason)
  return {
    session: countOf(rows.sessions.map((row) => row['prompt'])),
    message: countOf(rows.messages.map((row) => String(JSON.parse(String(row['content'])).text).split(' ')[0])),
    ask: countOf(rows.asks.map((row) => row['title'])),
    answer: countOf(
      rows.asks.flatMap((row) => (row['answer'] === null ? [] : [JSON.parse(String(row['answer'])).value])),
    ),
    complete: countOf(reasons),
  }
}

function countOf(values: readonly unknown[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const value of values) if (typeof value === 'string') counts.set(value, (counts.get(value) ?? 0) + 1)
  return counts
}

/** An ask is answered only once. */
function twoWinners(journal: Journal): string[] {
  const winners = Map.groupBy(
    journal.acknowledged.filter(({ operation }) => operation.kind === 'answer'),
    ({ operation }) => operation.target,
  )
  return [...winners].filter(([, won]) => won.length > 1).map(([ask, won]) => `ask ${ask} has ${won.length} winners`)
}

export const indexBy = (rows: readonly Row[], column: string): ReadonlyMap<string, Row> =>
  new Map(rows.map((row) => [String(row[column]), row]))
