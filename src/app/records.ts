import type { ConnectionRecords } from '../domain/connection/records.ts'
import {
  appendEvents,
  closeConnection,
  eventsFrom,
  findConnection,
  forgetConnections,
  moveConnection,
  noteContact,
  openConnection,
  openConnectionsOf,
  touchConnections,
} from '../domain/connection/store.ts'
import type { Database } from '../db/open.ts'
import type { PushRecords } from '../domain/push/records.ts'
import { countWaiting } from '../domain/push/query.ts'
import { findDevice, findTarget, keepKeys, listAddressees, loadKeys, noteDevice } from '../domain/push/store.ts'
import { isAdmin } from '../domain/user/actor.ts'
import { loadStanding } from '../domain/user/store.ts'

/** Records of MCP clients. */
export const connectionRecords = ({ read, write }: Database): ConnectionRecords => ({
  open: (connection) => openConnection(write, connection),
  touch: (ids, at) => touchConnections(write, ids, at),
  close: (id, at) => closeConnection(write, id, at),
  move: (id, sessionId) => moveConnection(write, id, sessionId),
  find: (id) => findConnection(read, id),
  openOf: (sessionId) => openConnectionsOf(read, sessionId),
  noteContact: (sessions, node, at) => noteContact(write, sessions, node, at),
  appendEvents: (events, answered) => write.transaction().execute((tx) => appendEvents(tx, events, answered)),
  eventsFrom: (stream, seq) => eventsFrom(read, stream, seq),
  forgetBefore: (at) => write.transaction().execute((tx) => forgetConnections(tx, at)),
})

/** Records of push devices. */
export const pushRecords = ({ read, write }: Pick<Database, 'read' | 'write'>): PushRecords => ({
  keys: async (make, at) => (await loadKeys(read)) ?? keepKeys(write, await make(), at),
  addressees: (now) => listAddressees(read, now),
  target: (userId, id) => findTarget(read, userId, id),
  device: (id) => findDevice(read, id),
  async waitingFor(userId, rules) {
    const standing = await loadStanding(read, { kind: 'person', userId, scope: 'full' })
    return countWaiting(read, { userId, admin: isAdmin(standing), ...rules })
  },
  note: (id, error, at) => noteDevice(write, id, error, at),
})
