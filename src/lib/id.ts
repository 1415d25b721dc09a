import { randomUUID, randomUUIDv7 } from 'node:crypto'
import * as z from 'zod'

/** A schema for one entity's ids. The brand keeps a session id from going where an ask id belongs. */
export const idOf = <B extends string>(_brand: B) => z.uuid().toLowerCase().brand<B>()

/** Time-ordered, for everything but sessions and input events. */
export const newId = <T extends string>(): T => randomUUIDv7() as T

/** Random, for ids that must not tell when they were made. */
export const newRandomId = <T extends string>(): T => randomUUID() as T
