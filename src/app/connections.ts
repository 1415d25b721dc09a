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
