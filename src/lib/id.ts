import * as crypto from 'node:crypto'
import * as z from 'zod'

/** A schema for one entity's ids. The brand prevents passing a session id as an ask id. */
export const idOf = <B extends string>(_brand: B) => z.uuid().toLowerCase().brand<B>()

/** Node 22 has none. As with Node's, ids of the same millisecond are in no order. */
export function ownUuidV7(now = Date.now()): string {
  const bytes = crypto.randomBytes(16)
  bytes.writeUIntBE(now, 0, 6)
  bytes[6] = 0x70 | ((bytes[6] ?? 0) & 0x0f)
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

const uuidV7: () => string = 'randomUUIDv7' in crypto ? crypto.randomUUIDv7 : ownUuidV7

/** Time-ordered, for everything but sessions and input events. */
export const newId = <T extends string>(): T => uuidV7() as T

/** Random, for ids that must not reveal when they were created. */
export const newRandomId = <T extends string>(): T => crypto.randomUUID() as T
