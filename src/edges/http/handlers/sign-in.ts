import { api } from '../../../client/contract.ts'
import type { PasskeyId } from '../../../domain/sign-in/id.ts'
import type { UserId } from '../../../domain/user/id.ts'
import { iso, type Clock } from '../../../lib/clock.ts'
import { newId } from '../../../lib/id.ts'
import { hashOfLinkCode } from '../../../lib/link-code.ts'
import { createRateLimit } from '../../../lib/rate-limit.ts'
import { fail, notFound, ok, type Failed, type Result } from '../../../lib/result.ts'
import { newSecret, sha256 } from '../../../lib/secret.ts'
import { algorithms, checkAnswer, readPublicKey, rpIdOf } from '../../../lib/webauthn.ts'
import { mount, type ApiCall, type RouteDeps, type Web } from '../route.ts'
import { selfOf } from './people.ts'

const passkeyMs = 5 * 60_000
/** Codes that one person may try in ten minutes; each is asked for once to show it, and once to answer. */
const mostCodes = 40
const codesMs = 10 * 60_000

/** Passkeys of the caller, and devices that the caller lets in. */
export function mountSignIn(web: Web, deps: RouteDeps, clock: Clock): void {
  const { app } = deps
  const codes = createRateLimit({ clock, most: mostCodes, perMs: codesMs, countRefused: true })

  /** The origin was compared with our own address before. */
  const place = (call: ApiCall): Result<{ origin: string; rpId: string }> => {
    const origin = call.context.req.header('origin') ?? ''
    const rpId = rpIdOf(origin)
    return rpId === null ? noName() : ok({ origin, rpId })
  }

  const shown = async (call: ApiCall, id: PasskeyId) => {
    const all = await app.read.passkeys(call.caller.standing)
    if (!all.ok) return all
    const one = all.value.find((passkey) => passkey.id === id)
    return one ? ok(withoutCredential(one)) : notFound('passkey', id)
  }

  mount(web, deps, api.listPasskeys, async (_input, { caller }) => {
    const all = await app.read.passkeys(caller.standing)
    return all.ok ? ok({ passkeys: all.value.map(withoutCredential) }) : all
  })

  mount(web, deps, api.beginPasskey, async (_input, call) => {
    const self = selfOf(call)
    if (!self.ok) return self
    const challenge = newSecret('')
    const expiresAt = iso(clock.now() + passkeyMs)
    const command = { type: 'passkey.begin' as const, userId: self.value, challengeHash: sha256(challenge), expiresAt }
    const done = await app.dispatch(command, call.caller.actor)
    if (!done.ok) return done
    const at = place(call)
    if (!at.ok) return at
    const [known, me] = await Promise.all([app.read.passkeys(call.caller.standing), app.read.me(call.caller.standing)])
    if (!known.ok) return known
    if (!me.ok) return me
    return ok({
      challenge,
      rpId: at.value.rpId,
      user: { id: me.value.id, displayName: me.value.displayName },
      algorithms: [...algorithms],
      known: known.value.map(({ credentialId }) => credentialId),
      expiresAt,
    })
  })

  mount(web, deps, api.addPasskey, async ({ body }, call) => {
    const self = selfOf(call)
    if (!self.ok) return self
    const at = place(call)
    if (!at.ok) return at
    const checked = checkAnswer(body, { type: 'webauthn.create', ...at.value })
    if (checked?.credentialId !== body.credentialId || !readPublicKey(body.publicKey)) return notAccepted()
    const command = {
      type: 'passkey.add' as const,
      id: newId<PasskeyId>(),
      userId: self.value,
      name: body.name,
      challengeHash: sha256(checked.challenge),
      credentialId: body.credentialId,
      publicKey: body.publicKey,
      origin: at.value.origin,
      signCount: checked.signCount,
    }
    const done = await app.dispatch(command, call.caller.actor, call.once)
    return done.ok ? shown(call, done.value.subject as PasskeyId) : done
  })

  mount(web, deps, api.renamePasskey, async ({ params, body }, call) => {
    const done = await app.dispatch({ type: 'passkey.rename', id: params.id, name: body.name }, call.caller.actor)
    return done.ok ? shown(call, params.id) : done
  })
  mount(web, deps, api.removePasskey, async ({ params }, call) => {
    const done = await app.dispatch({ type: 'passkey.remove', id: params.id }, call.caller.actor)
    return done.ok ? ok({ id: params.id, removed: true as const }) : done
  })

  /** The hash of a code that this person may still try. */
  const tried = (call: ApiCall, code: string): Result<{ userId: UserId; codeHash: string }> => {
    const self = selfOf(call)
    if (!self.ok) return self
    const seconds = codes.take(self.value)
    return seconds === null ? ok({ userId: self.value, codeHash: hashOfLinkCode(code) }) : tooManyCodes(seconds)
  }

  mount(web, deps, api.showDeviceLogin, async ({ body }, call) => {
    const code = tried(call, body.code)
    if (!code.ok) return code
    const device = await app.read.waitingDevice(call.caller.standing, code.value.codeHash, iso(clock.now()))
    return device
  })
  mount(web, deps, api.answerDeviceLogin, async ({ body }, call) => {
    const code = tried(call, body.code)
    if (!code.ok) return code
    const { outcome } = body
    const command = { type: 'device.answer' as const, ...code.value, outcome }
    const done = await app.dispatch(command, call.caller.actor, call.once)
    return done.ok ? ok({ outcome }) : done
  })
}

const withoutCredential = <T extends { credentialId: string }>({ credentialId: _, ...passkey }: T) => passkey

const noName = (): Failed =>
  fail({
    kind: 'invalid',
    code: 'passkey_needs_name',
    message: 'Passkeys need a page with a host name, over HTTPS or at localhost.',
    hint: 'Open Signalbox in a browser at such an address: http://localhost:PORT on this machine, or its public_url.',
  })

const notAccepted = (): Failed =>
  fail({
    kind: 'invalid',
    code: 'passkey_not_accepted',
    message: 'This passkey is not for this address, or did not check who you are.',
    hint: 'Try again, or use another kind of passkey.',
  })

const tooManyCodes = (seconds: number): Failed =>
  fail({
    kind: 'limited',
    code: 'too_many_codes',
    message: 'Too many codes.',
    hint: `Try again in ${seconds} seconds.`,
    details: { retryAfter: seconds },
  })
