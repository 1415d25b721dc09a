import { describe, expect, it } from 'vitest'
import type { App } from '../../../app/app.ts'
import type { PolicyInForce } from '../../../domain/policy/schema.ts'
import { fail, ok, type Failed } from '../../../lib/result.ts'
import { writeRecorded } from './policy.ts'

const busy = fail({ kind: 'unavailable', code: 'database_busy', message: 'The database is busy.' })
const inForce = { hash: 'h1', settings: '{}' } as PolicyInForce

/** An app that refuses as it is told, and a file that notes whether it was written. */
async function save(refuses: { check?: Failed; note?: Failed }) {
  const files: string[] = []
  const app = {
    check: async () => refuses.check ?? null,
    dispatch: async () => refuses.note ?? ok({ subject: 'r1', repeated: false }),
  } as unknown as Pick<App, 'check' | 'dispatch'>
  const result = await writeRecorded(app, { kind: 'system', name: 'test' }, '/w', '{}', async () => {
    files.push('settings.json')
    return ok(inForce)
  })
  return { result, files }
}

describe('a policy that is saved', () => {
  it('is written and noted', async () => {
    expect(await save({})).toEqual({ result: ok(inForce), files: ['settings.json'] })
  })

  it('is not written where it may not be noted', async () => {
    expect(await save({ check: busy })).toEqual({ result: busy, files: [] })
  })

  it('is said to be in force where it was written and noting it failed', async () => {
    const { result, files } = await save({ note: busy })
    expect(files).toEqual(['settings.json'])
    expect(result).toMatchObject({ fault: { code: 'policy_not_noted', details: { hash: 'h1' } } })
    expect(!result.ok && result.fault.message).toMatch(/saved and is in force.*database is busy/)
  })
})
