import { expect, it } from 'vitest'
import { openPushService } from '../support/push-service.ts'
import { startServer } from '../support/server.ts'
import { newMachineUser, newPerson } from './people.ts'
import { over, type Schedule } from './schedules-harness.ts'

const config = [
  '[push]\nallow_private_endpoints = true\nsubject = "mailto:ops@example.org"\n',
  '[agents.nowhere]\ncommand = "no-such-program-anywhere"\nisolation = "none"\n',
].join('\n')

it('C8 a failed run is a notification for its creator, and for nobody else', async () => {
  await using service = await openPushService()
  await using server = await startServer({ config })
  const ann = await newMachineUser(server, 'Ann')
  const bob = await newPerson(server, 'Bob')
  const [hers, his] = [service.browser('Phone'), service.browser('Desk')]
  await ann.api.post('/api/push/devices', hers.subscription)
  await bob.api.post('/api/push/devices', his.subscription)
  const body = { name: 'Nightly', prompt: 'Look', every: '1h', agent: 'nowhere', workspaceRoot: server.outside }
  const made = await ann.api.post<Schedule>('/api/schedules', body)
  await ann.api.post(`/api/schedules/${made.id}/run`)
  const { payload } = await hers.first(({ tag }) => tag === `schedule:${made.id}`)
  expect(payload).toMatchObject({
    type: 'needs_you',
    title: 'Schedule failed: Nightly',
    url: `/schedules/${made.id}`,
  })
  const [run] = await over(ann.api, made, 1)
  expect([run?.status, payload['body']]).toEqual(['failed', expect.stringContaining(run?.reason?.slice(0, 30) ?? '?')])
  expect(his.received).toEqual([])
})
