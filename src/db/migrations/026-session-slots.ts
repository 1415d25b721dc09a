import type { Ddl, Migration } from '../ddl.ts'

const triggers = ['sessions_tally_insert', 'sessions_tally_delete', 'sessions_tally_update']

type TallyTable = { readonly key: readonly string[]; create(text: string): string }

/** Every index entry of a new session is another page to write; the tally has the slots in use without one. */
const withProtocol: TallyTable = {
  key: ['protocol_mode', 'status', 'agent_phase', 'owner_user_id', 'repo_id'],
  create: (text) => `create table session_tally (
       protocol_mode ${text} not null,
       status ${text} not null,
       agent_phase ${text} not null,
       owner_user_id ${text} not null,
       repo_id ${text} not null,
       n integer not null,
       primary key (protocol_mode, status, agent_phase, owner_user_id, repo_id))`,
}

/** As in migration 2, to the letter. */
const before: TallyTable = {
  key: ['owner_user_id', 'repo_id', 'status'],
  create: (text) => `create table session_tally (
       owner_user_id ${text} not null,
       repo_id ${text} not null,
       status ${text} not null,
       n integer not null,
       primary key (owner_user_id, repo_id, status))`,
}

/** Replaces the tally and its triggers. */
function tallyBy({ key, create }: TallyTable, { name, text, after, dropFunctions }: Ddl): string[] {
  const columns = key.join(', ')
  const changing = ['status', 'repo_id', 'agent_phase'].filter((column) => key.includes(column))
  const of = (row: string) =>
    key.map((column) => (column === 'repo_id' ? `coalesce(${row}.repo_id, '')` : `${row}.${column}`)).join(', ')
  const add = (row: 'old' | 'new', by: 1 | -1) =>
    `insert into session_tally (${columns}, n)
   values (${of(row)}, ${by})
   on conflict (${columns}) do update set n = session_tally.n + ${by};`
  return [
    ...triggers.map((trigger) =>
      name === 'sqlite' ? `drop trigger ${trigger}` : `drop trigger ${trigger} on sessions`,
    ),
    ...dropFunctions(triggers),
    'drop table session_tally',
    create(text),
    `insert into session_tally (${columns}, n) select ${of('sessions')}, count(*) from sessions group by ${of('sessions')}`,
    ...after('sessions', 'sessions_tally_insert', 'insert', add('new', 1)),
    ...after('sessions', 'sessions_tally_delete', 'delete', add('old', -1)),
    ...after('sessions', 'sessions_tally_update', { update: changing }, add('old', -1) + add('new', 1)),
  ]
}

const running = `status in ('created', 'active', 'paused')`

/**
 * The tally counts sessions by protocol and phase too, so that counting slots reads a few rows however many sessions run.
 * Only sessions in containers are counted one by one.
 */
export const sessionSlots: Migration = {
  version: 26,
  name: 'session-slots',
  up: (ddl) => [
    ...tallyBy(withProtocol, ddl),
    'drop index idx_sessions_slots',
    `create index idx_sessions_containers on sessions(agent_phase) where isolation = 'container' and ${running}`,
  ],
  down: (ddl) => [
    'drop index idx_sessions_containers',
    `create index idx_sessions_slots on sessions(protocol_mode, status, agent_phase, isolation) where ${running}`,
    ...tallyBy(before, ddl),
  ],
}
