import type { LoginState } from './auth.ts'
import { pageHeaders } from './html.ts'
import { signedOutPage, errorPage } from './page-parts.ts'
import type { HttpContext } from './request.ts'
import type { Web } from './route.ts'
import { webFile, webResponse } from './web-files.ts'

type PageHandler = (context: HttpContext) => Promise<Response>
type DashboardDeps = {
  version: string
  heldLogin(context: HttpContext): Promise<LoginState>
  guardedPage(handle: PageHandler): PageHandler
}

const staticFiles = [
  'manifest.webmanifest',
  'service-worker.js',
  'sign-in.js',
  'icon-192.png',
  'icon-512.png',
  'icon-maskable-512.png',
  'badge-96.png',
]
const encodings = (context: HttpContext) => context.req.header('accept-encoding') ?? ''

/** The files of the dashboard. Its views are addresses of one page, which knows itself what to show. */
export function mountDashboard(web: Web, deps: DashboardDeps): { page: PageHandler } {
  const { guardedPage } = deps
  for (const name of staticFiles)
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
  // The same page for everybody, without data: what it shows it reads with the key of the login.
  const page = guardedPage(async (context) => {
    const held = await deps.heldLogin(context)
    if (held !== 'live') return signedOutPage(deps.version, held, context.req.path === '/' ? 200 : 401)
    const file = await webFile('index.html')
    if (!file) return notBuilt()
    return webResponse(file, encodings(context), { forever: false, headers: pageHeaders })
  })
  web.get('/', page)
  return { page }
}

const notBuilt = () => errorPage('What browsers load was not built.', 'In the clone: npm run build', 503)
const gone = () => new Response('This part of the page is gone. Reload the page.', { status: 404 })
