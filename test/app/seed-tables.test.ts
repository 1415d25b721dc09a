import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { AgentGroupCommand } from '../../src/domain/agent-group/schema.ts'
import type { AgentGroupId } from '../../src/domain/user/id.ts'
import { newId } from '../../src/lib/id.ts'
import { seed, type Column } from './seed-columns.ts'
import { describeBoth, type Kind, type World } from '../world.ts'

const views = ['pending_questions', 'pending_approvals']

/**
 * Where this schema differs on purpose, and why; nothing else may. (The pending_* tables are views over asks, which have
 * the keys and indexes. Columns that have a default in the seed are never null here.)
 */
const differs: Readonly<Record<string, string>> = {
  'user_roles key': 'a null scope would let a role be granted twice: idx_user_roles_once holds it with coalesce',
  'sessions.agent_group_id null': 'sessions of REST and MCP have no agent group',
  'sessions.status default': 'a session starts as created, and its status is always written',
  'unregistered_senders key': 'one row for each sender in each chat, not for each chat',
}

type Found = { name: string; type: string; required: boolean; byDefault: string | null }

async function columnsOf({ database }: World, kind: Kind, table: string): Promise<Map<string, Found>> {
  const rows =
    kind === 'sqlite'
      ? // Generated columns are hidden from table_info.
        (
          await sql<{ name: string; type: string; notnull: number; dflt_value: string | null }>`
            select name, type, "notnull", dflt_value from pragma_table_xinfo(${table})`.execute(database.read)
        ).rows.map(({ name, type, notnull, dflt_value }) => ({
          name,
          type: type.toLowerCase(),
          required: notnull === 1,
          byDefault: dflt_value,
        }))
      : (
          await sql<{ name: string; type: string; nullable: string; dflt: string | null }>`
            select column_name as name, data_type as type, is_nullable as nullable, column_default as dflt
            from information_schema.columns where table_schema = current_schema() and table_name = ${table}`.execute(
            database.read,
          )
        ).rows.map(({ name, type, nullable, dflt }) => ({
          name,
          type: type === 'bigint' ? 'integer' : type,
          required: nullable === 'NO',
          byDefault: dflt,
        }))
  return new Map(rows.map((row) => [row.name, row]))
}

/** Indexes by name, primary keys and unique constraints among them as `key` and `unique`. */
async function indexesOf({ database }: World, kind: Kind, table: string) {
  if (kind === 'sqlite') {
    const { rows } = await sql<{ name: string; origin: string; unique: number; columns: string }>`
      select l.name, l.origin, l."unique", (select group_concat(name, ', ') from pragma_index_info(l.name)) as columns
      from pragma_index_list(${table}) as l`.execute(database.read)
    const { rows: key } = await sql<{ columns: string | null }>`
      select group_concat(name, ', ') as columns from
        (select name from pragma_table_info(${table}) where pk > 0 order by pk)`.execute(database.read)
    return {
      key: key[0]?.columns ?? null,
      unique: rows.filter(({ unique }) => unique === 1).map(({ columns }) => columns),
      named: Object.fromEntries(rows.map(({ name, columns }) => [name, columns])),
    }
  }
  const { rows } = await sql<{ name: string; primary: boolean; unique: boolean; columns: string }>`
    select c.relname as name, i.indisprimary as primary, i.indisunique as unique,
      (select string_agg(a.attname, ', ' order by k.n) from unnest(i.indkey) with ordinality as k(attnum, n)
        join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum) as columns
    from pg_index i join pg_class c on c.oid = i.indexrelid join pg_class t on t.oid = i.indrelid
    where t.relname = ${table} and t.relnamespace = current_schema()::regnamespace`.execute(database.read)
  return {
    key: rows.find(({ primary }) => primary)?.columns ?? null,
    unique: rows.filter(({ unique }) => unique).map(({ columns }) => columns),
    named: Object.fromEntries(rows.map(({ name, columns }) => [name, columns])),
  }
}

async function referencesOf({ database }: World, kind: Kind, table: string): Promise<string[]> {
  const { rows } =
    kind === 'sqlite'
      ? await sql<{ line: string }>`
          select "from" || ' → ' || "table" as line from pragma_foreign_key_list(${table})`.execute(database.read)
      : await sql<{ line: string }>`
          select a.attname || ' → ' || t.relname as line from pg_constraint c
            join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
            join pg_class t on t.oid = c.confrelid
          where c.contype = 'f' and c.conrelid = to_regclass(${table})`.execute(database.read)
  return rows.map(({ line }) => line)
}

function parsed(column: Column) {
  const [, name = '', type = '', required, byDefault] = /^(\S+) (text|integer)(!?)(?: = (.*))?$/.exec(column) ?? []
  return { name, type, required: required === '!', byDefault: byDefault ?? null }
}

/** `'strict'` and `'strict'::text`, `(datetime('now'))` and its counterpart in PostgreSQL. */
const plainDefault = (text: string | null): string | null => {
  if (text === null) return null
  if (/now/.test(text)) return `datetime('now')`
  return text.replace(/::\w+$/, '').replace(/^\((.*)\)$/, '$1')
}

/** How a table here differs from the seed's, in words. */
async function differences(world: World, kind: Kind, table: string): Promise<string[]> {
  const wanted = seed[table]!
  const isView = views.includes(table)
  const columns = await columnsOf(world, kind, table)
  const found = wanted.columns.map(parsed).flatMap(({ name, type, required, byDefault }) => {
    const at = `${table}.${name}`
    const column = columns.get(name)
    if (!column) return [`${at} missing`]
    // A view in SQLite has no types for what it computes.
    if (isView) return kind === 'sqlite' || column.type === type ? [] : [`${at} type`]
    const asWanted: Record<string, boolean> = {
      type: column.type === type,
      default: byDefault === null || plainDefault(column.byDefault) === byDefault,
      // Primary keys of SQLite are not marked as required.
      null: !required || column.required || name === wanted.key,
    }
    return Object.keys(asWanted)
      .filter((what) => !asWanted[what])
      .map((what) => `${at} ${what}`)
  })
  if (isView) return found
  const indexes = await indexesOf(world, kind, table)
  const references = await referencesOf(world, kind, table)
  const unnamed = Object.entries(wanted.indexes ?? {}).filter(([name, of]) => indexes.named[name] !== of)
  return [
    ...found,
    ...(indexes.key === wanted.key ? [] : [`${table} key`]),
    ...(wanted.unique ?? []).filter((of) => !indexes.unique.includes(of)).map((of) => `${table} unique ${of}`),
    ...unnamed.map(([name]) => `${table} index ${name}`),
    ...(wanted.references ?? []).filter((one) => !references.includes(one)).map((one) => `${table} ${one}`),
  ]
}

describeBoth('C1 the tables of the central database', (open, kind) => {
  it.each(Object.keys(seed))('%s has its columns, defaults, keys, references and indexes', async (table) => {
    await using world = await open()
    const decided = Object.keys(differs).filter((what) => what.split(/[. ]/, 1)[0] === table)
    expect(await differences(world, kind, table)).toEqual(decided)
  })

  it('values outside the seed are refused', async () => {
    await using world = await open()
    const run = (statement: string) => sql.raw(statement).execute(world.database.write)
    const at = '2030-01-01T00:00:00.000Z'
    const chat = (id: string, policy: string) =>
      `insert into messaging_groups (id, channel_type, platform_id, unknown_sender_policy, created_at)
       values ('${id}', 'slack', '${id}', '${policy}', '${at}')`
    for (const policy of ['strict', 'request_approval', 'public']) await run(chat(policy, policy))
    await expect(run(chat('x', 'open'))).rejects.toThrow(/check/i)
    await expect(run(`update messaging_groups set unknown_sender_policy = 'all'`)).rejects.toThrow(/check/i)
    await run(`insert into agent_groups (id, name, folder, created_at) values ('g', 'G', 'g', '${at}')`)
    const wiring = (column: string, value: string) =>
      `insert into messaging_group_agents (id, messaging_group_id, agent_group_id, ${column}, created_at)
       values ('${column}', 'strict', 'g', '${value}', '${at}')`
    for (const column of ['session_mode', 'engage_mode', 'sender_scope', 'ignored_message_policy', 'verbosity'])
      await expect(run(wiring(column, 'other')), column).rejects.toThrow(/check/i)
    await run(wiring('response_scope', 'all'))
    const destination = (name: string, type: string) =>
      `insert into agent_destinations (agent_group_id, local_name, target_type, target_id, created_at)
       values ('g', '${name}', '${type}', 'strict', '${at}')`
    await run(destination('dev', 'channel'))
    await expect(run(destination('dev', 'agent'))).rejects.toThrow(/unique/i)
    await expect(run(destination('other', 'person'))).rejects.toThrow(/check/i)
  })

  it('every agent group has one container config, which goes with it; its scope is one of three', async () => {
    await using world = await open()
    const run = (statement: string) => sql.raw(statement).execute(world.database.write)
    const at = '2030-01-01T00:00:00.000Z'
    await run(`insert into agent_groups (id, name, folder, created_at) values ('g', 'G', 'g', '${at}')`)
    await run(`insert into container_configs (agent_group_id, updated_at) values ('g', '${at}')`)
    const { rows } = await sql<Record<string, unknown>>`select * from container_configs`.execute(world.database.read)
    expect(rows).toMatchObject([
      { skills: '"all"', mcp_servers: '{}', packages_apt: '[]', cli_scope: 'group', model: null },
    ])
    await expect(
      run(`insert into container_configs (agent_group_id, updated_at) values ('g', '${at}')`),
    ).rejects.toThrow(/unique/i)
    await expect(
      run(`insert into container_configs (agent_group_id, updated_at) values ('x', '${at}')`),
    ).rejects.toThrow(/foreign/i)
    await expect(run(`update container_configs set cli_scope = 'all'`)).rejects.toThrow(/check/i)
    await expect(run(`update container_configs set max_messages_per_prompt = 0`)).rejects.toThrow(/check/i)
    await run(`delete from agent_groups where id = 'g'`)
    expect((await sql`select * from container_configs`.execute(world.database.read)).rows).toEqual([])
    const id = newId<AgentGroupId>()
    await world.do(AgentGroupCommand.parse({ type: 'agent_group.create', id, name: 'Made' }))
    expect((await sql`select agent_group_id from container_configs`.execute(world.database.read)).rows).toEqual([
      { agent_group_id: id },
    ])
  })

  it('one live session for each agent group, chat and thread, and one that all chats of a group share', async () => {
    await using world = await open()
    const ann = await world.person()
    const run = (statement: string) => sql.raw(statement).execute(world.database.write)
    const at = '2030-01-01T00:00:00.000Z'
    await run(`insert into agent_groups (id, name, folder, created_at) values ('g', 'G', 'g', '${at}')`)
    await run(
      `insert into messaging_groups (id, channel_type, platform_id, created_at) values ('c', 'slack', 'C', '${at}')`,
    )
    const session = async (chat: string | null, thread: string | null, mode: string | null) => {
      const id = await world.session(ann)
      const text = (value: string | null) => (value === null ? 'null' : `'${value}'`)
      await run(`update sessions set agent_group_id = 'g', messaging_group_id = ${text(chat)},
        thread_id = ${text(thread)}, session_mode = ${text(mode)} where id = '${id}'`)
      return id
    }
    const first = await session('c', null, 'shared')
    await expect(session('c', null, 'shared')).rejects.toThrow(/unique/i)
    await session('c', '1.2', 'per-thread')
    await expect(session('c', '1.2', 'per-thread')).rejects.toThrow(/unique/i)
    await session(null, null, null)
    await session(null, null, null)
    await session(null, null, 'agent-shared')
    await expect(session(null, null, 'agent-shared')).rejects.toThrow(/unique/i)
    await world.do({ type: 'session.complete', id: first, reason: null }, ann)
    await session('c', null, 'shared')
    const rows = await sql<{ last_active: string }>`select last_active, last_activity_at from sessions`.execute(
      world.database.read,
    )
    expect(rows.rows[0]).toMatchObject({ last_active: at })
  })

  it('the views show asks under the names and statuses of the seed', async () => {
    await using world = await open()
    const ann = await world.person()
    const session = await world.session(ann)
    const question = await world.ask(session, {
      title: 'Colour?',
      subject: { kind: 'question', question: 'Which?', options: [{ label: 'Red', value: 'r' }], freeText: false },
    })
    const permission = {
      kind: 'permission' as const,
      toolCall: {},
      options: [
        { optionId: 'y', name: 'Yes', kind: 'allow_once' as const },
        { optionId: 'n', name: 'No', kind: 'reject_once' as const },
      ],
    }
    const packages = { kind: 'packages' as const, apt: ['jq'], npm: [], reason: 'JSON' }
    const [open_, yes, no, approved, gone] = [
      await world.ask(null, { subject: packages }),
      await world.ask(session, { subject: permission }),
      await world.ask(session, { subject: permission }),
      await world.ask(null, { subject: packages }),
      await world.ask(null, { subject: packages }),
    ]
    await world.do({ type: 'ask.answer', id: yes, answer: { outcome: 'select', optionId: 'y', reason: null } }, ann)
    await world.do({ type: 'ask.answer', id: no, answer: { outcome: 'select', optionId: 'n', reason: null } }, ann)
    await world.do({ type: 'ask.answer', id: approved, answer: { outcome: 'approve', always: false, reason: null } })
    await world.do({ type: 'ask.cancel', id: gone, reason: null })
    const questions = await sql<{ question_id: string; options_json: string }>`select * from pending_questions`.execute(
      world.database.read,
    )
    expect(questions.rows).toMatchObject([{ question_id: question, session_id: session, title: 'Colour?' }])
    expect(JSON.parse(questions.rows[0]!.options_json)).toEqual([{ label: 'Red', value: 'r' }])
    const { rows } = await sql<{ approval_id: string; action: string; status: string }>`
      select approval_id, action, status from pending_approvals`.execute(world.database.read)
    const statusOf = Object.fromEntries(
      rows.map(({ approval_id, action, status }) => [approval_id, `${action} ${status}`]),
    )
    expect(statusOf).toEqual({
      [open_]: 'install_packages pending',
      [yes]: 'permission approved',
      [no]: 'permission rejected',
      [approved]: 'install_packages approved',
      [gone]: 'install_packages expired',
    })
    await world.do({ type: 'ask.answer', id: question, answer: { outcome: 'reply', value: 'r' } }, ann)
    expect((await sql`select * from pending_questions`.execute(world.database.read)).rows).toEqual([])
  })
})
