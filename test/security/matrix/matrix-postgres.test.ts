import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openMatrixSetup, type MatrixSetup } from './setup.ts'
import { requests } from './requests/index.ts'
import { runRow } from './run.ts'
import { readTable, routeAreas, titleOf } from './table.ts'

/** Rows that are decided by a query, which could differ on the other database. */
const chosen = [
  'GET /api/sessions',
  'GET /api/sessions/{id}',
  'GET /api/messages',
  'GET /api/asks',
  'GET /api/inbox',
  'GET /api/alerts/{id}',
  'GET /api/checkpoints',
  'GET /api/terminals',
  'GET /api/patterns/{id}',
  'GET /api/policy/rules',
  'GET /api/tokens',
  'GET /api/repos',
  'GET /api/audit',
  'POST /api/sessions ~ mcp in any directory',
  'POST /api/sessions/{id}/pause',
  'POST /api/asks/{id}/answer',
  'POST /api/terminals ~ a program',
  'POST /api/tokens ~ of a session',
  'POST /api/users/{id}/roles ~ admin',
]

describe('the matrix of callers on PostgreSQL', () => {
  let setup: MatrixSetup
  beforeAll(async () => {
    setup = await openMatrixSetup('postgres')
  })
  afterAll(() => setup?.[Symbol.asyncDispose]())

  const rows = routeAreas.flatMap((area) => readTable(area)).filter((row) => chosen.includes(titleOf(row)))

  it.each(rows.map((row) => [titleOf(row), row] as const))('S9 %s', async (title, row) => {
    const spec = requests[title]
    const wrong = spec ? await runRow(row, spec, setup) : ['no request is written for it']
    expect(wrong, wrong.join('\n')).toEqual([])
  })

  it('S9 POST /api/stop: an admin stops the server', async () => {
    expect(rows).toHaveLength(chosen.length)
    const { status } = await setup.api('adm').send('POST', '/api/stop', { body: { agents: 'end' } })
    expect(status).toBe(202)
  })
})
