import { sql } from 'kysely'
import type { Database } from '../../src/db/open.ts'

/** Everything in a schema, in comparable text: tables, columns, checks, indexes, triggers, code. */
export async function schemaOf(database: Database): Promise<readonly string[]> {
  const query =
    database.flavor.name === 'sqlite'
      ? sql<{ line: string }>`select type || ' ' || name || ' ' || coalesce(sql, '') as line from sqlite_master
          where name not like 'sqlite_%' order by 1`
      : sql<{ line: string }>`
          select 'column ' || table_name || '.' || column_name || ' ' || data_type || ' ' || is_nullable || ' '
            || coalesce(column_default, '') || ' ' || coalesce(collation_name, '') as line
            from information_schema.columns where table_schema = 'public'
          union all select 'constraint ' || conrelid::regclass || ' ' || pg_get_constraintdef(oid) from pg_constraint
            where connamespace = 'public'::regnamespace
          union all select 'index ' || indexdef from pg_indexes where schemaname = 'public'
          union all select 'trigger ' || pg_get_triggerdef(oid) from pg_trigger where not tgisinternal
          union all select 'function ' || pg_get_functiondef(oid) from pg_proc where pronamespace = 'public'::regnamespace
          union all select 'sequence ' || sequencename from pg_sequences where schemaname = 'public'
          order by 1`
  return (await query.execute(database.read)).rows.map((row) => row.line)
}
