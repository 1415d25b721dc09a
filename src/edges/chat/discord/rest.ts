import * as z from 'zod'
import type { Clock } from '../../../lib/clock.ts'
import { jsonOrNull } from '../../../lib/parse-json.ts'
import type { Failure } from '../adapter.ts'
import { failureOfError, largerThan, readBounded } from '../http-call.ts'
import { failureOfAnswer, type RestFailure } from './errors.ts'

/** Longer than Discord takes, shorter than the claim of an outbox item. */
const callMs = 15_000
/** Files may be large. */
const fileMs = 120_000
/** A page of 100 messages with embeds is far below. */
const mostAnswerBytes = 10_000_000
/** Discord asks for this form. */
const userAgent = 'DiscordBot (https://signalbox.invalid, 1)'

const Refused = z.object({
  code: z.number().optional().catch(undefined),
  message: z.string().optional().catch(undefined),
  retry_after: z.unknown().optional(),
  global: z.boolean().optional().catch(undefined),
})

export type Request = {
  /** For errors. Paths may contain the token of an interaction, so they are never shown. */
  readonly what: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH'
  readonly path: string
  readonly body?: object
  /** Interactions have tokens of their own. */
  readonly anonymous?: boolean
}
export type Answered<T> = { readonly kind: 'answered'; readonly value: T }

/** Calls Discord's REST API once: no retries, every failure as a value. */
export type Rest = {
  call<T>(request: Request, schema: z.ZodType<T>, stop: AbortSignal): Promise<Answered<T> | RestFailure>
  /** Bytes from one of Discord's file addresses. */
  download(url: string, mostBytes: number, stop: AbortSignal): Promise<{ kind: 'file'; bytes: Buffer } | Failure>
}

const hosts = {
  gateway: ['discord.gg'],
  file: ['cdn.discordapp.com', 'media.discordapp.net'],
} as const

/**
 * Addresses in Discord's answers get our token, or are fetched from inside our network. Only Discord's own hosts are
 * used, or in tests the host of the emulated API.
 */
export function isDiscordAddress(url: string, api: string, use: keyof typeof hosts): boolean {
  if (!URL.canParse(url)) return false
  const { protocol, hostname, host } = new URL(url)
  const own = new URL(api)
  if (own.protocol === 'http:') return protocol === (use === 'gateway' ? 'ws:' : 'http:') && host === own.host
  if (protocol !== (use === 'gateway' ? 'wss:' : 'https:')) return false
  return hosts[use].some((one) => hostname === one || hostname.endsWith(`.${one}`))
}

export function createRest({ api, token, clock }: { api: string; token: string; clock: Clock }): Rest {
  /** After a limit on all calls, none is made until then: calls that ignore it lead to a ban. */
  let blockedUntil = 0

  /** Without redirects: they would take the token elsewhere. */
  async function request<T>(
    what: string,
    url: string,
    init: RequestInit,
    stop: AbortSignal,
    read: (response: Response) => Promise<T | RestFailure>,
    mostMs: number,
  ): Promise<T | RestFailure> {
    const signal = AbortSignal.any([stop, AbortSignal.timeout(mostMs)])
    try {
      const response = await fetch(url, { ...init, redirect: 'manual', signal })
      return await read(response)
    } catch (error) {
      return failureOfError(what, error)
    }
  }

  async function refusal(what: string, response: Response): Promise<RestFailure> {
    const { status, headers } = response
    const body = await readBounded(response, mostAnswerBytes)
    const refused = body && jsonOrNull(body.toString(), Refused)
    const retryAfter = refused?.retry_after ?? headers.get('retry-after')
    const failure = failureOfAnswer(what, { status, code: refused?.code, message: refused?.message, retryAfter })
    // Without Discord's JSON, it was refused before it came to Discord, for all we do.
    if (failure.kind === 'rate_limited' && (refused?.global || !refused))
      blockedUntil = Math.max(blockedUntil, clock.now() + failure.retryAfterMs)
    return failure
  }

  return {
    async call({ what, method, path, body, anonymous }, schema, stop) {
      const wait = blockedUntil - clock.now()
      if (wait > 0)
        return { kind: 'rate_limited', error: `${what} is delayed: Discord limits all calls`, retryAfterMs: wait }
      const isForm = body instanceof FormData
      const headers = {
        'user-agent': userAgent,
        ...(!anonymous && { authorization: `Bot ${token}` }),
        ...(body && !isForm && { 'content-type': 'application/json' }),
      }
      const init = { method, headers, ...(body && { body: isForm ? body : JSON.stringify(body) }) }
      return request(
        what,
        new URL(path, api).href,
        init,
        stop,
        async (response) => {
          if (!response.ok) return refusal(what, response)
          const bytes = await readBounded(response, mostAnswerBytes)
          // 204 has no body.
          const value = bytes && jsonOrNull(bytes.length === 0 ? 'null' : bytes.toString(), z.unknown())
          const checked = schema.safeParse(value)
          // It was accepted, but by what? A proxy may have answered, before or after Discord.
          if (!checked.success) return { kind: 'unsure', error: `${what}: the answer has an unknown format` }
          return { kind: 'answered', value: checked.data }
        },
        isForm ? fileMs : callMs,
      )
    },
    async download(url, mostBytes, stop) {
      if (!isDiscordAddress(url, api, 'file'))
        return { kind: 'permanent', error: 'Discord named an address that is not its own' }
      const what = 'downloading a file'
      // The address itself is the permission; the token is not sent.
      return request(
        what,
        url,
        { headers: { 'user-agent': userAgent } },
        stop,
        async (response) => {
          if (response.status !== 200) return refusal(what, response)
          const bytes = await readBounded(response, mostBytes)
          return bytes ? { kind: 'file', bytes } : largerThan(mostBytes)
        },
        fileMs,
      )
    },
  }
}
