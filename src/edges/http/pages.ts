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
import { asset, signInPage, errorPage } from './html.ts'
import type { InFlight } from './in-flight.ts'
import { readBody } from '../../lib/http-body.ts'
import { validate, cookiesOf, parseJson, type HttpContext } from './request.ts'
import { failed, json } from './respond.ts'
import { notJson, type Web } from './route.ts'
import { icon, style } from './stylesheet.ts'

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

/** What a browser opens: the login, and the dashboard, whose page answers whatever address no one else has. */
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

  // Shown, not carried out: whatever fetches links ahead of a person must not use the code up.
  web.get(
    '/login',
    guardedPage(async (context) => {
      const code = codeIn(context.req.query('code') ?? '')
      if (!isCode(code)) return errorPage('This login link is not complete.', newLink, 400)
      // A page of somebody else that leads here may want this browser in an account of theirs.
      const asked = /^(?:none|same-origin)$/.test(context.req.header('sec-fetch-site') ?? '')
      return signInPage(code, asked ? 'at_once' : 'when_confirmed')
    }),
  )

  /** The code first, whoever else at this address guesses: a link that is right always works. */
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

  // Answered with the key once, to the page that had the code; nobody gets the key of a login that is there already.
  web.post(
    '/login',
    guardedCall(async (context, requestId) => {
      const asked = await signInOf(context)
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

  const heldLogin = (context: HttpContext) => auth.heldLogin(cookiesOf(context.req.header('cookie'), deps.cookieName()))
  return mountDashboard(web, { version: deps.version, heldLogin, guardedPage })
}

/** A whole link may be pasted where its code is asked for. */
const codeIn = (text: string): string => /[?&]code=([\w-]+)/.exec(text)?.[1] ?? text.trim()
const isCode = (code: string): boolean => /^[\w-]{20,100}$/.test(code)

/** `signedInAs`: whom the page knows this browser to be signed in as, to be told if the link is for somebody else. */
const SignInRequest = z.object({ code: z.string(), signedInAs: UserId.nullable().default(null) })
type SignInRequest = z.infer<typeof SignInRequest>

/** As JSON alone: no form of another page can send that. */
async function signInOf(context: HttpContext): Promise<Result<SignInRequest>> {
  if (!/^application\/json\b/i.test(context.req.header('content-type') ?? '')) return fail(notJson)
  const body = await readBody(context.req.raw, 10_000)
  if (!body.ok) return body
  const parsed = parseJson(body.value)
  return parsed.ok ? validate(SignInRequest, parsed.value, 'body') : parsed
}

const newLink = 'Make a new one where Signalbox runs: signalbox login'
const noSuchLink: Fault = {
  kind: 'forbidden',
  code: 'login_link_not_valid',
  message: 'This login link was used already, or is older than ten minutes.',
  hint: newLink,
}
