import type { NewSend, PushRecords } from '../../domain/push/records.ts'
import { countWaiting } from '../../domain/push/query.ts'
import {
  addSends,
  dueSends,
  findTarget,
  forgetSends,
  keepKeys,
  listAddressees,
  loadKeys,
  nextSendAt,
  noteDevice,
  releaseTaken,
  settleSend,
  takeSend,
  toldDevices,
} from '../../domain/push/store-sends.ts'
import { isAdmin } from '../../domain/user/actor.ts'
import { loadStanding } from '../../domain/user/store.ts'
import type { Guard } from '../../db/leases.ts'
import type { Database } from '../../db/open.ts'

/** With the lease under which messages are added. */
export type GuardedPushRecords = Omit<PushRecords, 'add'> & {
  add(sends: readonly NewSend[], guard?: Guard): Promise<void>
}

/** What the push edge keeps of its messages, in the database of the app. */
export const pushRecords = ({ read, write }: Pick<Database, 'read' | 'write'>): GuardedPushRecords => ({
  keys: async (make, at) => (await loadKeys(read)) ?? keepKeys(write, await make(), at),
  addressees: (now) => listAddressees(read, now),
  target: (userId, id) => findTarget(read, userId, id),
  async add(sends, guard) {
    if (sends.length === 0) return
    await write.transaction().execute(async (tx) => {
      await guard?.(tx)
      await addSends(tx, sends)
    })
  },
  told: (kind, about) => toldDevices(read, kind, about),
  due: (now, except) => dueSends(read, now, except),
  nextAt: () => nextSendAt(read),
  take: (id, node, now, until) => takeSend(write, id, node, now, until),
  settle: ({ id, deviceId }, settled, at) =>
    write.transaction().execute(async (tx) => {
      await settleSend(tx, id, settled, at)
      if (settled.status !== 'dropped') await noteDevice(tx, deviceId, 'error' in settled ? settled.error : null, at)
    }),
  releaseTaken: (node) => releaseTaken(write, node),
  async waitingFor(userId, adminsMayAnswer) {
    const standing = await loadStanding(read, { kind: 'person', userId, scope: 'full' })
    return countWaiting(read, { userId, admin: isAdmin(standing), adminsMayAnswer })
  },
  forgetBefore: (at) => forgetSends(write, at),
  note: (id, error, at) => noteDevice(write, id, error, at),
})
