import type { Ddl, Migration } from '../ddl.ts'

const measures = ['sessions', 'cost_usd', 'asks', 'answered', 'automatic', 'waited_ms'] as const
const keys = ['day', 'person', 'owner_user_id', 'agent', 'repo_id', 'agent_group_id'] as const
const triggers = ['sessions_overview_insert', 'sessions_overview_update'] as const

const drop = ({ name, dropFunctions }: Ddl): string[] => [
  ...triggers.map((trigger) => (name === 'sqlite' ? `drop trigger ${trigger}` : `drop trigger ${trigger} on sessions`)),
  ...dropFunctions(triggers),
]

const sums = measures.map((name) => `${name} = overview_days.${name} + excluded.${name}`).join(', ')
const keysOf = (row: string, day: string, person: string) =>
  `${day}, ${person}, ${row}.owner_user_id, coalesce(${row}.agent, ''), coalesce(${row}.repo_id, ''), coalesce(${row}.agent_group_id, '')`

/** Counts a session on the day it was started, for its owner. */
const counted = (row: 'old' | 'new', by: 1 | -1) =>
  `insert into overview_days (${keys.join(', ')}, sessions)
   values (${keysOf(row, `substr(${row}.created_at, 1, 10)`, `${row}.owner_user_id`)}, ${by})
   on conflict (${keys.join(', ')}) do update set sessions = overview_days.sessions + ${by};`

/** Adds what the days of a session have to the totals of this row, or takes it away. As in migration 31. */
const ofDays = (row: 'old' | 'new', sign: '' | '-') =>
  `insert into overview_days (${[...keys, ...measures].join(', ')})
   select ${keysOf(row, 'session_days.day', 'session_days.person')},
     ${measures.map((name) => `${sign}session_days.${name}`).join(', ')}
   from session_days where session_days.session_id = ${row}.id
   on conflict (${keys.join(', ')}) do update set ${sums};`

/**
 * A new session is counted in the totals alone: a row of its own for the day would only say that there is one session, in three
 * pages more for each start. `session_days.sessions` is 0 from now on.
 */
export const sessionCounts: Migration = {
  version: 39,
  name: 'session-counts',
  up: (ddl) => [
    ...drop(ddl),
    // The trigger of the days takes them off the totals.
    'update session_days set sessions = 0 where sessions <> 0',
    `delete from session_days where cost_usd = 0 and asks = 0 and last_cost_usd is null`,
    `insert into overview_days (${keys.join(', ')}, sessions)
       select ${keysOf('sessions', 'substr(sessions.created_at, 1, 10)', 'sessions.owner_user_id')}, count(*)
       from sessions where true group by 1, 2, 3, 4, 5, 6
       on conflict (${keys.join(', ')}) do update set sessions = overview_days.sessions + excluded.sessions`,
    ...ddl.after('sessions', 'sessions_overview_insert', 'insert', counted('new', 1)),
    ...ddl.after(
      'sessions',
      'sessions_overview_update',
      { update: ['repo_id', 'agent', 'agent_group_id'] },
      ofDays('old', '-') + ofDays('new', '') + counted('old', -1) + counted('new', 1),
    ),
  ],
  down: (ddl) => [
    ...drop(ddl),
    'update overview_days set sessions = 0',
    `insert into session_days (session_id, day, person, sessions)
       select sessions.id, substr(sessions.created_at, 1, 10), sessions.owner_user_id, 1 from sessions where true
       on conflict (session_id, day, person) do update set sessions = session_days.sessions + 1`,
    ...ddl.after(
      'sessions',
      'sessions_overview_insert',
      'insert',
      `insert into session_days (session_id, day, person, sessions)
   select new.id, substr(new.created_at, 1, 10), new.owner_user_id, 1 where true
   on conflict (session_id, day, person) do update set sessions = session_days.sessions + 1;`,
    ),
    ...ddl.after(
      'sessions',
      'sessions_overview_update',
      { update: ['repo_id', 'agent', 'agent_group_id'] },
      asBefore('old', '-') + asBefore('new', ''),
    ),
  ],
}

/** As in migration 31, to the letter. */
const asBefore = (row: 'old' | 'new', sign: '' | '-') =>
  `insert into overview_days (${[...keys, ...measures].join(', ')})
   select session_days.day, session_days.person, ${row}.owner_user_id, coalesce(${row}.agent, ''), coalesce(${row}.repo_id, ''),
     coalesce(${row}.agent_group_id, ''), ${measures.map((name) => `${sign}session_days.${name}`).join(', ')}
   from session_days where session_days.session_id = ${row}.id
   on conflict (${keys.join(', ')}) do update set ${sums};`
