import { describe, expect, it } from 'vitest'
import { fault, openAcpHarness, peakMegabytes, textOf } from '../support/acp-harness.ts'
import { until } from '../support/until.ts'

describe('an agent that speaks the stream methods and', () => {
  it('stops reading can be paused and ended, and affects nobody else', async () => {
    await using harness = await openAcpHarness({ faults: [fault('deaf')] })
    const session = await harness.start('deaf')
    await harness.prompt(session, 'go')
    await until(async () => textOf((await harness.detail(session)).messages) === 'deaf now', { what: 'its last words' })
    await harness.server.api().post(`/api/sessions/${session.id}/pause`)
    expect((await harness.detail(session)).status).toBe('paused')
    await harness.server.api().delete(`/api/sessions/${session.id}`)
    expect((await harness.detail(session)).status).toBe('cancelled')
    expect(await harness.running(session)).toEqual([])
  })

  it('sends endless heartbeats costs no more than one that sends one a second', async () => {
    await using harness = await openAcpHarness({ faults: [fault('beats', '100000')] })
    const session = await harness.start('beats')
    await harness.prompt(session, 'go')
    const beaten = async () => textOf((await harness.detail(session)).messages) === 'beaten'
    await until(beaten, { what: 'the end of its beats', seconds: 60 })
    const progress = async () => {
      const now = await harness.server.api().get<{ progressSnapshot: unknown }>(`/api/sessions/${session.id}`)
      return JSON.stringify(now.progressSnapshot).includes('"100000"') ? now.progressSnapshot : null
    }
    expect(await until(progress, { what: 'its last progress' })).toEqual([{ label: '100000', status: 'done' }])
    expect(peakMegabytes(harness.server.pid)).toBeLessThan(300)
  })
})
