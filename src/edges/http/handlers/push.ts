import { api } from '../../../client/contract.ts'
import type { PushDeviceId } from '../../../domain/push/schema.ts'
import type { UserId } from '../../../domain/user/id.ts'
import { newId } from '../../../lib/id.ts'
import { fail, notFound, ok, type Failed, type Result } from '../../../lib/result.ts'
import { mount, type RouteDeps, type Web } from '../route.ts'
import { selfOf } from './people.ts'

/** Sends notifications; null if the configuration turns them off. */
export type PushService = {
  readonly publicKey: string
  refuses(endpoint: string, keys: { p256dh: string }): Failed | null
  test(userId: UserId, id: PushDeviceId): Promise<Result<{ delivered: boolean; error: string | null }>>
}

const off = fail({
  kind: 'unavailable',
  code: 'push_off',
  message: 'Notifications are turned off here.',
  hint: 'To turn them on, set enabled = true under [push] in config.toml.',
})

export function mountPush(web: Web, deps: RouteDeps, push: PushService | null): void {
  const { app } = deps

  mount(web, deps, api.pushKey, async (_input, call) => {
    const self = selfOf(call)
    if (!self.ok) return self
    return push ? ok({ publicKey: push.publicKey }) : off
  })

  mount(web, deps, api.listPushDevices, async (_input, { caller }) => {
    const devices = await app.read.pushDevices(caller.standing)
    return devices.ok ? ok({ devices: devices.value }) : devices
  })

  mount(web, deps, api.addPushDevice, async ({ body }, call) => {
    const self = selfOf(call)
    if (!self.ok) return self
    if (!push) return off
    const refused = push.refuses(body.endpoint, body.keys)
    if (refused) return refused
    const command = {
      type: 'push.add_device' as const,
      id: newId<PushDeviceId>(),
      userId: self.value,
      ...body,
      loginHash: call.caller.cookieHash,
    }
    const done = await app.dispatch(command, call.caller.actor, call.once)
    if (!done.ok) return done
    const found = await app.read.pushDevices(call.caller.standing, body.endpoint)
    if (!found.ok) return found
    const [device] = found.value
    return device ? ok(device) : notFound('push_device', done.value.subject)
  })

  mount(web, deps, api.removePushDevice, async ({ params }, call) => {
    const self = selfOf(call)
    if (!self.ok) return self
    const command = { type: 'push.remove_device' as const, id: params.id, userId: self.value, gone: false }
    const done = await app.dispatch(command, call.caller.actor, call.once)
    return done.ok ? ok({ id: params.id, removed: true as const }) : done
  })

  mount(web, deps, api.testPush, async ({ params }, call) => {
    const self = selfOf(call)
    if (!self.ok) return self
    if (!push) return off
    // Only someone who may remove the device may test it.
    const own = { type: 'push.remove_device' as const, id: params.id, userId: self.value, gone: false }
    const refused = await app.check(own, call.caller.actor)
    return refused && refused !== 'repeated' ? refused : push.test(self.value, params.id)
  })

  mount(web, deps, api.getNotificationSettings, (_input, { caller }) => app.read.notificationSettings(caller.standing))

  mount(web, deps, api.setNotificationSettings, async ({ body }, call) => {
    const self = selfOf(call)
    if (!self.ok) return self
    const command = { type: 'push.set_settings' as const, userId: self.value, settings: body }
    const done = await app.dispatch(command, call.caller.actor, call.once)
    return done.ok ? app.read.notificationSettings(call.caller.standing) : done
  })
}
