import { describe, it } from 'vitest'
import { postgresRows } from '../support/kill-harness-rows.ts'
import { freshPostgres } from '../support/postgres.ts'
import { expectNothingLost } from './kill-trial.ts'

describe('kill -9 on PostgreSQL', () => {
  it(
    'repeatedly under load loses nothing acknowledged, does nothing twice, and followers continue',
    { timeout: 300_000 },
    async () => {
      await using database = await freshPostgres()
      await expectNothingLost('PostgreSQL', {
        env: { SIGNALBOX_DATABASE__URL: database.url },
        rowsOf: () => postgresRows(database.url),
      })
    },
  )
})
