import type * as z from 'zod'

/** The data of each event a slice logs. Writes have these types; reads are validated against them. */
export type EventSchemas = Readonly<Record<string, z.ZodObject>>

export type DataOf<S extends EventSchemas> = { readonly [T in keyof S]: Readonly<z.output<S[T]>> }
