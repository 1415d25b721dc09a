import { connect } from 'node:net'
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { escaped } from './loopback-guard.ts'

it('refuses a connection to another machine, by fetch and by socket', async () => {
  const before = escaped.length
  await expect(fetch('https://198.51.100.1/api/auth.test')).rejects.toMatchObject({ cause: { code: 'ENOTLOOPBACK' } })
  const socket = connect({ host: 'slack.com', port: 443 })
  const [error] = (await once(socket, 'error')) as [Error]
  expect(error.message).toBe('not on loopback: slack.com')
  // Others share the list and expect it to be empty.
  expect(escaped.splice(before)).toEqual(['198.51.100.1', 'slack.com'])
})
