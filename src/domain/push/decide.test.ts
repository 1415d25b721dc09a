import { describe, expect, it } from 'vitest'
import { newId } from '../../lib/id.ts'
import type { UserId } from '../user/id.ts'
import { decidePush, mostDevices, type PushFacts } from './decide.ts'
import type { PushCommand, PushDeviceId } from './schema.ts'

const ann = newId<UserId>()
const bob = newId<UserId>()
const id = newId<PushDeviceId>()
const other = newId<PushDeviceId>()
const keys = { p256dh: `B${'A'.repeat(86)}`, auth: 'A'.repeat(22) }
const endpoint = 'https://push.example.org/send/abc'
const add: PushCommand = { type: 'push.add_device', id, userId: ann, name: 'Phone', endpoint, keys, loginHash: null }
const remove: PushCommand = { type: 'push.remove_device', id, userId: ann, gone: false }
const facts = (more: Partial<PushFacts> = {}): PushFacts => ({
  device: undefined,
  same: undefined,
  devices: 0,
  ...more,
})

describe('a device', () => {
  it('is added with its endpoint; the log has only the host of the service', () => {
    const decided = decidePush(facts(), add)
    expect(decided).toMatchObject({
      value: [{ type: 'push.device_added', data: { id, userId: ann, host: 'push.example.org' }, body: { endpoint } }],
    })
    expect(JSON.stringify(decided.ok && decided.value[0]?.data)).not.toContain('abc')
  })

  it('that subscribes again stays the same device, with its new keys', () => {
    expect(decidePush(facts({ same: { id: other, userId: ann } }), add)).toMatchObject({
      value: [{ type: 'push.device_renewed', data: { id: other }, body: { keys } }],
    })
  })

  it('where someone else signs in no longer gets notifications for the first person', () => {
    expect(decidePush(facts({ same: { id: other, userId: bob } }), add)).toMatchObject({
      value: [
        { type: 'push.device_removed', data: { id: other, userId: bob, gone: false } },
        { type: 'push.device_added', data: { id, userId: ann } },
      ],
    })
  })

  it('is refused if there are too many', () => {
    expect(decidePush(facts({ devices: mostDevices }), add)).toMatchObject({ fault: { code: 'too_many_devices' } })
  })

  it('is removed by its own person; others are told that it does not exist', () => {
    expect(decidePush(facts({ device: { id, userId: ann } }), remove)).toMatchObject({
      value: [{ type: 'push.device_removed', data: { id, userId: ann } }],
    })
    expect(decidePush(facts({ device: { id, userId: bob } }), remove)).toMatchObject({
      fault: { code: 'push_device_not_found' },
    })
    expect(decidePush(facts(), remove)).toMatchObject({ fault: { code: 'push_device_not_found' } })
  })
})
