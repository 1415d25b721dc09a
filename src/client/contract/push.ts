import * as z from 'zod'
import {
  DeviceKeys,
  DeviceName,
  Endpoint,
  NotificationSettings,
  PushDevice,
  PushDeviceId,
} from '../../domain/push/schema.ts'
import { endpoint } from '../endpoint.ts'

const ById = z.object({ id: PushDeviceId })

export const pushEndpoints = {
  pushKey: endpoint({
    method: 'GET',
    path: '/api/push/key',
    tag: 'notifications',
    summary: 'The key a browser subscribes to notifications with',
    status: 200,
    response: () => z.object({ publicKey: z.string().meta({ description: 'P-256, uncompressed, in base64url.' }) }),
  }),
  listPushDevices: endpoint({
    method: 'GET',
    path: '/api/push/devices',
    tag: 'notifications',
    summary: 'Your browsers that get notifications, oldest first',
    status: 200,
    response: () => z.object({ devices: z.array(PushDevice) }),
  }),
  addPushDevice: endpoint({
    method: 'POST',
    path: '/api/push/devices',
    tag: 'notifications',
    summary: 'Send notifications to a browser; the same endpoint again is the same device',
    status: 201,
    body: () => z.strictObject({ endpoint: Endpoint, keys: DeviceKeys, name: DeviceName }),
    response: PushDevice,
  }),
  removePushDevice: endpoint({
    method: 'DELETE',
    path: '/api/push/devices/{id}',
    tag: 'notifications',
    summary: 'Stop sending notifications to a browser',
    status: 200,
    params: ById,
    response: () => z.object({ id: PushDeviceId, removed: z.literal(true) }),
  }),
  testPush: endpoint({
    method: 'POST',
    path: '/api/push/devices/{id}/test',
    tag: 'notifications',
    summary: 'Send a test notification to a browser, and report what its push service answered',
    status: 200,
    params: ById,
    body: () => z.strictObject({}),
    response: () =>
      z.object({
        delivered: z.boolean().meta({ description: 'Whether the push service accepted it.' }),
        error: z.string().nullable(),
      }),
  }),
  getNotificationSettings: endpoint({
    method: 'GET',
    path: '/api/push/settings',
    tag: 'notifications',
    summary: 'What you are notified about, and your quiet hours',
    status: 200,
    response: NotificationSettings,
  }),
  setNotificationSettings: endpoint({
    method: 'PUT',
    path: '/api/push/settings',
    tag: 'notifications',
    summary: 'Set what you are notified about, and your quiet hours',
    status: 200,
    body: NotificationSettings,
    response: NotificationSettings,
  }),
}
