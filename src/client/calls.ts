import type * as z from 'zod'
import type { Api } from './contract.ts'
import type { Endpoint } from './endpoint.ts'
import { anyJson, isRecord, jsonOrNull, ownJson } from '../lib/parse-json.ts'

/** How a request is sent: fetch in a browser, a Unix socket on the command line. */
export type Transport = (request: TransportRequest) => Promise<TransportResponse>
export type TransportRequest = {
  method: string
  /** Path with query. */
  path: string
  headers: Readonly<Record<string, string>>
  body: string | null
  signal?: AbortSignal | undefined
}
export type TransportResponse = { status: number; headers: Readonly<Record<string, string>>; text(): Promise<string> }

export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly hint: string | undefined
  readonly details: Readonly<Record<string, unknown>> | undefined
  readonly requestId: string | undefined
  constructor(status: number, error: ErrorFields, requestId?: string) {
    super(error.message)
    this.name = 'ApiError'
    this.status = status
    this.code = error.code
    this.hint = error.hint
    this.details = error.details
    this.requestId = requestId
  }
}

type CallPart<K extends string, S> = [S] extends [undefined] ? unknown : { [N in K]: S }
type OptionalPart<K extends string, S> = [S] extends [undefined] ? unknown : { [N in K]?: S }
type Input<E> =
  E extends Endpoint<infer P, infer Q, infer B>
    ? CallPart<'params', z.input<P>> & OptionalPart<'query', z.input<Q>> & CallPart<'body', z.input<B>>
    : never
type CallOptions = { idempotencyKey?: string; signal?: AbortSignal }
type CallOutput<E> = E extends Endpoint<z.ZodType, z.ZodType, z.ZodType, infer R> ? z.output<R> : never

export type Client = { readonly [N in keyof Api]: (input: Input<Api[N]> & CallOptions) => Promise<CallOutput<Api[N]>> }

/** The part of an endpoint that a call needs. */
export type Route = { readonly method: string; readonly path: string; readonly body?: unknown }

/** Builds the client from a table of endpoints: the contract itself, or the small part a browser needs. */
export function createCalls(
  routes: Readonly<Record<keyof Api, Route>>,
  transport: Transport,
  defaults: { headers?: Readonly<Record<string, string>> } = {},
): Client {
  const call = async (endpoint: Route, input: CallInput): Promise<unknown> => {
    const headers: Record<string, string> = { accept: 'application/json', ...defaults.headers }
    if (endpoint.body) headers['content-type'] = 'application/json'
    if (input.idempotencyKey !== undefined) headers['idempotency-key'] = input.idempotencyKey
    const body = endpoint.body ? JSON.stringify(input.body ?? {}) : null
    const request = { method: endpoint.method, path: pathOf(endpoint, input), headers, body, signal: input.signal }
    const response = await transport(request)
    const text = await response.text()
    if (response.status >= 400) throw errorOf(response, text)
    return response.headers['content-type']?.includes('json') && !response.headers['content-type'].includes('ndjson')
      ? ownJson(text, 'The answer of the server', anyJson)
      : text
  }
  const methods = Object.entries(routes).map(([name, endpoint]) => [
    name,
    (input: CallInput = {}) => call(endpoint, input),
  ])
  return Object.fromEntries(methods) as Client
}

type CallInput = CallOptions & {
  params?: Readonly<Record<string, unknown>>
  query?: Readonly<Record<string, string | number | boolean | undefined>>
  body?: unknown
}

export function pathOf(endpoint: Pick<Endpoint, 'path'>, input: Pick<CallInput, 'params' | 'query'>): string {
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_whole, name: string) =>
    encodeURIComponent(String(input.params?.[name])),
  )
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(input.query ?? {})) if (value !== undefined) query.set(name, String(value))
  const text = query.toString()
  return text === '' ? path : `${path}?${text}`
}

type ErrorFields = { code: string; message: string; hint?: string; details?: Record<string, unknown> }

const isErrorBody = (value: unknown): value is { error: ErrorFields } => {
  const error = isRecord(value) ? value['error'] : null
  return isRecord(error) && typeof error['code'] === 'string' && typeof error['message'] === 'string'
}

/** The error that the API answers with; null if the text is something else. */
export const errorIn = (text: string): ErrorFields | null => jsonOrNull(text, isErrorBody)?.error ?? null

function errorOf({ status, headers }: TransportResponse, text: string): ApiError {
  const message = `The response to ${status} is not from Signalbox.`
  return new ApiError(status, errorIn(text) ?? { code: 'unexpected_answer', message }, headers['x-request-id'])
}
