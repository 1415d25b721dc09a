import pg from 'pg'
import { describe, expect, it } from 'vitest'
import { freshPostgres, postgresWithSchema } from './postgres.ts'

describe('freshPostgres', () => {
  it('gives each caller a database, removed after use even while a connection is open', async () => {
    let leftover: pg.Client
    let url: string
    {
      await using first = await freshPostgres()
      await using second = await freshPostgres()
      url = first.url
      expect(second.url).not.toBe(url)
      leftover = new pg.Client({ connectionString: url })
      leftover.on('error', () => undefined)
      await leftover.connect()
      expect((await leftover.query('select 1 as one')).rows).toEqual([{ one: 1 }])
    }
    await expect(leftover.query('select 1')).rejects.toThrow()
    await expect(new pg.Client({ connectionString: url }).connect()).rejects.toThrow(/does not exist/)
  })

  it('is a real PostgreSQL 18, which does not wait for the disk: no test cuts the power', async () => {
    await using database = await freshPostgres()
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    const { rows } = await client.query(
      "select current_setting('server_version_num')::int / 10000 as major, current_setting('fsync') as fsync",
    )
    await client.end()
    expect(rows).toEqual([{ major: 18, fsync: 'off' }])
  })

  it('can have the schema already, and nothing in it', async () => {
    await using database = await postgresWithSchema()
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    const { rows } = await client.query(
      'select (select count(*)::int from schema_version) > 0 as migrated, (select count(*)::int from sessions) as sessions',
    )
    await client.end()
    expect(rows).toEqual([{ migrated: true, sessions: 0 }])
  })
})
