import type { PushRecords } from '../../domain/push/records.ts'
import { countWaiting } from '../../domain/push/query.ts'
import { findDevice, findTarget, keepKeys, listAddressees, loadKeys, noteDevice } from '../../domain/push/store.ts'
import { isAdmin } from '../../domain/user/actor.ts'
import { loadStanding } from '../../domain/user/store.ts'
import type { Database } from '../../db/open.ts'

/** Records of push devices. */
export const pushRecords = ({ read, write }: Pick<Database, 'read' | 'write'>): PushRecords => ({
  keys: async (make, at) => (await loadKeys(read)) ?? keepKeys(write, await make(), at),
  addressees: (now) => listAddressees(read, now),
  target: (userId, id) => findTarget(read, userId, id),
  device: (id) => findDevice(read, id),
  async waitingFor(userId, adminsMayAnswer) {
    const standing = await loadStanding(read, { kind: 'person', userId, scope: 'full' })
    return countWaiting(read, { userId, admin: isAdmin(standing), adminsMayAnswer })
  },
  note: (id, error, at) => noteDevice(write, id, error, at),
})
