import type { App } from '../../app/app.ts'
import { iso, type Clock } from '../../lib/clock.ts'
import { newId } from '../../lib/id.ts'
import { newSecret, sha256 } from '../../lib/secret.ts'
import type { Attempts } from './attempts.ts'
import type { Authenticator } from './auth.ts'
import { checkHost, checkOrigin, type GuardConfig } from './guard.ts'
import { asset, escapeHtml, page } from './html.ts'
import type { InFlight } from './in-flight.ts'
import { readBody } from '../../lib/http-body.ts'
import { heading, sorry } from './page-parts.ts'
import { cookieOf, type HttpContext } from './request.ts'
import type { Web } from './route.ts'
import { mountDashboard, noneWanted, wantedPath } from './dashboard.ts'
import { icon, loginScript, style } from './style.ts'

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

  const guardedPage = (handle: (context: HttpContext) => Promise<Response>) => (context: HttpContext) =>
    deps.inFlight.run(newId<string>(), async () => {
      const host = context.req.header('host')
      const refused = checkHost(deps.guard, host) ?? checkOrigin(deps.guard, host, context.req.header('origin'))
      return refused && context.env.door === 'tcp'
        ? sorry(refused.fault.message, refused.fault.hint, 403)
        : handle(context)
    })

  const mountAsset = (path: string, text: string, type: string) =>
    web.get(
      path,
      guardedPage(async () => asset(text, type)),
    )
  mountAsset('/style.css', style, 'text/css; charset=utf-8')
  mountAsset('/icon.svg', icon, 'image/svg+xml')
  mountAsset('/login.js', loginScript, 'text/javascript; charset=utf-8')

  const recognise = (context: HttpContext) =>
    auth.recognise({ door: 'tcp', bearer: null, cookie: cookieOf(context.req.header('cookie'), deps.cookieName()) })

  // Shown, not carried out: whatever fetches links ahead of a person must not use the code up.
  web.get(
    '/login',
    guardedPage(async (context) => {
      const code = codeIn(context.req.query('code') ?? '')
      if (!/^[\w-]{20,100}$/.test(code)) return sorry('This login link is not complete.', newLink, 400)
      const form = `<form method="post" action="/login"><input type="hidden" name="code" value="${escapeHtml(code)}">
<button>Sign in</button></form>`
      return page('Sign in · Signalbox', `${heading}<div class="card"><p>Signing you in …</p>${form}</div>`, {
        script: '/login.js',
      })
    }),
  )

  web.post(
    '/login',
    guardedPage(async (context) => {
      const from = deps.attempts.addressOf(context)
      const blocked = deps.attempts.refusal(from)
      if (blocked) return sorry(blocked.fault.message, blocked.fault.hint, 429)
      const body = await readBody(context.req.raw, 10_000)
      const code = new URLSearchParams(body.ok ? body.value : '').get('code') ?? ''
      const cookie = newSecret('')
      const done = await app.dispatch(
        {
          type: 'login.redeem',
          linkHash: sha256(code),
          cookieHash: sha256(cookie),
          expiresAt: iso(clock.now() + thirtyDays),
        },
        { kind: 'system', name: 'login' },
      )
      if (done.ok) return signedIn(wantedPath(context.req.header('cookie')), deps.loginCookie(cookie))
      await deps.attempts.failed(from)
      const limited = deps.attempts.refusal(from)
      if (limited) return sorry(limited.fault.message, limited.fault.hint, 429)
      return sorry(done.fault.message, newLink, done.fault.kind === 'forbidden' ? 403 : 503)
    }),
  )

  const isSignedIn = async (context: HttpContext) => (await recognise(context)).ok
  return mountDashboard(web, { version: deps.version, isSignedIn, guardedPage })
}

/** A whole link may be pasted where its code is asked for. */
const codeIn = (text: string): string => /[?&]code=([\w-]+)/.exec(text)?.[1] ?? text.trim()

function signedIn(location: string, cookie: string): Response {
  const headers = new Headers({ location, 'set-cookie': cookie })
  if (location !== '/') headers.append('set-cookie', noneWanted)
  return new Response(null, { status: 303, headers })
}

const newLink = 'Make a new one where Signalbox runs: signalbox login'
