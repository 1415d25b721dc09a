import { join } from 'node:path'
import { describe, it } from 'vitest'
import { sqliteRows } from '../support/kill-harness-rows.ts'
import { expectNothingLost } from './kill-trial.ts'

describe('kill -9 on SQLite', () => {
  it(
    'repeatedly under load loses nothing acknowledged, does nothing twice, and followers continue',
    { timeout: 300_000 },
    async () => {
      await expectNothingLost('SQLite', { env: {}, rowsOf: (home) => sqliteRows(join(home, 'signalbox.db')) })
    },
  )
})
