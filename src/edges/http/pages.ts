import * as z from 'zod'
import type { App } from '../../app/app.ts'
import { UserId } from '../../domain/user/id.ts'
import { iso, type Clock } from '../../lib/clock.ts'
import { newId } from '../../lib/id.ts'
import { fail, ok, type Fault, type Result } from '../../lib/result.ts'
import { newSecret, sha256 } from '../../lib/secret.ts'
import type { Attempts } from './attempts.ts'
import type { Authenticator } from './auth.ts'
import { mountDashboard } from './dashboard.ts'
import { checkHost, checkOrigin, type GuardConfig } from './guard.ts'
import { asset, incompleteLinkPage, signInPage, errorPage, icon, style } from './html.ts'
import type { InFlight } from './in-flight.ts'
import { readBody } from '../../lib/http-body.ts'
import { validate, cookiesOf, parseBody, type HttpContext } from './request.ts'
import { failed, json } from './respond.ts'
import { createSignInCalls, DeviceRequest, PasskeyAnswer, type NewLogin } from './sign-in-calls.ts'
import { notJson, type Web } from './route.ts'

export type PageDeps = {
  app: App
  auth: Authenticator
  guard: GuardConfig
  attempts: Attempts
  clock: Clock
  inFlight: InFlight
  version: string
  cookieName(): string
  loginCookie(value: string | null): string
}

const thirtyDays = 30 * 24 * 3600 * 1000

/** What a browser opens: the login, and the dashboard, which also handles unknown paths. */
export function mountPages(web: Web, deps: PageDeps): { page: (context: HttpContext) => Promise<Response> } {
  const { app, auth, clock } = deps

  const guarded =
    (refuse: (fault: Fault, requestId: string) => Response) =>
    (handle: (context: HttpContext, requestId: string) => Promise<Response>) =>
    (context: HttpContext) => {
      const requestId = newId<string>()
      return deps.inFlight.run(requestId, async () => {
        const host = context.req.header('host')
        const refused = checkHost(deps.guard, host) ?? checkOrigin(deps.guard, host, context.req.header('origin'))
        return refused && context.env.listener === 'tcp' ? refuse(refused.fault, requestId) : handle(context, requestId)
      })
    }
  const guardedPage = guarded(({ message, hint }) => errorPage(message, hint, 403))
  const guardedCall = guarded((fault, requestId) => failed(fault, requestId))

  const mountAsset = (path: string, text: string, type: string) =>
    web.get(
      path,
      guardedPage(async () => asset(text, type)),
    )
  mountAsset('/style.css', style, 'text/css; charset=utf-8')
  mountAsset('/icon.svg', icon, 'image/svg+xml')

  // Shown, not redeemed: programs that prefetch links must not use the code up.
  web.get(
    '/login',
    guardedPage(async (context) => {
      const code = codeIn(context.req.query('code') ?? '')
      if (!isCode(code)) return incompleteLinkPage()
      // Another site may link here to sign this browser in to its own account: ask first.
      const asked = /^(?:none|same-origin)$/.test(context.req.header('sec-fetch-site') ?? '')
      return signInPage(code, asked ? 'at_once' : 'when_confirmed')
    }),
  )

  /** The code is checked before any rate limit: a valid link always works. */
  async function redeem({
    code,
    signedInAs,
  }: SignInRequest): Promise<Result<{ cookie: string; key: string; userId: string }>> {
    const linkHash = sha256(code)
    if (!isCode(code) || !(await app.read.hasLoginLink(linkHash))) return fail(noSuchLink)
    const [cookie, key] = [newSecret(''), newSecret('')]
    const done = await app.dispatch(
      {
        type: 'login.redeem',
        linkHash,
        cookieHash: sha256(cookie),
        keyHash: sha256(key),
        expiresAt: iso(clock.now() + thirtyDays),
        signedInAs,
      },
      { kind: 'system', name: 'login' },
    )
    return done.ok ? ok({ cookie, key, userId: done.value.subject }) : done
  }

  // The key is returned once, to the page with the code; the key of an existing login is never returned.
  web.post(
    '/login',
    guardedCall(async (context, requestId) => {
      const asked = await bodyOf(context, SignInRequest)
      if (!asked.ok) return failed(asked.fault, requestId)
      const done = await redeem(asked.value)
      if (done.ok) {
        const { cookie, key, userId } = done.value
        return json({ key, userId }, 200, { 'set-cookie': deps.loginCookie(cookie), 'x-request-id': requestId })
      }
      if (done.fault.code !== noSuchLink.code) return failed(done.fault, requestId)
      const refused = deps.attempts.failed(deps.attempts.addressOf(context))
      return failed(refused?.fault ?? done.fault, requestId)
    }),
  )

  const signIn = createSignInCalls(deps)
  const loggedIn = ({ cookie, key, userId }: NewLogin, requestId: string) =>
    json({ key, userId }, 200, { 'set-cookie': deps.loginCookie(cookie), 'x-request-id': requestId })
  const onPost = <T>(
    path: string,
    schema: z.ZodType<T>,
    call: (context: HttpContext, body: T) => Promise<Result<object>>,
  ) =>
    web.post(
      path,
      guardedCall(async (context, requestId) => {
        const asked = await bodyOf(context, schema)
        if (!asked.ok) return failed(asked.fault, requestId)
        const done = await call(context, asked.value)
        if (!done.ok) return failed(done.fault, requestId)
        return isLogin(done.value)
          ? loggedIn(done.value, requestId)
          : json(done.value, 200, { 'x-request-id': requestId })
      }),
    )
  onPost('/login/passkey/challenge', Nothing, (context) => signIn.passkeyChallenge(context))
  onPost('/login/passkey', PasskeyAnswer, (context, body) => signIn.passkey(context, body))
  onPost('/login/device', Nothing, (context) => signIn.device(context))
  onPost('/login/device/wait', DeviceRequest, (_context, body) => signIn.deviceState(body))

  const loginState = (context: HttpContext) =>
    auth.loginState(cookiesOf(context.req.header('cookie'), deps.cookieName()))
  return mountDashboard(web, { version: deps.version, loginState, guardedPage })
}

/** People may paste the whole link instead of its code. */
const codeIn = (text: string): string => /[?&]code=([\w-]+)/.exec(text)?.[1] ?? text.trim()
const isCode = (code: string): boolean => /^[\w-]{20,100}$/.test(code)

/** `signedInAs`: the user signed in on this browser, so that a link for someone else is refused. */
const SignInRequest = z.object({ code: z.string(), signedInAs: UserId.nullable().default(null) })
type SignInRequest = z.infer<typeof SignInRequest>

const Nothing = z.object({})
const isLogin = (value: object): value is NewLogin => 'cookie' in value

/** JSON only: forms of other pages can't send it. */
async function bodyOf<T>(context: HttpContext, schema: z.ZodType<T>): Promise<Result<T>> {
  if (!/^application\/json\b/i.test(context.req.header('content-type') ?? '')) return fail(notJson)
  const body = await readBody(context.req.raw, 10_000)
  if (!body.ok) return body
  const parsed = parseBody(body.value)
  return parsed.ok ? validate(schema, parsed.value, 'body') : parsed
}

const newLink = 'Make a new one on the machine that runs Signalbox: signalbox login'
const noSuchLink: Fault = {
  kind: 'forbidden',
  code: 'login_link_not_valid',
  message: 'This login link was already used, or is older than ten minutes.',
  hint: newLink,
}
