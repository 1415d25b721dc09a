import * as z from 'zod'
import type { App } from '../../app/app.ts'
import { iso, type Clock } from '../../lib/clock.ts'
import { hashOfLinkCode, newLinkCode } from '../../lib/link-code.ts'
import { createRateLimit } from '../../lib/rate-limit.ts'
import { fail, ok, type Failed, type Result } from '../../lib/result.ts'
import { newSecret, sha256 } from '../../lib/secret.ts'
import { checkAnswer, isSigned, rpIdOf } from '../../lib/webauthn.ts'
import type { Attempts } from './attempts.ts'
import { browserName } from '../../lib/browser-name.ts'
import type { HttpContext } from './request.ts'

/** What a browser keeps once it is signed in: the cookie is set, and the page stores the key. */
export type NewLogin = { cookie: string; key: string; userId: string }

export type SignInCalls = {
  passkeyChallenge(context: HttpContext): Promise<Result<{ challenge: string; rpId: string }>>
  passkey(context: HttpContext, answer: PasskeyAnswer): Promise<Result<NewLogin>>
  /** `secret` stays in the page; `code` is shown to the person. */
  device(context: HttpContext): Promise<Result<{ secret: string; code: string; expiresAt: string }>>
  deviceState(asked: DeviceRequest): Promise<Result<{ state: 'waiting' | 'denied' | 'over' } | NewLogin>>
}

const base64url = z.string().regex(/^[\w-]{1,10000}$/)
export const PasskeyAnswer = z.object({
  credentialId: base64url.max(1400),
  clientDataJSON: base64url,
  authenticatorData: base64url,
  signature: base64url,
})
export type PasskeyAnswer = z.infer<typeof PasskeyAnswer>

export const DeviceRequest = z.object({ secret: z.string().min(1).max(200) })
export type DeviceRequest = z.infer<typeof DeviceRequest>

const challengeMs = 5 * 60_000
const deviceMs = 5 * 60_000
const thirtyDays = 30 * 24 * 3600 * 1000
/** Rows that one address may make, and all of them together, in ten minutes: nobody is signed in yet. */
const [mostByOne, mostByAll] = [30, 600]
const perMs = 10 * 60_000
/** Refused signatures of one address. Apart from those of links and tokens, so that a broken passkey locks nobody out of these. */
const [mostGuesses, guessesMs] = [20, 60_000]

/** Signing in without a link: with a passkey, or let in by another device. Behind no login. */
export function createSignInCalls(deps: { app: App; clock: Clock; attempts: Attempts }): SignInCalls {
  const { app, clock, attempts } = deps
  const byOne = createRateLimit({ clock, most: mostByOne, perMs })
  const byAll = createRateLimit({ clock, most: mostByAll, perMs })
  const guesses = createRateLimit({ clock, most: mostGuesses, perMs: guessesMs, countRefused: true })
  const soon = (ms: number): string => iso(clock.now() + ms)
  const by = { kind: 'system' as const, name: 'login' }

  function tooMany(context: HttpContext): Failed | null {
    const seconds = byOne.take(attempts.addressOf(context)) ?? byAll.take('all')
    return seconds === null ? null : limited(seconds)
  }

  function newLogin() {
    const [cookie, key] = [newSecret(''), newSecret('')]
    const stored = { cookieHash: sha256(cookie), keyHash: sha256(key), expiresAt: soon(thirtyDays) }
    return { cookie, key, stored }
  }

  /** The same words for every reason, and a refused guess counts. */
  function refusedPasskey(context: HttpContext): Failed {
    const seconds = guesses.take(attempts.addressOf(context))
    return seconds === null ? unknownPasskey() : limited(seconds)
  }

  return {
    async passkeyChallenge(context) {
      const rpId = rpIdOf(context.req.header('origin') ?? '')
      // Without any passkey there is nothing to sign, and nothing to store.
      if (rpId === null || !(await app.read.hasPasskeys())) return unknownPasskey()
      const full = tooMany(context)
      if (full) return full
      const challenge = newSecret('')
      const command = { challengeHash: sha256(challenge), expiresAt: soon(challengeMs) }
      const done = await app.dispatch({ type: 'passkey.challenge', ...command }, by)
      return done.ok ? ok({ challenge, rpId }) : done
    },

    async passkey(context, answer) {
      const origin = context.req.header('origin') ?? ''
      const known = await app.read.passkeyByCredential(answer.credentialId)
      const rpId = rpIdOf(origin)
      // Other ports of the host share its name, and a program can send any Host and Origin: only where it was made counts.
      if (!known || rpId === null || known.origin !== origin) return refusedPasskey(context)
      const checked = checkAnswer(answer, { type: 'webauthn.get', origin, rpId })
      if (!checked || !isSigned(answer, answer.signature, known.publicKey)) return refusedPasskey(context)
      const { cookie, key, stored } = newLogin()
      const done = await app.dispatch(
        {
          type: 'passkey.sign_in',
          credentialId: answer.credentialId,
          challengeHash: sha256(checked.challenge),
          signCount: checked.signCount,
          ...stored,
        },
        by,
      )
      return done.ok ? ok({ cookie, key, userId: done.value.subject }) : done
    },

    async device(context) {
      const full = tooMany(context)
      if (full) return full
      const [secret, code, expiresAt] = [newSecret(''), newLinkCode(), soon(deviceMs)]
      const done = await app.dispatch(
        {
          type: 'device.ask',
          requestHash: sha256(secret),
          codeHash: hashOfLinkCode(code),
          address: attempts.addressOf(context).slice(0, 100),
          browser: browserName(context.req.header('user-agent') ?? ''),
          expiresAt,
        },
        by,
      )
      return done.ok ? ok({ secret, code, expiresAt }) : done
    },

    async deviceState({ secret }) {
      const requestHash = sha256(secret)
      const state = await app.read.deviceState(requestHash, iso(clock.now()))
      if (state !== 'approved') return ok({ state })
      const { cookie, key, stored } = newLogin()
      const done = await app.dispatch({ type: 'device.sign_in', requestHash, ...stored }, by)
      return done.ok ? ok({ cookie, key, userId: done.value.subject }) : done
    },
  }
}

/** The core's words for the same. */
const unknownPasskey = (): Failed =>
  fail({
    kind: 'forbidden',
    code: 'passkey_not_valid',
    message: 'This passkey does not sign in here.',
    hint: 'Sign in another way (signalbox login), then add a passkey under Settings, Sign-in.',
  })

const limited = (seconds: number): Failed =>
  fail({
    kind: 'limited',
    code: 'too_many_attempts',
    message: 'Too many attempts to sign in.',
    hint: `Try again in ${seconds} seconds.`,
    details: { retryAfter: seconds },
  })
