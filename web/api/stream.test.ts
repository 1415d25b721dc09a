import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createStream, type StreamConnection } from './stream.ts'

type Asked = { url: string; signal: AbortSignal; answer: (response: Response) => void }

/** A page, visible or hidden, and a server that answers only when the test says so. */
function page({ hidden = false } = {}) {
  const asked: Asked[] = []
  const states: StreamConnection[] = []
  const heard = new Set<() => void>()
  const shown = { hidden, addEventListener: (_type: string, listener: () => void) => void heard.add(listener) }
  vi.stubGlobal('document', shown)
  vi.stubGlobal('window', { addEventListener: () => undefined })
  vi.stubGlobal('navigator', { onLine: true })
  vi.stubGlobal('fetch', (url: string, { signal }: { signal: AbortSignal }) => {
    const { promise, resolve, reject } = Promise.withResolvers<Response>()
    signal.addEventListener('abort', () => reject(signal.reason))
    asked.push({ url, signal, answer: resolve })
    return promise
  })
  const nothing = () => undefined
  let missed = 0
  const hooks = {
    events: nothing,
    live: nothing,
    missed: () => void (missed += 1),
    heardAs: nothing,
    connection: (state: StreamConnection) => void states.push(state),
  }
  const stream = createStream(hooks, (path, init) => fetch(path, init))
  const look = () => {
    shown.hidden = false
    for (const listener of heard) listener()
  }
  return { stream, asked, states, look, missed: () => missed }
}

/** Opens, and then sends nothing. */
const silence = ({ signal }: Asked) =>
  new Response(
    new ReadableStream({
      start: (controller) => signal.addEventListener('abort', () => controller.error(signal.reason)),
    }),
  )

const answer = (one: Asked | undefined) => one?.answer(silence(one))

describe('the stream of a page', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
    vi.unstubAllGlobals()
  })

  it('without a response is aborted, reported as lost, and retried', async () => {
    const { stream, asked, states } = page()
    stream.start()
    await vi.advanceTimersByTimeAsync(9_000)
    expect([asked.length, states.at(-1)]).toEqual([1, 'connecting'])
    await vi.advanceTimersByTimeAsync(2_000)
    expect(asked[0]?.signal.aborted).toBe(true)
    expect(asked).toHaveLength(2)
    expect(states).toContain('lost')
    answer(asked[1])
    await vi.advanceTimersByTimeAsync(0)
    expect(states.at(-1)).toBe('live')
  })

  it('with a response gets more time, as the server sends only now and then', async () => {
    const { stream, asked, states } = page()
    stream.start()
    answer(asked[0])
    await vi.advanceTimersByTimeAsync(30_000)
    expect([asked.length, states.at(-1)]).toEqual([1, 'live'])
    await vi.advanceTimersByTimeAsync(11_000)
    expect(asked.length).toBeGreaterThan(1)
    expect(states).toContain('lost')
  })

  it('is not opened in a hidden tab, but once it is visible', async () => {
    const { stream, asked, look, missed } = page({ hidden: true })
    stream.start()
    // What is shown is still read.
    await Promise.all([stream.opened, vi.advanceTimersByTimeAsync(5_000)])
    expect(asked).toHaveLength(0)
    look()
    answer(asked[0])
    await vi.advanceTimersByTimeAsync(0)
    expect([asked.length, missed()]).toEqual([1, 1])
  })

  it('that was replaced does not report a loss', async () => {
    const { stream, asked, states } = page()
    stream.start()
    stream.follow('s1')
    answer(asked[1])
    await vi.advanceTimersByTimeAsync(12_000)
    expect(asked[1]?.url).toContain('live=s1')
    expect(states).toEqual(['connecting', 'live'])
  })
})
