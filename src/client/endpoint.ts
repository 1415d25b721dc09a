import type * as z from 'zod'

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

export const endpoint = <
  P extends z.ZodType = z.ZodType<undefined, undefined>,
  Q extends z.ZodType = z.ZodType<undefined, undefined>,
  B extends z.ZodType = z.ZodType<undefined, undefined>,
  R extends z.ZodType = z.ZodType,
>(
  definition: Endpoint<P, Q, B, R>,
): Endpoint<P, Q, B, R> => definition
