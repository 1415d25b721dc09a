import { describe, expect, it } from 'vitest'
import { createSseWriter } from './sse-writer.ts'

const megabyte = 'x'.repeat(1024 * 1024)

describe('an SSE writer', () => {
  it('ends for a slow reader, reports it once, and buffers no more than its limit', async () => {
    let gone = 0
    const outlet = createSseWriter(() => (gone += 1))
    for (let sent = 0; sent < 20; sent += 1) outlet.write(megabyte)
    expect([outlet.open, gone]).toEqual([false, 1])
    expect((await new Response(outlet.body).arrayBuffer()).byteLength / megabyte.length).toBe(9)
  })

  it('accepts one message of any size', () => {
    const outlet = createSseWriter(() => {})
    outlet.write(megabyte.repeat(20))
    expect(outlet.open).toBe(true)
  })

  it('notices a reader that left before it started reading', async () => {
    const gone: string[] = []
    const early = new AbortController()
    early.abort()
    const outlets = [early, new AbortController()].map(({ signal }) => createSseWriter(() => gone.push('gone'), signal))
    await Promise.resolve()
    expect(outlets.map(({ open }) => open)).toEqual([false, true])
    expect(gone).toEqual(['gone'])
  })

  it('delivers everything to a reader that reads to the end', async () => {
    const outlet = createSseWriter(() => {})
    outlet.write('a')
    outlet.write('b')
    outlet.end()
    outlet.write('c')
    expect(await new Response(outlet.body).text()).toBe('ab')
  })

  it('knows when its reader goes', async () => {
    let gone = 0
    const outlet = createSseWriter(() => (gone += 1))
    await outlet.body.cancel()
    outlet.end()
    expect([outlet.open, gone]).toEqual([false, 1])
  })
})
