import { describe, expect, it } from 'vitest'
import type { App } from '../../../app/app.ts'
import type { PolicyInForce } from '../../../domain/policy/schema.ts'
import { fail, ok, type Failed } from '../../../lib/result.ts'
import { writeRecorded } from './policy.ts'

const busy = fail({ kind: 'unavailable', code: 'database_busy', message: 'The database is busy.' })
const inForce = { hash: 'h1', settings: '{}' } as PolicyInForce

/** A fake app that refuses on demand, and a file that records whether it was written. */
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
  it('is written and recorded', async () => {
    expect(await save({})).toEqual({ result: ok(inForce), files: ['settings.json'] })
  })

  it('is not written if it may not be recorded', async () => {
    expect(await save({ check: busy })).toEqual({ result: busy, files: [] })
  })

  it('is reported as in force if it was written but recording it failed', async () => {
    const { result, files } = await save({ note: busy })
    expect(files).toEqual(['settings.json'])
    expect(result).toMatchObject({ fault: { code: 'policy_not_noted', details: { hash: 'h1' } } })
    expect(!result.ok && result.fault.message).toMatch(/saved and is in force.*database is busy/)
  })
})
