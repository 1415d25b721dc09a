import { fail, notFound, ok, type Result } from '../../lib/result.ts'
import type { UserId } from '../user/id.ts'
import type { PushChange, PushCommand, PushDeviceId } from './schema.ts'

export type PushFacts = {
  /** The device the command names. */
  device: { id: PushDeviceId; userId: UserId } | undefined
  /** The device with the same endpoint: the same browser. */
  same: { id: PushDeviceId; userId: UserId } | undefined
  /** How many devices the person has. */
  devices: number
}

export const mostDevices = 200

export function decidePush(facts: PushFacts, command: PushCommand): Result<PushChange[]> {
  switch (command.type) {
    case 'push.add_device':
      return addDevice(facts, command)
    case 'push.remove_device': {
      const { id, userId, gone } = command
      if (facts.device?.userId !== userId) return notFound('push_device', id)
      return ok([{ type: 'push.device_removed', data: { id, userId, gone } }])
    }
    case 'push.set_settings':
      return ok([{ type: 'push.settings_changed', data: { userId: command.userId }, body: command.settings }])
    default:
      return command satisfies never
  }
}

type AddDevice = Extract<PushCommand, { type: 'push.add_device' }>

function addDevice({ device, same, devices }: PushFacts, command: AddDevice): Result<PushChange[]> {
  const { id, userId, name, endpoint, keys, loginHash } = command
  if (same?.userId === userId)
    return ok([{ type: 'push.device_renewed', data: { id: same.id, userId }, body: { name, keys, loginHash } }])
  if (device) return fail({ kind: 'conflict', code: 'push_device_exists', message: `Device ${id} already exists.` })
  if (devices >= mostDevices)
    return fail({
      kind: 'limited',
      code: 'too_many_devices',
      message: `You have ${devices} devices, which is the maximum.`,
      hint: 'Remove those you no longer use, under Settings → Notifications.',
    })
  const { host } = new URL(endpoint)
  // Someone else signed in on this browser: it must not show the first person's notifications any more.
  const before: PushChange[] = same ? [{ type: 'push.device_removed', data: { ...same, gone: false } }] : []
  return ok([
    ...before,
    { type: 'push.device_added', data: { id, userId, host }, body: { name, endpoint, keys, loginHash } },
  ])
}
