import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createCallHold } from './hold.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const untilAborted = (signal: AbortSignal): Promise<null> =>
  signal.aborted
    ? Promise.resolve(null)
    : new Promise((done) => {
        signal.addEventListener('abort', () => done(null))
      })

const resumedLater = () => new Promise<string>((done) => void setTimeout(done, 45_000, 'resumed'))

function setUp(progress: ((count: number, message: string) => Promise<void>) | null = null) {
  const gone = new AbortController()
  return { gone, holding: createCallHold({ progress, holdMs: 50_000, gone: gone.signal }) }
}

/** Whether and when it ended. */
function watch(held: Promise<unknown>): { readonly over: boolean } {
  const seen = { over: false }
  void held.then(() => (seen.over = true))
  return seen
}

describe('a call that is held', () => {
  it('has one time limit for everything it waits for', async () => {
    const { holding } = setUp()
    const paused = holding.hold('paused', resumedLater)
    await vi.advanceTimersByTimeAsync(45_000)
    expect(await paused).toBe('resumed')
    const asked = watch(holding.hold('asked', untilAborted))
    await vi.advanceTimersByTimeAsync(4999)
    expect(asked.over).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(asked.over).toBe(true)
  })

  it('gives up at once if its time is over', async () => {
    const { holding } = setUp()
    await vi.advanceTimersByTimeAsync(50_000)
    expect(await holding.hold('asked', untilAborted)).toBeNull()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('waits as long as it takes if its caller gets progress', async () => {
    const told: [number, string][] = []
    const { holding, gone } = setUp(async (count, message) => void told.push([count, message]))
    const held = watch(holding.hold('asked', untilAborted))
    await vi.advanceTimersByTimeAsync(60_000)
    expect(held.over).toBe(false)
    expect(told.at(-1)).toEqual([13, 'asked'])
    gone.abort()
    await vi.advanceTimersByTimeAsync(0)
    expect(held.over).toBe(true)
    expect(vi.getTimerCount()).toBe(0)
  })
})
