import { describe, expect, it } from 'vitest'
import { fault, openYard, peakMegabytes, textOf } from '../support/acp-yard.ts'
import { until } from '../support/until.ts'

describe('an agent that speaks the stream methods and', () => {
  it('hears nothing more can be paused and ended, and takes nobody with it', async () => {
    await using yard = await openYard({ faults: [fault('deaf')] })
    const session = await yard.start('deaf')
    await yard.prompt(session, 'go')
    await until(async () => textOf((await yard.detail(session)).messages) === 'deaf now', { what: 'its last words' })
    await yard.server.api().post(`/api/sessions/${session.id}/pause`)
    expect((await yard.detail(session)).status).toBe('paused')
    await yard.server.api().delete(`/api/sessions/${session.id}`)
    expect((await yard.detail(session)).status).toBe('cancelled')
    expect(await yard.running(session)).toEqual([])
  })

  it('beats without end costs no more than one that beats once a second', async () => {
    await using yard = await openYard({ faults: [fault('beats', '100000')] })
    const session = await yard.start('beats')
    await yard.prompt(session, 'go')
    const beaten = async () => textOf((await yard.detail(session)).messages) === 'beaten'
    await until(beaten, { what: 'the end of its beats', seconds: 60 })
    const progress = async () => {
      const now = await yard.server.api().get<{ progressSnapshot: unknown }>(`/api/sessions/${session.id}`)
      return JSON.stringify(now.progressSnapshot).includes('"100000"') ? now.progressSnapshot : null
    }
    expect(await until(progress, { what: 'its last progress' })).toEqual([{ label: '100000', status: 'done' }])
    expect(peakMegabytes(yard.server.pid)).toBeLessThan(300)
  })
})
