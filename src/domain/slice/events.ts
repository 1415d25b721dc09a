import type * as z from 'zod'
import type { OnDemand } from '../../lib/lazy.ts'

/**
 * The data of each event a slice logs. Writes have these types; reads are validated against them. Given as functions, so
 * that a start makes none of them.
 */
export type EventSchemas = Readonly<Record<string, OnDemand<z.ZodObject>>>

type SchemaOf<S> = S extends () => infer Z ? Z : S

export type DataOf<S extends EventSchemas> = { readonly [T in keyof S]: Readonly<z.output<SchemaOf<S[T]>>> }
