import type { App } from '../../app/app.ts'
import { viewerOf, type Actor, type Standing, type Viewer } from '../../domain/user/actor.ts'
import { iso, type Clock } from '../../lib/clock.ts'
import { fail, ok, type Result } from '../../lib/result.ts'
import { sha256 } from '../../lib/secret.ts'

type Credential = NonNullable<Awaited<ReturnType<App['read']['credentialByToken']>>>

/** Someone recognised: who, with which roles, through which door. */
export type Caller = {
  readonly actor: Actor
  readonly standing: Standing
  readonly viewer: Viewer
  readonly via: 'socket' | 'token' | 'cookie'
  readonly expiresAt: string | null
  /** Set with a cookie, so that logout ends the right login. */
  readonly cookieHash: string | null
  readonly credential: Credential
}

export type Claims = { door: 'tcp' | 'socket'; bearer: string | null; cookie: string | null }

export type Authenticator = {
  recognise(claims: Claims): Promise<Result<Caller>>
  /** Roles, tokens or logins changed: everyone is looked up anew. */
  forget(): void
}

const mostKnown = 10_000
const aMinute = 60_000

/** Lookups are kept until something about people changes, so that a request costs no query. */
export function createAuthenticator(deps: { app: App; clock: Clock }): Authenticator {
  const { app, clock } = deps
  const known = new Map<string, Caller>()
  const used = new Map<string, number>()
  let age = 0

  async function lookUp(key: string, claims: Claims): Promise<Caller | null> {
    const found = known.get(key)
    if (found) return found
    const before = age
    const caller = await findCaller(claims)
    if (!caller) return null
    if (known.size >= mostKnown) known.clear()
    // What was looked up before something changed must not be remembered after it.
    if (before === age) known.set(key, caller)
    return caller
  }

  async function findCaller({ bearer, cookie }: Claims): Promise<Caller | null> {
    if (bearer !== null) return callerOf(await app.read.credentialByToken(sha256(bearer)), 'token', null)
    if (cookie !== null) {
      const cookieHash = sha256(cookie)
      return callerOf(await app.read.credentialByCookie(cookieHash), 'cookie', cookieHash)
    }
    const owner = await app.read.firstOwner()
    if (owner === undefined) return null
    const actor: Actor = { kind: 'person', userId: owner, scope: 'full' }
    return callerOf({ actor, expiresAt: null, tokenId: null }, 'socket', null)
  }

  async function callerOf(
    credential: Credential | undefined,
    via: Caller['via'],
    cookieHash: string | null,
  ): Promise<Caller | null> {
    if (!credential) return null
    const { actor, expiresAt } = credential
    const standing = await app.read.standing(actor)
    return { actor, standing, viewer: viewerOf(standing), via, expiresAt, cookieHash, credential }
  }

  /** When a token was last used is kept to the minute: a row a request would be too dear. */
  function noteUse(id: NonNullable<Credential['tokenId']>): void {
    const now = clock.now()
    if (now - (used.get(id) ?? 0) < aMinute) return
    used.set(id, now)
    // Nobody waits for it, and it may come too late for a server that stops.
    app.dispatch({ type: 'token.touch', id }, { kind: 'system', name: 'http' }).catch(() => used.delete(id))
  }

  // In memory the secret itself is the key: a lookup by the engine's seeded hash tells a guesser nothing.
  const keyOf = ({ bearer, cookie }: Claims): string =>
    bearer !== null ? `token ${bearer}` : cookie !== null ? `cookie ${cookie}` : 'socket'

  return {
    async recognise(claims) {
      if (claims.bearer === null && claims.cookie === null && claims.door === 'tcp') return notSignedIn()
      const caller = await lookUp(keyOf(claims), claims)
      if (!caller) return claims.bearer === null ? notSignedIn() : badToken()
      if (caller.expiresAt !== null && caller.expiresAt <= iso(clock.now()))
        return caller.via === 'token' ? badToken() : notSignedIn()
      if (caller.credential.tokenId !== null) noteUse(caller.credential.tokenId)
      return ok(caller)
    },
    forget() {
      age += 1
      known.clear()
    },
  }
}

const notSignedIn = () =>
  fail({
    kind: 'unauthenticated',
    code: 'not_signed_in',
    message: 'Nobody is signed in.',
    hint: 'Open a login link (signalbox login), or send a token: Authorization: Bearer …',
  })

const badToken = () =>
  fail({
    kind: 'unauthenticated',
    code: 'token_not_valid',
    message: 'This token is wrong, revoked or expired.',
    hint: 'Make a new one with: signalbox tokens create --name NAME',
  })
