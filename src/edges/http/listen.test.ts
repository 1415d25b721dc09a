import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { until } from '../../../test/support/until.ts'
import { listenTcp } from './listen.ts'

it('cuts off a header that never ends, and serves others meanwhile', async () => {
  const patience = { headers: 200, request: 400, look: 20 }
  const options = { host: '127.0.0.1', port: 0, anyPort: false, tls: null, patience }
  const listening = await listenTcp(options, (_request, response) => response.end('here'))
  if (!listening.ok) throw new Error(listening.fault.message)
  await using server = listening.value
  const slow = connect(server.port, '127.0.0.1').on('error', () => {})
  await once(slow, 'connect')
  let isClosed = false
  slow.resume().on('close', () => (isClosed = true))
  slow.write('GET / HTTP/1.1\r\nhost: localhost\r\nx-slow: ')
  const drip = setInterval(() => slow.write('x'), 20)
  let served = 0
  const asking = async () => {
    served += (await fetch(`http://127.0.0.1:${server.port}/`)).ok ? 1 : 0
    return isClosed
  }
  await until(asking, { what: 'the end of the slow connection', seconds: 5 }).finally(() => clearInterval(drip))
  expect(served).toBeGreaterThan(0)
})
