import type { Requester } from '../../app/use-cases/requester.ts'
import type { Hono } from 'hono'
import type * as z from 'zod'
import { changeOrAsk } from '../../app/administration/change-or-ask.ts'
import type { Requests } from '../../app/administration/requests.ts'
import type { App } from '../../app/app.ts'
import type { Command } from '../../app/command.ts'
import { authorizeAction } from '../../app/authorize-action.ts'
import type { Endpoint } from '../../client/endpoint.ts'
import { readBody } from '../../lib/http-body.ts'
import { newId } from '../../lib/id.ts'
import { canonicalJson } from '../../lib/json.ts'
import type { Logger } from '../../lib/log.ts'
import { fail, ok, type Fault, type Result, type Failed } from '../../lib/result.ts'
import { sha256 } from '../../lib/secret.ts'
import { apiCaller, type Authenticator, type Caller } from './auth.ts'
import { checkHost, checkOrigin, checkOwnPage, type GuardConfig } from './guard.ts'
import type { Attempts } from './attempts.ts'
import type { InFlight } from './in-flight.ts'
import { mostOpenResponses, type OpenResponses } from './open-responses.ts'
import { createCachedPages } from './cached-pages.ts'
import { queryCheck } from './check-query.ts'
import {
  bearerOf,
  validate,
  cookiesOf,
  keyHeader,
  keyOf,
  nulRefused,
  parseBody,
  type Bindings,
  type HttpContext,
} from './request.ts'
import { anyJson, failed, represented } from './respond.ts'

export type RouteDeps = {
  app: App
  auth: Authenticator
  guard: GuardConfig
  attempts: Attempts
  inFlight: InFlight
  openResponses: OpenResponses
  log: Logger
  bodyLimit: number
  cookieName(): string
  /** Commands of agents that administrators have to approve (C10). */
  administration: Requests
  observe(route: string, method: string, status: number, seconds: number): void
}

export type ApiCall = {
  readonly caller: Caller
  /** The caller's Idempotency-Key, and a fingerprint of the request. */
  readonly once: { readonly key?: string; readonly fingerprint?: string }
  /** Authenticates again, for requests that waited. */
  again(): Promise<Result<Caller>>
  readonly requestId: string
  readonly context: HttpContext
}

/** The caller, in the form that use cases take. */
export const callerOf = ({ caller: { actor, standing }, once }: ApiCall): Requester => ({ actor, standing, once })

/** Carries out a command, or asks administrators for it; stops waiting when the client leaves or the server stops. */
export const dispatchOrAsk = (deps: RouteDeps, command: Command, call: ApiCall) =>
  changeOrAsk(deps, command, callerOf(call), [call.context.req.raw.signal, deps.inFlight.stopping])

export type EndpointInput<E> =
  E extends Endpoint<infer P, infer Q, infer B> ? { params: z.output<P>; query: z.output<Q>; body: z.output<B> } : never
export type EndpointHandler<E> = (
  input: EndpointInput<E>,
  call: ApiCall,
) => Promise<Result<E extends Endpoint<z.ZodType, z.ZodType, z.ZodType, infer R> ? z.input<R> : never> | Response>

export type Web = Hono<{ Bindings: Bindings }>

export type MountOptions = {
  /** Answers depend on nothing but the database, the caller and the query, so they are cached until something is written. */
  readonly cached?: boolean
}

/** The same for every endpoint: guard, authenticate, validate, handle, respond. */
export function mount<E extends Endpoint>(
  web: Web,
  deps: RouteDeps,
  endpoint: E,
  handler: EndpointHandler<E>,
  { cached = false }: MountOptions = {},
): void {
  const path = endpoint.path.replace(/\{(\w+)\}/g, ':$1')
  const unsafe = endpoint.method !== 'GET'
  const idempotent = endpoint.method === 'POST'
  const checkQuery = queryCheck(endpoint)
  const pages = cached ? createCachedPages(deps.app.version) : null

  async function handle(context: HttpContext, requestId: string): Promise<Response> {
    const caller = await admitToApi(context, deps, unsafe)
    if (!caller.ok) return failed(caller.fault, requestId)
    const full = deps.openResponses.take(caller.value, context.env.outgoing, mostOpenResponses)
    if (full) return failed(full.fault, requestId)
    const input = await inputOf(endpoint, checkQuery, context, deps.bodyLimit)
    if (!input.ok) return failed(input.fault, requestId)
    const key = idempotent ? context.req.header('idempotency-key') : undefined
    if (key !== undefined && !/^[\x21-\x7e]{1,200}$/.test(key)) return failed(badKey, requestId)
    const call: ApiCall = {
      caller: caller.value,
      once: key === undefined ? {} : { key, fingerprint: fingerprintOf(endpoint, input.value) },
      again: () => admitToApi(context, deps, unsafe),
      requestId,
      context,
    }
    const answer = () => handler(input.value as EndpointInput<E>, call)
    const result = pages ? await pages(caller.value.standing, input.value, answer) : await answer()
    // Not instanceof: the server replaces the class Response.
    if ('headers' in result) return result
    if (!result.ok) return failed(result.fault, requestId)
    const headers = { 'x-request-id': requestId }
    if (endpoint.method !== 'GET') return anyJson(result.value, endpoint.status, headers)
    const header = (name: string) => context.req.header(name)
    return represented(result.value, headers, {
      acceptEncoding: header('accept-encoding'),
      ifNoneMatch: header('if-none-match'),
    })
  }

  web.on(endpoint.method, path, async (context) => {
    const started = performance.now()
    const requestId = newId<string>()
    const response = await deps.inFlight.run(requestId, () => handle(context, requestId))
    deps.observe(endpoint.path, endpoint.method, response.status, (performance.now() - started) / 1000)
    return response
  })
}

const fingerprintOf = (endpoint: Endpoint, input: unknown): string =>
  sha256(canonicalJson({ method: endpoint.method, path: endpoint.path, input }))

export async function admit(context: HttpContext, deps: RouteDeps, unsafe: boolean): Promise<Result<Caller>> {
  const header = (name: string) => context.req.header(name)
  const { listener } = context.env
  if (listener !== 'socket') {
    const host = header('host')
    const refused = checkHost(deps.guard, host) ?? checkOrigin(deps.guard, host, header('origin'))
    if (refused) return refused
  }
  const bearer = bearerOf(header('authorization'))
  const cookies = bearer === null && listener !== 'gate' ? cookiesOf(header('cookie'), deps.cookieName()) : []
  const caller = await deps.auth.authenticate({ listener, bearer, cookies, key: keyOf(header(keyHeader)) })
  if (!caller.ok) {
    if (bearer === null) return caller
    return deps.attempts.failed(deps.attempts.addressOf(context)) ?? caller
  }
  if (unsafe && caller.value.via === 'cookie') {
    const refused = checkOwnPage(header('origin'), header('sec-fetch-site'))
    if (refused) return refused
  }
  return caller
}

/** As `admit`, and as whom an agent uses the API (C10). */
async function admitToApi(context: HttpContext, deps: RouteDeps, unsafe: boolean): Promise<Result<Caller>> {
  const caller = await admit(context, deps, unsafe)
  return caller.ok ? apiCaller(caller.value, !unsafe) : caller
}

async function inputOf(
  endpoint: Endpoint,
  checkQuery: ReturnType<typeof queryCheck>,
  context: HttpContext,
  bodyLimit: number,
): Promise<Result<unknown>> {
  if (context.req.url.includes('%00')) return nulRefused('address')
  const params = endpoint.params ? validate(endpoint.params, context.req.param(), 'path') : ok(undefined)
  if (!params.ok) return params
  const query = checkQuery(context)
  if (!query.ok) return query
  if (!endpoint.body) return ok({ params: params.value, query: query.value, body: undefined })
  const text = await readBody(context.req.raw, bodyLimit)
  if (!text.ok) return text
  const type = context.req.header('content-type')
  if (text.value !== '' && !/^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(type ?? '')) return fail(notJson)
  const parsed = parseBody(text.value)
  if (!parsed.ok) return parsed
  const body = validate(endpoint.body, parsed.value, 'body')
  return body.ok ? ok({ params: params.value, query: query.value, body: body.value }) : body
}

const badKey: Fault = {
  kind: 'invalid',
  code: 'bad_idempotency_key',
  message: 'An Idempotency-Key is 1 to 200 visible ASCII characters.',
}

export const notJson: Fault = {
  kind: 'invalid',
  code: 'unsupported_media_type',
  message: 'The body must be JSON.',
  hint: 'Send it with content-type: application/json.',
}

/** What agents use: our MCP server, and the API as far as they may. No pages or logins. */
const forAgents = /^\/(mcp|sse|messages|api\/.+)$/

/** The listener for agents with their own network accepts only agents' tokens. */
export function guardGate(web: Web, deps: RouteDeps): void {
  web.use('*', async (context, next) => {
    const refused = context.env.listener === 'gate' ? await gateRefusal(context, deps) : null
    return refused ? failed(refused.fault, newId()) : next()
  })
}

async function gateRefusal(context: HttpContext, deps: RouteDeps): Promise<Failed | null> {
  const { req } = context
  const host = req.header('host')
  const foreign = checkHost(deps.guard, host) ?? checkOrigin(deps.guard, host, req.header('origin'))
  if (foreign) return foreign
  if (!forAgents.test(req.path)) return notHere(req.path)
  const bearer = bearerOf(req.header('authorization'))
  const caller = await deps.auth.authenticate({ listener: 'gate', bearer, cookies: [], key: null })
  if (!caller.ok) return caller
  return authorizeAction(caller.value.actor, 'gate.enter')
}

const notHere = (path: string) =>
  fail({ kind: 'not_found', code: 'no_such_address', message: `Not found for agents: ${path}.` })
