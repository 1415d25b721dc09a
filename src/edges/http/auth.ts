import { apiStanding } from '../../app/agent-group/cli-scope.ts'
import type { App } from '../../app/app.ts'
import { viewerOf, type Actor, type Standing, type Viewer } from '../../domain/user/actor.ts'
import { iso, type Clock } from '../../lib/clock.ts'
import { fail, ok, type Result } from '../../lib/result.ts'
import { isSecretOf, sha256 } from '../../lib/secret.ts'
import type { ListenerKind } from './request.ts'

type Credential = NonNullable<Awaited<ReturnType<App['read']['credentialByToken']>>>

/** An authenticated caller, with their roles. */
export type Caller = {
  readonly actor: Actor
  readonly standing: Standing
  readonly viewer: Viewer
  readonly via: 'socket' | 'token' | 'cookie'
  readonly expiresAt: string | null
  /** Set if a cookie was used, so that logout ends that login. */
  readonly cookieHash: string | null
  readonly credential: Credential
}

export type RequestCredentials = {
  listener: ListenerKind
  bearer: string | null
  /** Every cookie with our name: servers on other ports of this host can set some too. */
  cookies: readonly string[]
  /** The login key from the page's own storage, which other ports can't read. */
  key: string | null
}
type CredentialKey = { bearer: string } | { cookie: string } | 'socket'

/** What a browser's cookie allows for the page itself, which holds no data. */
export type LoginState = 'none' | 'without_key' | 'live'

export type Authenticator = {
  authenticate(credentials: RequestCredentials): Promise<Result<Caller>>
  /** For the page only; never enough to read or change anything. */
  loginState(cookies: readonly string[]): Promise<LoginState>
  /** Roles, tokens or logins changed: look everyone up again. */
  forget(): void
}

const mostCached = 10_000
const aMinute = 60_000

/** Lookups are cached until something about people changes, so that a request needs no query. */
export function createAuthenticator(deps: { app: App; clock: Clock }): Authenticator {
  const { app, clock } = deps
  const known = new Map<string, Caller>()
  const used = new Map<string, number>()
  let age = 0

  async function lookUp(held: CredentialKey): Promise<Caller | null> {
    const key = keyOf(held)
    const found = known.get(key)
    if (found) return found
    const before = age
    const caller = await findCaller(held)
    if (!caller) return null
    if (known.size >= mostCached) known.clear()
    // A lookup from before a change must not be cached after it.
    if (before === age) known.set(key, caller)
    return caller
  }

  async function findCaller(held: CredentialKey): Promise<Caller | null> {
    if (held !== 'socket' && 'bearer' in held)
      return callerOf(await app.read.credentialByToken(sha256(held.bearer)), 'token', null)
    if (held !== 'socket') {
      const cookieHash = sha256(held.cookie)
      return callerOf(await app.read.credentialByCookie(cookieHash), 'cookie', cookieHash)
    }
    const owner = await app.read.firstOwner()
    if (owner === undefined) return null
    const actor: Actor = { kind: 'person', userId: owner, scope: 'full' }
    return callerOf({ actor, expiresAt: null, tokenId: null, keyHash: null }, 'socket', null)
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

  /** The last use of a token is recorded once a minute: a write per request would cost too much. */
  function noteUse(id: NonNullable<Credential['tokenId']>): void {
    const now = clock.now()
    if (now - (used.get(id) ?? 0) < aMinute) return
    used.set(id, now)
    // Not awaited; it may be lost if the server stops.
    app.dispatch({ type: 'token.touch', id }, { kind: 'system', name: 'http' }).catch(() => used.delete(id))
  }

  // The secret itself is the map key: the engine's seeded hash gives nothing away by timing.
  const keyOf = (held: CredentialKey): string =>
    held === 'socket' ? held : 'bearer' in held ? `token ${held.bearer}` : `cookie ${held.cookie}`

  const isLive = ({ expiresAt }: Caller): boolean => expiresAt === null || expiresAt > iso(clock.now())

  async function loginsOf(cookies: readonly string[]): Promise<Caller[]> {
    const found = await Promise.all(cookies.map((cookie) => lookUp({ cookie })))
    return found.filter((caller) => caller !== null).filter(isLive)
  }

  async function byToken(bearer: string): Promise<Result<Caller>> {
    const caller = await lookUp({ bearer })
    if (!caller || !isLive(caller)) return badToken()
    if (caller.credential.tokenId !== null) noteUse(caller.credential.tokenId)
    return ok(caller)
  }

  /** Browsers send cookies to every port of a host, so a cookie alone proves nothing: only our page has the key. */
  async function byLogin(cookies: readonly string[], key: string | null): Promise<Result<Caller>> {
    const logins = await loginsOf(cookies)
    if (logins.length === 0) return notSignedIn()
    const own = logins.find(
      ({ credential: { keyHash } }) => keyHash !== null && key !== null && isSecretOf(keyHash, key),
    )
    return own ? ok(own) : keyMissing()
  }

  return {
    async authenticate({ listener, bearer, cookies, key }) {
      if (bearer !== null) return byToken(bearer)
      if (cookies.length > 0) return byLogin(cookies, key)
      const caller = listener === 'socket' ? await lookUp('socket') : null
      return caller ? ok(caller) : notSignedIn()
    },
    async loginState(cookies) {
      const logins = await loginsOf(cookies)
      if (logins.length === 0) return 'none'
      return logins.some(({ credential }) => credential.keyHash !== null) ? 'live' : 'without_key'
    },
    forget() {
      age += 1
      known.clear()
    },
  }
}

/** Kept for each caller, because pages are cached for a standing. */
const readers = new WeakMap<Caller, Result<Caller>>()

const seenAs = (caller: Caller, standing: Standing): Caller =>
  standing === caller.standing ? caller : { ...caller, actor: standing.actor, standing, viewer: viewerOf(standing) }

/** The caller as the API sees them: an agent may be refused, or read as its person does (C10). */
export function apiCaller(caller: Caller, reads: boolean): Result<Caller> {
  if (caller.standing.cli === undefined) return ok(caller)
  const known = reads ? readers.get(caller) : undefined
  if (known) return known
  const found = apiStanding(caller.standing, reads)
  const seen = found.ok ? ok(seenAs(caller, found.value)) : found
  if (reads) readers.set(caller, seen)
  return seen
}

const notSignedIn = () =>
  fail({
    kind: 'unauthenticated',
    code: 'not_signed_in',
    message: 'Not signed in.',
    hint: 'Open a login link (signalbox login), or send a token: Authorization: Bearer …',
  })

const keyMissing = () =>
  fail({
    kind: 'unauthenticated',
    code: 'login_key_missing',
    message: 'The login cookie came without its key.',
    hint: 'Sign in again with a new login link (signalbox login). Programs use a token: Authorization: Bearer …',
  })

const badToken = () =>
  fail({
    kind: 'unauthenticated',
    code: 'token_not_valid',
    message: 'This token is wrong, revoked or expired.',
    hint: 'Make a new one with: signalbox tokens create --name NAME',
  })
