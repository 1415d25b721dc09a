import { pagePolicy } from './html.ts'
import { signedOut, sorry } from './page-parts.ts'
import type { HttpContext } from './request.ts'
import type { Web } from './route.ts'
import { webFile, webResponse } from './web-files.ts'

type Handle = (context: HttpContext) => Promise<Response>
type DashboardDeps = {
  version: string
  isSignedIn(context: HttpContext): Promise<boolean>
  guardedPage(handle: Handle): Handle
}

const still = [
  'manifest.webmanifest',
  'service-worker.js',
  'icon-192.png',
  'icon-512.png',
  'icon-maskable-512.png',
  'badge-96.png',
]
const encodings = (context: HttpContext) => context.req.header('accept-encoding') ?? ''

/** The files of the dashboard. Its views are addresses of one page, which knows itself what to show. */
export function mountDashboard(web: Web, deps: DashboardDeps): { page: Handle } {
  const { guardedPage } = deps
  for (const name of still)
    web.get(
      `/${name}`,
      guardedPage(async (context) => {
        const file = await webFile(name)
        return file ? webResponse(file, encodings(context), { forever: false }) : notBuilt()
      }),
    )
  web.get(
    '/assets/:name',
    guardedPage(async (context) => {
      const file = await webFile(`assets/${context.req.param('name') ?? ''}`)
      return file ? webResponse(file, encodings(context), { forever: true }) : gone()
    }),
  )
  const page = guardedPage(async (context) => {
    if (!(await deps.isSignedIn(context))) {
      const page = signedOut(deps.version, context.req.path === '/' ? 200 : 401)
      // A tap on a notification leads to its ask, also by way of the login.
      if (context.req.path !== '/') page.headers.append('set-cookie', wantedCookie(context.req.path))
      return page
    }
    const file = await webFile('index.html')
    if (!file) return notBuilt()
    return webResponse(file, encodings(context), {
      forever: false,
      headers: { 'content-security-policy': pagePolicy, 'referrer-policy': 'same-origin', 'cache-control': 'no-store' },
    })
  })
  web.get('/', page)
  return { page }
}

const wantedName = 'signalbox_wanted'
const wantedCookie = (path: string): string =>
  `${wantedName}=${encodeURIComponent(path)}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${path === '' ? 0 : 900}`
export const noneWanted = wantedCookie('')

/** Where somebody wanted to go when they were sent to the login; ours alone. */
export function wantedPath(cookies: string | undefined): string {
  const path = decodeURIComponent(/(?:^|; )signalbox_wanted=([\w%.~-]*)/.exec(cookies ?? '')?.[1] ?? '')
  return /^\/[\w-]+(?:\/[\w-]+)*$/.test(path) ? path : '/'
}

const notBuilt = () => sorry('What browsers load was not built.', 'In the clone: npm run build', 503)
const gone = () => new Response('This part of the page is gone: load the page anew.', { status: 404 })
