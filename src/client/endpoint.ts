import type * as z from 'zod'
import { once, type OnDemand } from '../lib/lazy.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** One endpoint of the API as data: used for server checks, the OpenAPI document and the types of the client. */
export type Endpoint<
  P extends z.ZodType = z.ZodType,
  Q extends z.ZodType = z.ZodType,
  B extends z.ZodType = z.ZodType,
  R extends z.ZodType = z.ZodType,
> = {
  readonly method: Method
  /** `/api/sessions/{id}` */
  readonly path: string
  readonly tag: string
  readonly summary: string
  readonly status: 200 | 201 | 202
  readonly params?: P
  readonly query?: Q
  readonly body?: B
  readonly response: R
}

const schemaParts = ['params', 'query', 'body', 'response'] as const

/** Schemas given as functions are made when a request first needs them: making all of them would take long at each start. */
export function endpoint<
  P extends z.ZodType = z.ZodType<undefined, undefined>,
  Q extends z.ZodType = z.ZodType<undefined, undefined>,
  B extends z.ZodType = z.ZodType<undefined, undefined>,
  R extends z.ZodType = z.ZodType,
>(
  definition: Omit<Endpoint, (typeof schemaParts)[number]> & {
    readonly params?: OnDemand<P>
    readonly query?: OnDemand<Q>
    readonly body?: OnDemand<B>
    readonly response: OnDemand<R>
  },
): Endpoint<P, Q, B, R> {
  const made: Record<string, unknown> = { ...definition }
  for (const part of schemaParts) {
    const make = definition[part]
    if (typeof make === 'function') Object.defineProperty(made, part, { enumerable: true, get: once<z.ZodType>(make) })
  }
  return made as Endpoint<P, Q, B, R>
}
