import type * as z from 'zod'

/** The data of each event that a slice logs. What is written has these types; what is read is checked against them. */
export type EventSchemas = Readonly<Record<string, z.ZodObject>>

export type DataOf<S extends EventSchemas> = { readonly [T in keyof S]: Readonly<z.output<S[T]>> }
