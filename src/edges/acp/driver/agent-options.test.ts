import { describe, expect, it, vi } from 'vitest'
import { nothingKnown, type AgentAbout } from '../../../domain/agent/about.ts'
import { fail, ok, type Result } from '../../../lib/result.ts'
import type { Recorder } from '../transcript/recorder.ts'
import { createAgentOptions } from './agent-options.ts'
import type { Wire } from '../wire/wire.ts'

function setUp(patienceMs = 10_000) {
  let about: AgentAbout = { ...nothingKnown, agentSessionId: 's', modes: { availableModes: [1], currentModeId: 'a' } }
  const answer = Promise.withResolvers<Result<{ value: unknown; offset: number }>>()
  const request = vi.fn<(id: string, method: string, params: object) => typeof answer.promise>(() => answer.promise)
  const settle = vi.fn<(offset: number) => void>()
  const flush = vi.fn<() => Promise<void>>(async () => {})
  const recorder = {
    get about() {
      return about
    },
    setAbout(change: Partial<AgentAbout>) {
      about = { ...about, ...change }
    },
    settle,
    flush,
  }
  const settings = createAgentOptions({ request } as unknown as Wire, recorder as unknown as Recorder, patienceMs)
  return { settings, request, settle, flush, answer: answer.resolve, about: () => about }
}

describe('a setting', () => {
  it('of the mode is known once the agent has accepted it, and stored before the caller gets the result', async () => {
    const { settings, request, settle, flush, answer, about } = setUp()
    const set = settings.setMode('b')
    expect(request).toHaveBeenCalledWith(expect.any(String), 'session/set_mode', { sessionId: 's', modeId: 'b' })
    expect(about().modes).toMatchObject({ currentModeId: 'a' })
    answer(ok({ value: null, offset: 70 }))
    expect((await set).ok).toBe(true)
    expect(about().modes).toEqual({ availableModes: [1], currentModeId: 'b' })
    expect(settle).toHaveBeenCalledWith(70)
    expect(flush).toHaveBeenCalled()
  })

  it.each([
    ['x', { value: 'x' }],
    [true, { type: 'boolean', value: true }],
  ])('of an option (%j) goes out in the form of its type, and brings all options back', async (value, form) => {
    const { settings, request, answer, about } = setUp()
    const set = settings.setOption('model', value)
    expect(request.mock.calls[0]?.[2]).toEqual({ sessionId: 's', configId: 'model', ...form })
    answer(ok({ value: { configOptions: [{ id: 'model' }] }, offset: 1 }))
    await set
    expect(about().configOptions).toEqual([{ id: 'model' }])
  })

  it('the agent refuses changes nothing', async () => {
    const { settings, settle, answer, about } = setUp()
    const set = settings.setMode('b')
    answer(fail({ kind: 'unavailable', code: 'agent_refused', message: 'no', details: { offset: 9 } }))
    expect(await set).toMatchObject({ fault: { message: 'no' } })
    expect(about().modes).toMatchObject({ currentModeId: 'a' })
    expect(settle).toHaveBeenCalledWith(9)
  })

  it('the agent answers too late is refused, and its line still counts as read', async () => {
    const { settings, settle, answer } = setUp(0)
    expect(await settings.setMode('b')).toMatchObject({ fault: { code: 'agent_silent' } })
    expect(settle).not.toHaveBeenCalled()
    answer(ok({ value: {}, offset: 70 }))
    await vi.waitFor(() => expect(settle).toHaveBeenCalledWith(70))
  })
})

it('conversations are as the agent lists them', async () => {
  const { settings, answer } = setUp()
  const listed = settings.conversations('/w')
  answer(ok({ value: { sessions: [{ sessionId: 'x' }] }, offset: 1 }))
  expect(await listed).toEqual(ok([{ sessionId: 'x' }]))
})
