import Sqlite from 'better-sqlite3'
import { databaseIn, makeDataDirectory } from '../lib/data-directory.ts'

const messagesEach = 20
const repos = 10

/** A data directory with this many sessions, 20 messages each, written by SQL: a short log, long lists. */
export async function fill(home: string, sessions: number): Promise<void> {
  const owner = await makeDataDirectory(home)
  const connection = new Sqlite(databaseIn(home))
  try {
    connection.pragma('synchronous = OFF')
    connection.pragma('cache_size = -1000000')
    connection.exec('begin')
    connection
      .prepare(
        `with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)
         insert into repos (id, name, path, added_by, created_at)
         select printf('01900000-0000-7000-8000-%012x', i), 'repo-' || i, '/srv/repo-' || i, ?, '2026-01-01T00:00:00.000Z'
         from n`,
      )
      .run(repos, owner)
    connection.prepare(sessionRows).run({ owner, sessions, repos })
    connection.prepare(messageRows).run({ each: messagesEach })
    connection.prepare(askRows).run()
    connection.exec('commit')
    connection.pragma('wal_checkpoint(truncate)')
    connection.exec('analyze')
  } finally {
    connection.close()
  }
}

const at = (seconds: string) => `strftime('%Y-%m-%dT%H:%M:%fZ', 1767225600 + ${seconds}, 'unixepoch')`

// One in a hundred is active, the others have ended.
const sessionRows = `
  with recursive n(i) as (select 1 union all select i + 1 from n where i < :sessions)
  insert into sessions (id, owner_user_id, protocol_mode, status, prompt, workspace_root, repo_id, agent,
                        last_activity_at, created_at, updated_at, terminated_at)
  select lower(printf('%s-%s-4%s-8%s-%s', hex(randomblob(4)), hex(randomblob(2)), substr(hex(randomblob(2)), 2),
                      substr(hex(randomblob(2)), 2), hex(randomblob(6)))),
         :owner, 'acp', case when i % 100 = 0 then 'active' when i % 7 = 0 then 'error' else 'completed' end,
         'Mend item ' || i || ' of the list and say what was wrong with it.', '/srv/repo-' || (i % :repos + 1),
         printf('01900000-0000-7000-8000-%012x', i % :repos + 1), 'codex',
         ${at('i * 60 + 50')}, ${at('i * 60')}, ${at('i * 60 + 50')},
         case when i % 100 = 0 then null else ${at('i * 60 + 50')} end
  from n`

const messageRows = `
  with recursive m(j) as (select 0 union all select j + 1 from m where j < :each - 1)
  insert into messages (id, session_id, role, content, timestamp)
  select printf('01910000-0000-7000-8000-%012x', sessions.rowid * :each + j), sessions.id,
         case when j = 0 then 'user' else 'agent' end,
         '{"type":"text","text":"Step ' || j || ' of the work is done."}', ${at('sessions.rowid * 60 + j')}
  from sessions cross join m order by sessions.rowid, j`

const askRows = `
  insert into asks (id, session_id, kind, origin, title, status, subject, created_at)
  select printf('01920000-0000-7000-8000-%012x', rowid), id, 'question', 'acp', 'Which one?', 'open',
         '{"kind":"question","question":"Which one?","options":[],"freeText":true}', created_at
  from sessions where status = 'active' and rowid % 300 = 0`
