import * as z from 'zod'
import { jsonOrNull } from '../../../lib/parse-json.ts'
import type { Failure } from '../adapter.ts'
import { failureOfError, largerThan, readBounded } from '../http-call.ts'
import { failureOf, failureOfStatus } from './errors.ts'

/** Longer than Slack takes, shorter than the claim of an outbox item. */
const callMs = 15_000
/** Files may be large. */
const fileMs = 120_000
/** A page of 200 messages with blocks is far below. */
const mostAnswerBytes = 10_000_000

const Envelope = z.looseObject({ ok: z.boolean(), error: z.string().optional(), needed: z.string().optional() })

export type Answered<T> = { readonly kind: 'answered'; readonly value: T; readonly scopes: readonly string[] | null }

/** Calls Slack's Web API once: no retries, every failure as a value. */
export type WebApi = {
  /** Some older methods take no JSON: their arguments are `URLSearchParams`. */
  call<T>(method: string, args: object, schema: z.ZodType<T>, stop: AbortSignal): Promise<Answered<T> | Failure>
  /** Bytes from or to one of Slack's file addresses. */
  download(url: string, mostBytes: number, stop: AbortSignal): Promise<{ kind: 'file'; bytes: Buffer } | Failure>
  upload(url: string, bytes: Buffer, stop: AbortSignal): Promise<{ kind: 'uploaded' } | Failure>
  /** Answers a command or click at the address that came with it. */
  respond(url: string, body: object, stop: AbortSignal): Promise<{ kind: 'responded' } | Failure>
}

/**
 * Addresses that come in Slack's answers get our token or our files. Only Slack's own hosts are used, or in tests the
 * host of the emulated API.
 */
export function isSlackAddress(url: string, api: string): boolean {
  if (!URL.canParse(url)) return false
  const { protocol, hostname, host } = new URL(url)
  const own = new URL(api)
  if (own.protocol === 'http:') return (protocol === 'http:' || protocol === 'ws:') && host === own.host
  return (protocol === 'https:' || protocol === 'wss:') && (hostname === 'slack.com' || hostname.endsWith('.slack.com'))
}

export function createWebApi({ api, token }: { api: string; token: string }): WebApi {
  const authorization = `Bearer ${token}`
  const foreign = (url: string): Failure | null =>
    isSlackAddress(url, api) ? null : { kind: 'permanent', error: 'Slack named an address that is not its own' }

  /** Without redirects: they would take the token elsewhere, and Slack uses them for its login page only. */
  async function request<T>(
    what: string,
    url: string,
    init: RequestInit,
    stop: AbortSignal,
    read: (response: Response) => Promise<T | Failure>,
    mostMs = callMs,
  ): Promise<T | Failure> {
    const signal = AbortSignal.any([stop, AbortSignal.timeout(mostMs)])
    try {
      const response = await fetch(url, { ...init, redirect: 'manual', signal })
      const { status, headers } = response
      if (status === 200) return await read(response)
      await response.body?.cancel()
      return failureOfStatus(what, status, headers.get('retry-after'))
    } catch (error) {
      return failureOfError(what, error)
    }
  }

  return {
    call: (method, args, schema, stop) => {
      const isForm = args instanceof URLSearchParams
      const type = isForm ? 'application/x-www-form-urlencoded' : 'application/json; charset=utf-8'
      const headers = { authorization, 'content-type': type }
      const init = { method: 'POST', headers, body: isForm ? args.toString() : JSON.stringify(args) }
      return request(method, new URL(method, api).href, init, stop, async (response) => {
        const bytes = await readBounded(response, mostAnswerBytes)
        const answer = bytes && jsonOrNull(bytes.toString(), Envelope)
        // It was accepted, but by what? A proxy may have answered, before or after Slack.
        if (!answer) return { kind: 'unsure', error: `the answer to ${method} is not Slack's` }
        if (!answer.ok) return failureOf(method, answer.error ?? 'no reason', answer.needed)
        const checked = schema.safeParse(answer)
        if (!checked.success) return { kind: 'unsure', error: `the answer to ${method} has an unknown form` }
        const scopes = response.headers.get('x-oauth-scopes')?.split(',') ?? null
        return { kind: 'answered', value: checked.data, scopes: scopes?.map((scope) => scope.trim()) ?? null }
      })
    },
    download: async (url, mostBytes, stop) =>
      foreign(url) ??
      request(
        'the download',
        url,
        { headers: { authorization } },
        stop,
        async (response) => {
          const bytes = await readBounded(response, mostBytes)
          return bytes ? { kind: 'file', bytes } : largerThan(mostBytes)
        },
        fileMs,
      ),
    upload: async (url, bytes, stop) =>
      foreign(url) ??
      request(
        'the upload',
        url,
        { method: 'POST', body: new Uint8Array(bytes) },
        stop,
        async (response) => {
          await response.body?.cancel()
          return { kind: 'uploaded' }
        },
        fileMs,
      ),
    respond: async (url, body, stop) => {
      const headers = { 'content-type': 'application/json; charset=utf-8' }
      const init = { method: 'POST', headers, body: JSON.stringify(body) }
      return (
        foreign(url) ??
        request('the response', url, init, stop, async (response) => {
          await response.body?.cancel()
          return { kind: 'responded' }
        })
      )
    },
  }
}
