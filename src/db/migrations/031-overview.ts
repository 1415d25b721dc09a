import type { Ddl, Migration } from '../ddl.ts'

const measures = ['sessions', 'cost_usd', 'asks', 'answered', 'automatic', 'waited_ms'] as const
const keys = ['day', 'person', 'owner_user_id', 'agent', 'repo_id', 'agent_group_id'] as const

const zeros = measures.map(
  (name) =>
    `${name} ${name === 'cost_usd' ? 'double precision' : name === 'waited_ms' ? 'bigint' : 'integer'} not null default 0`,
)
const sums = (table: string, names: readonly string[]) =>
  names.map((name) => `${name} = ${table}.${name} + excluded.${name}`).join(', ')

/** Adds what a session had on a day (`day`) to the totals of the session (`session`), or takes it away. */
const total = (day: string, session: string, sign: '' | '-', from: string) =>
  `insert into overview_days (${[...keys, ...measures].join(', ')})
   select ${day}.day, ${day}.person, ${session}.owner_user_id, coalesce(${session}.agent, ''), coalesce(${session}.repo_id, ''),
     coalesce(${session}.agent_group_id, ''), ${measures.map((name) => `${sign}${day}.${name}`).join(', ')}
   from ${from}
   on conflict (${keys.join(', ')}) do update set ${sums('overview_days', measures)};`
const ofDay = (row: 'old' | 'new', sign: '' | '-') =>
  total(row, 'sessions', sign, `sessions where sessions.id = ${row}.session_id`)
const ofSession = (row: 'old' | 'new', sign: '' | '-') =>
  total('session_days', row, sign, `session_days where session_days.session_id = ${row}.id`)

const started = (row: string, from: string) =>
  `insert into session_days (session_id, day, person, sessions)
   select ${row}.id, substr(${row}.created_at, 1, 10), ${row}.owner_user_id, 1 ${from}
   on conflict (session_id, day, person) do update set sessions = session_days.sessions + 1`

/** An ask counts on the day it came, for the person who answered it; until then for the owner. */
function asked({ name }: Ddl, row: string, sign: 1 | -1, from = ''): string {
  const waited =
    name === 'sqlite'
      ? `cast(round((julianday(${row}.answered_at) - julianday(${row}.created_at)) * 86400000) as integer)`
      : `round(extract(epoch from (${row}.answered_at::timestamptz - ${row}.created_at::timestamptz)) * 1000)::bigint`
  const isAnswered = `${row}.answer is not null and ${row}.answered_at is not null`
  const when = (condition: string, value: string) =>
    `sum(case when ${isAnswered} and ${condition} then ${value} else 0 end)`
  const counted = ['asks', 'answered', 'automatic', 'waited_ms']
  return `insert into session_days (session_id, day, person, ${counted.join(', ')})
   select ${row}.session_id, substr(${row}.created_at, 1, 10),
     coalesce((select id from users where users.id = ${row}.answered_by), sessions.owner_user_id) as person,
     ${sign} * count(*), ${sign} * ${when(`${row}.automatic = 0`, '1')}, ${sign} * ${when(`${row}.automatic <> 0`, '1')},
     ${sign} * ${when(`${row}.automatic = 0`, waited)}
   from sessions ${from} where sessions.id = ${row}.session_id
   group by 1, 2, 3
   on conflict (session_id, day, person) do update set ${sums('session_days', counted)};`
}

const costs = (name: Ddl['name']) =>
  name === 'sqlite'
    ? `json_extract(agents.state, '$.usage.costUsd')`
    : `((agents.state::jsonb) #>> '{usage,costUsd}')::double precision`

const triggers = {
  sessions: ['sessions_overview_insert', 'sessions_overview_update'],
  asks: ['asks_overview_insert', 'asks_overview_update'],
  session_days: ['session_days_insert', 'session_days_update'],
} as const

/** B19: what each session had on each day, and the totals of days, people, agents, repos and groups, kept by triggers. */
export const overview: Migration = {
  version: 31,
  name: 'overview',
  up: (ddl) => [
    `create table session_days (
       session_id ${ddl.text} not null references sessions(id),
       day ${ddl.text} not null,
       person ${ddl.text} not null,
       ${zeros.join(', ')},
       last_cost_usd double precision,
       primary key (session_id, day, person))`,
    `create table overview_days (
       ${keys.map((name) => `${name} ${ddl.text} not null`).join(', ')},
       ${zeros.join(', ')},
       primary key (${keys.join(', ')}))`,
    ...ddl.after('session_days', 'session_days_insert', 'insert', ofDay('new', '')),
    ...ddl.after(
      'session_days',
      'session_days_update',
      { update: [...measures] },
      ofDay('old', '-') + ofDay('new', ''),
    ),
    ...ddl.after('sessions', 'sessions_overview_insert', 'insert', `${started('new', 'where true')};`),
    ...ddl.after(
      'sessions',
      'sessions_overview_update',
      { update: ['repo_id', 'agent', 'agent_group_id'] },
      ofSession('old', '-') + ofSession('new', ''),
    ),
    ...ddl.after('asks', 'asks_overview_insert', 'insert', asked(ddl, 'new', 1)),
    ...ddl.after(
      'asks',
      'asks_overview_update',
      { update: ['answer', 'answered_at', 'answered_by', 'automatic'] },
      asked(ddl, 'old', -1) + asked(ddl, 'new', 1),
    ),
    started('sessions', 'from sessions where true'),
    asked(ddl, 'asks', 1, ', asks').replace(/;$/, ''),
    // What groups spent is known by day; of other sessions only the total.
    `insert into session_days (session_id, day, person, cost_usd, last_cost_usd)
       select group_spending.session_id, group_spending.day, sessions.owner_user_id, group_spending.cost_usd, group_spending.last_cost_usd
       from group_spending join sessions on sessions.id = group_spending.session_id where true
       on conflict (session_id, day, person) do update set cost_usd = excluded.cost_usd, last_cost_usd = excluded.last_cost_usd`,
    `insert into session_days (session_id, day, person, cost_usd, last_cost_usd)
       select agents.session_id, substr(agents.updated_at, 1, 10), sessions.owner_user_id, ${costs(ddl.name)}, ${costs(ddl.name)}
       from agents join sessions on sessions.id = agents.session_id
       where ${costs(ddl.name)} is not null
         and not exists (select 1 from group_spending where group_spending.session_id = agents.session_id)
       on conflict (session_id, day, person) do update set cost_usd = excluded.cost_usd, last_cost_usd = excluded.last_cost_usd`,
  ],
  down: ({ name, dropFunctions }) => [
    ...(['sessions', 'asks'] as const).flatMap((table) =>
      triggers[table].map((trigger) =>
        name === 'sqlite' ? `drop trigger ${trigger}` : `drop trigger ${trigger} on ${table}`,
      ),
    ),
    'drop table overview_days',
    'drop table session_days',
    ...dropFunctions(Object.values(triggers).flat()),
  ],
}
