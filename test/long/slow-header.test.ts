import { describe, expect, it } from 'vitest'
import { get } from '../support/kill-harness-http.ts'
import { freshHome, startReady } from '../support/kill-harness-server.ts'
import { within } from '../support/until.ts'
import { open } from '../faults/raw.ts'

describe('a header that never ends', () => {
  it('is cut off within a minute, and others are served meanwhile', async () => {
    using home = freshHome()
    await using life = await startReady({ home: home.path })
    const { hostname, port } = new URL(await life.ready)
    const slow = Array.from({ length: 50 }, () => open({ host: hostname, port: Number(port) }))
    const closed = Promise.all(slow.map((socket) => new Promise((resolve) => socket.resume().on('close', resolve))))
    slow.forEach((socket) => socket.write('GET /healthz HTTP/1.1\r\nhost: localhost\r\nx-slow: '))
    const drip = setInterval(() => slow.forEach((socket) => socket.write('x')), 500)
    expect((await get(life.socketPath, '/api/me')).status).toBe(200)
    await within(closed, 'the end of the slow connections', 60).finally(() => clearInterval(drip))
    expect((await get(life.socketPath, '/api/me')).status).toBe(200)
  })
})
