import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { count, listOf } from '../../client/contract/parts.ts'
import { queryCheck } from './check-query.ts'
import type { HttpContext } from './request.ts'

const schema = z.strictObject({ limit: count(1, 50, 20), status: listOf(['active', 'error']).optional() })

async function asked(...queries: string[]) {
  const checkQuery = queryCheck({ query: schema })
  const web = new Hono()
  const results: unknown[] = []
  web.get('/', (context) => {
    results.push(checkQuery(context as unknown as HttpContext))
    return context.body(null)
  })
  for (const query of queries) await web.request(`http://localhost/${query}`)
  return results
}

describe('the query of an endpoint', () => {
  it('gives the same result for the same query string', async () => {
    const page = { ok: true, value: { limit: 5, status: ['active', 'error'] } }
    expect(await asked('?limit=5&status=active,error', '', '?limit=5&status=active,error', '?limit=6')).toEqual([
      page,
      { ok: true, value: { limit: 20 } },
      page,
      { ok: true, value: { limit: 6 } },
    ])
  })

  it('with a parameter given twice is refused, instead of losing one', async () => {
    const refused = { ok: false, fault: expect.objectContaining({ code: 'repeated_parameter' }) }
    expect(await asked('?status=active&status=error', '?limit=1&limit=1')).toEqual([refused, refused])
  })

  it('that is invalid is refused again', async () => {
    const refused = { ok: false, fault: expect.objectContaining({ code: 'invalid_request' }) }
    expect(await asked('?limit=0', '?limit=0', '?other=1')).toEqual([refused, refused, refused])
  })

  it('can’t be changed by a handler', async () => {
    const [first] = (await asked('?status=active')) as { value: { status: string[] } }[]
    expect(() => first?.value.status.push('error')).toThrow(TypeError)
  })

  it('with any number of different values is read', async () => {
    const all = Array.from({ length: 250 }, (_, n) => `?limit=${(n % 50) + 1}&limit=${n}`)
    expect(await asked(...all)).toHaveLength(250)
  })
})
