import { randomUUID, randomUUIDv7 } from 'node:crypto'
import * as z from 'zod'

/** A schema for one entity's ids. The brand prevents passing a session id as an ask id. */
export const idOf = <B extends string>(_brand: B) => z.uuid().toLowerCase().brand<B>()

/** Time-ordered, for everything but sessions and input events. */
export const newId = <T extends string>(): T => randomUUIDv7() as T

/** Random, for ids that must not reveal when they were created. */
export const newRandomId = <T extends string>(): T => randomUUID() as T
