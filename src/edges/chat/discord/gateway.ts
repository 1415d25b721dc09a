import * as z from 'zod'
import { backoff } from '../../../lib/backoff.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Logger } from '../../../lib/log.ts'
import { withTimeLimit } from '../../../lib/time-limit.ts'
import type { Health } from '../adapter.ts'
import type { RestFailure } from './errors.ts'
import { Ready, type GatewayCursor } from './frames.ts'
import { openLink, ops, type Link, type LinkEnd } from './gateway-link.ts'
import { isDiscordAddress, type Rest } from './rest.ts'

type Deps = {
  readonly rest: Rest
  readonly api: string
  readonly token: string
  readonly clock: Clock
  readonly log: Logger
  readonly cursor: GatewayCursor | null
  /** Resolves after the commit of the event and the cursor, with true; with false if the event is not for us. */
  take(type: string, data: unknown, cursor: GatewayCursor): Promise<boolean>
  mark(cursor: GatewayCursor): Promise<void>
  onHealth(state: Health['state'], error: string | null): void
}

/** Servers, their messages and reactions, direct messages and their reactions, and the content of messages. */
export const intents = (1 << 0) | (1 << 9) | (1 << 10) | (1 << 12) | (1 << 13) | (1 << 15)

/** These would come back at every attempt. */
const refusals = new Map([
  [4004, 'Discord does not accept the bot token'],
  [4010, 'Discord does not accept the connection (4010)'],
  [4011, 'The bot is in too many servers for one connection (4011)'],
  [4012, 'Discord no longer supports this version of its gateway (4012)'],
  [4013, 'Discord does not accept the intents (4013)'],
  [
    4014,
    'The Message Content intent is turned off. Turn it on in the Discord developer portal under Bot, then connect again.',
  ],
])
/** Not authenticated, invalid sequence, session timed out. */
const sessionEnds = new Set([4003, 4007, 4009])

/** After this long a connection counts as good, and the next one is opened at once. */
const stableMs = 10_000
/** As Discord asks after an invalid session: 1 to 5 seconds. */
const invalidMs = (): number => 1000 + Math.random() * 4000
/** The address to resume at may be gone; the general one works too. */
const mostResumesThere = 3
/** Discord resets the token of a bot that begins more than 1,000 sessions in a day. This allows some 300. */
const firstIdentifyMs = 5000
const longestIdentifyMs = 600_000
const hourMs = 3_600_000
/** The cursor moves with every event for us; for others this often is enough, because they can come again. */
const mostUnmarked = 100
const markMs = 10_000
const closeMs = 1000

const GatewayBot = z.looseObject({
  url: z.string(),
  session_start_limit: z.looseObject({ remaining: z.number(), reset_after: z.number() }).optional(),
})

/**
 * Discord's gateway. Events are saved one after another, each with the cursor behind it, so that a new connection, also
 * of another process, resumes after the last one that is saved. A new session begins only if Discord ended the old one.
 */
export function connectGateway(deps: Deps): AsyncDisposable {
  const { rest, api, token, clock, log, onHealth } = deps
  const stop = new AbortController()
  let session = deps.cursor
  let marked = { seq: session?.seq ?? -1, at: clock.now() }
  let identifiedAt: number[] = []
  let link: Link | null = null

  async function pause(ms: number): Promise<void> {
    if (ms <= 0 || stop.signal.aborted) return
    const { promise, resolve } = Promise.withResolvers<void>()
    using _timer = clock.at(clock.now() + ms, resolve)
    stop.signal.addEventListener('abort', () => resolve(), { once: true })
    await promise
  }

  async function mark(cursor: GatewayCursor): Promise<void> {
    try {
      await deps.mark(cursor)
      marked = { seq: cursor.seq, at: clock.now() }
    } catch (error) {
      // The events since the last one come again, and are recognised.
      log.warn({ error: String(error) }, 'the position in the gateway was not saved')
    }
  }

  async function take(type: string, data: unknown, seq: number): Promise<void> {
    if (type === 'READY') {
      session = { ...Ready.parse(data), seq }
      log.info({}, 'a new session with Discord: earlier messages are read from the chats')
      marked = { seq: -1, at: clock.now() }
      await mark(session)
    }
    if (!session) throw new Error('an event before the session began')
    const cursor = { ...session, seq }
    const isSaved = await deps.take(type, data, cursor)
    session = cursor
    if (isSaved) marked = { seq, at: clock.now() }
    else if (seq - marked.seq >= mostUnmarked || clock.now() - marked.at >= markMs) await mark(cursor)
    if (type === 'READY' || type === 'RESUMED') onHealth('connected', null)
  }

  function greeting(): object {
    if (session) return { op: ops.resume, d: { token, session_id: session.session_id, seq: session.seq } }
    identifiedAt.push(clock.now())
    const properties = { os: process.platform, browser: 'signalbox', device: 'signalbox' }
    return { op: ops.identify, d: { token, intents, properties } }
  }

  /** Where to connect. A new session waits until one is allowed. */
  async function address(failures: number): Promise<{ kind: 'at'; url: string } | RestFailure> {
    if (session && failures <= mostResumesThere && isDiscordAddress(session.resume_gateway_url, api, 'gateway'))
      return { kind: 'at', url: session.resume_gateway_url }
    if (!session) {
      identifiedAt = identifiedAt.filter((time) => clock.now() - time < hourMs)
      const count = identifiedAt.length
      if (count > 0)
        await pause((identifiedAt.at(-1) ?? 0) + backoff(count, firstIdentifyMs, longestIdentifyMs) - clock.now())
    }
    const request = { what: 'asking for the gateway', method: 'GET', path: 'gateway/bot' } as const
    const answer = await rest.call(request, GatewayBot, stop.signal)
    if (answer.kind !== 'answered') return answer
    const { url, session_start_limit: limit } = answer.value
    if (!isDiscordAddress(url, api, 'gateway'))
      return { kind: 'transient', error: 'Discord named an address that is not its own' }
    if (!session && limit && limit.remaining < 1)
      return {
        kind: 'rate_limited',
        error: 'Discord allows no more new sessions today',
        retryAfterMs: Math.max(limit.reset_after, firstIdentifyMs),
      }
    return { kind: 'at', url }
  }

  async function connectOnce(failures: number): Promise<LinkEnd | RestFailure> {
    const found = await address(failures)
    if (found.kind !== 'at') return found
    if (stop.signal.aborted) return { kind: 'transient', error: 'stopped' }
    const url = new URL(found.url)
    url.search = '?v=10&encoding=json'
    link = openLink({ url: url.href, clock, log, greeting, seq: () => session?.seq ?? null, take })
    const end = await link.ended
    link = null
    return end
  }

  async function run(): Promise<void> {
    let failures = 0
    while (!stop.signal.aborted) {
      const end = await connectOnce(failures)
      if (stop.signal.aborted) return
      const refusal = end.kind === 'ended' ? refusals.get(end.code) : end.kind === 'refused' ? end.error : undefined
      if (refusal !== undefined) return onHealth('refused', refusal)
      onHealth('reconnecting', end.error)
      log.info({ error: end.error, failures }, 'no connection to Discord')
      let least = 0
      if (end.kind !== 'ended') {
        failures += 1
        least = end.kind === 'rate_limited' ? end.retryAfterMs : backoff(failures, 250, 30_000)
      } else {
        failures = end.servedMs !== null && end.servedMs >= stableMs ? 1 : failures + 1
        if (end.invalid) least = invalidMs()
        if (end.invalid || sessionEnds.has(end.code)) session = null
      }
      // At once, unless connections keep ending soon after they began.
      await pause(Math.max(least, failures === 1 ? 0 : jittered(backoff(failures - 1, 250, 30_000))))
    }
  }

  const running = run().catch((error: unknown) => {
    log.error({ error: String(error) }, 'the connection to Discord failed')
    onHealth('reconnecting', String(error))
  })

  return {
    async [Symbol.asyncDispose]() {
      stop.abort()
      const last = link
      await last?.close()
      if (last && !(await withTimeLimit(last.ended, closeMs))) last.terminate()
      await running
      if (session && session.seq > marked.seq) await mark(session)
    },
  }
}

/** So that many servers do not come back at the same moment. */
const jittered = (ms: number): number => ms * (0.5 + Math.random() / 2)
