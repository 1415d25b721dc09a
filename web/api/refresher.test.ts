import { afterEach, describe, expect, it, vi } from 'vitest'
import { createRefresher } from './refresher.ts'

const settled = () => vi.advanceTimersByTimeAsync(250)

describe('reading stale queries again', () => {
  afterEach(() => vi.useRealTimers())

  function open() {
    vi.useFakeTimers()
    const begun: { name: string; end: (error?: Error) => void }[] = []
    const refresh = createRefresher(
      (key) =>
        new Promise<void>((resolve, reject) => {
          begun.push({ name: key.join(' '), end: (error) => (error ? reject(error) : resolve()) })
        }),
    )
    return { refresh, begun, names: () => begun.map(({ name }) => name) }
  }

  it('is not restarted by events during it, and repeated after it', async () => {
    const { refresh, begun, names } = open()
    refresh(['sessions'])
    for (let event = 0; event < 5; event++) refresh(['sessions'])
    await settled()
    expect(names()).toEqual(['sessions'])
    begun[0]?.end()
    await settled()
    expect(names()).toEqual(['sessions', 'sessions'])
    begun[1]?.end()
    await settled()
    expect(names()).toHaveLength(2)
    refresh(['sessions'])
    expect(names()).toHaveLength(3)
  })

  it('continues with other keys meanwhile', () => {
    const { refresh, names } = open()
    refresh(['session', 'a'])
    refresh(['session', 'b'])
    refresh(['session', 'a'])
    expect(names()).toEqual(['session a', 'session b'])
  })

  it('continues if a read fails or hangs', async () => {
    const { refresh, begun, names } = open()
    refresh(['inbox'])
    refresh(['inbox'])
    begun[0]?.end(new Error('no connection'))
    await settled()
    expect(names()).toHaveLength(2)
    refresh(['inbox'])
    await vi.advanceTimersByTimeAsync(15_000)
    expect(names()).toHaveLength(3)
  })
})
