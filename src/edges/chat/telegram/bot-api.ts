import * as z from 'zod'
import type { Clock } from '../../../lib/clock.ts'
import { jsonOrNull } from '../../../lib/parse-json.ts'
import type { Failure } from '../adapter.ts'
import { failureOfError, largerThan, readBounded } from '../http-call.ts'
import { failureOf, failureOfStatus } from './errors.ts'

/** Longer than Telegram takes, shorter than the claim of an outbox item. */
const callMs = 15_000
/** Files may be large. */
const fileMs = 120_000
/** A hundred updates of the longest messages are far below. */
const mostAnswerBytes = 10_000_000

const Envelope = z.looseObject({
  ok: z.boolean(),
  result: z.unknown().optional(),
  error_code: z.int().optional(),
  description: z.string().optional(),
  parameters: z.looseObject({ retry_after: z.number().optional() }).optional().catch(undefined),
})

export type Answered<T> = { readonly kind: 'answered'; readonly value: T }

/** Calls Telegram's Bot API once: no retries, every failure as a value. */
export type BotApi = {
  /** With a file, the arguments are `FormData`. */
  call<T>(
    method: string,
    args: object,
    schema: z.ZodType<T>,
    stop: AbortSignal,
    mostMs?: number,
  ): Promise<Answered<T> | Failure>
  /** `path` is what `getFile` answered. */
  download(path: string, mostBytes: number, stop: AbortSignal): Promise<{ kind: 'file'; bytes: Buffer } | Failure>
}

const tokenForm = /^(\d{1,20}):([A-Za-z0-9_-]{1,200})$/

/** The bot's own id is the first part of its token. Null if this is not a token. */
export function botIdOf(token: string): number | null {
  const id = tokenForm.exec(token)?.[1]
  return id === undefined ? null : Number(id)
}

/** A path stays below the address of our files: nothing in it leads elsewhere. */
const isFilePath = (path: string): boolean =>
  /^[A-Za-z0-9_][A-Za-z0-9_./-]{0,500}$/.test(path) && !/\.\.|\/\//.test(path)

type Deps = { readonly api: string; readonly token: string; readonly clock: Clock }

/** The token is part of every address, and so of some error messages. None of them leaves here with it. */
export function createBotApi({ api, token, clock }: Deps): BotApi {
  const base = api.replace(/\/$/, '')
  const secret = tokenForm.exec(token)?.[2]
  const withoutToken = <T extends object>(result: T | Failure): T | Failure =>
    'error' in result && secret !== undefined ? { ...result, error: result.error.replaceAll(secret, '***') } : result

  /** Without redirects: they would take the token elsewhere, and Telegram has none. */
  async function request<T extends object>(
    what: string,
    path: string,
    init: RequestInit,
    { stop, mostMs }: { stop: AbortSignal; mostMs: number },
    read: (response: Response) => Promise<T | Failure>,
  ): Promise<T | Failure> {
    if (secret === undefined) return { kind: 'refused', error: 'this is not a bot token' }
    const late = new AbortController()
    using _limit = clock.at(clock.now() + mostMs, () => late.abort(new DOMException('', 'TimeoutError')))
    try {
      const signal = AbortSignal.any([stop, late.signal])
      return withoutToken(await read(await fetch(`${base}${path}`, { ...init, redirect: 'manual', signal })))
    } catch (error) {
      return withoutToken(failureOfError(what, error))
    }
  }

  return {
    call: (method, args, schema, stop, mostMs) => {
      const isForm = args instanceof FormData
      const init = isForm ? { body: args } : { headers: { 'content-type': 'application/json' }, body: toJson(args) }
      const limits = { stop, mostMs: mostMs ?? (isForm ? fileMs : callMs) }
      return request(method, `/bot${token}/${method}`, { method: 'POST', ...init }, limits, async (response) => {
        const { status, headers } = response
        const bytes = await readBounded(response, mostAnswerBytes)
        const answer = bytes && jsonOrNull(bytes.toString(), Envelope)
        if (!answer) return failureOfStatus(method, status, headers.get('retry-after'))
        if (!answer.ok) {
          const { error_code: code = status, description = 'no reason', parameters } = answer
          return failureOf(method, { code, description, retryAfter: parameters?.retry_after ?? null })
        }
        const checked = schema.safeParse(answer.result)
        if (!checked.success) return { kind: 'unsure', error: `the answer to ${method} has an unknown format` }
        return { kind: 'answered', value: checked.data }
      })
    },
    download: async (path, mostBytes, stop) => {
      if (!isFilePath(path)) return { kind: 'permanent', error: 'Telegram named an invalid file path' }
      const limits = { stop, mostMs: fileMs }
      return request('the download', `/file/bot${token}/${path}`, {}, limits, async (response) => {
        if (response.status !== 200) {
          await response.body?.cancel()
          return failureOfStatus('the download', response.status, response.headers.get('retry-after'))
        }
        const bytes = await readBounded(response, mostBytes)
        return bytes ? { kind: 'file', bytes } : largerThan(mostBytes)
      })
    },
  }
}

/** Well-formed, because Telegram answers with an error to half a character. */
const toJson = (args: object): string =>
  JSON.stringify(args, (_key, value: unknown) => (typeof value === 'string' ? value.toWellFormed() : value))
