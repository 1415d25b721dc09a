import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { LoginState } from './auth.ts'
import { pageHeaders, signedOutPage, errorPage } from './html.ts'
import type { HttpContext } from './request.ts'
import type { Web } from './route.ts'

type PageHandler = (context: HttpContext) => Promise<Response>
type DashboardDeps = {
  version: string
  loginState(context: HttpContext): Promise<LoginState>
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

/** The files of the dashboard. All of its views are one page. */
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
  // The page is the same for everyone and holds no data; it reads data with the login key.
  const page = guardedPage(async (context) => {
    const login = await deps.loginState(context)
    if (login !== 'live') return signedOutPage(deps.version, login, context.req.path === '/' ? 200 : 401)
    const file = await webFile('index.html')
    if (!file) return notBuilt()
    return webResponse(file, encodings(context), { forever: false, headers: pageHeaders })
  })
  web.get('/', page)
  return { page }
}

const notBuilt = () => errorPage('The dashboard is not built.', 'Run: npm run build', 503)
const gone = () => new Response('This file no longer exists. Reload the page.', { status: 404 })

type Packed = { readonly bytes: Uint8Array<ArrayBuffer>; readonly encoding: 'br' | 'gzip' | null }
type WebFile = { readonly type: string; packed(accepted: string): Promise<Packed> }

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.webmanifest': 'application/manifest+json',
}
const alreadySmall = new Set(['.png', '.woff2'])
// Nearly the best compression at a tenth of the time: files are compressed on first request.
const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }

const folder = new URL(import.meta.url.endsWith('.ts') ? '../../../dist/web/' : './web/', import.meta.url)
const known = new Map<string, WebFile>()

/** A file of the web build. Cached after the first read: a later build may not fit this server. */
async function webFile(name: string): Promise<WebFile | null> {
  const found = known.get(name)
  if (found) return found
  const type = types[extname(name)]
  if (type === undefined || !/^(?:assets\/)?[\w][\w.-]*$/.test(name)) return null
  const bytes = await readFile(new URL(name, folder)).catch(() => null)
  if (!bytes) return null
  const file = { type, packed: packer(new Uint8Array(bytes), alreadySmall.has(extname(name))) }
  known.set(name, file)
  return file
}

function packer(bytes: Uint8Array<ArrayBuffer>, isSmall: boolean): WebFile['packed'] {
  let br: Promise<Uint8Array<ArrayBuffer>> | undefined
  let gz: Promise<Uint8Array<ArrayBuffer>> | undefined
  return async (accepted) => {
    if (!isSmall && /\bbr\b/.test(accepted)) {
      br ??= promisify(brotliCompress)(bytes, brotli).then((packed) => new Uint8Array(packed))
      return { bytes: await br, encoding: 'br' }
    }
    if (!isSmall && /\bgzip\b/.test(accepted)) {
      gz ??= promisify(gzip)(bytes).then((packed) => new Uint8Array(packed))
      return { bytes: await gz, encoding: 'gzip' }
    }
    return { bytes, encoding: null }
  }
}

/** Names in assets/ change with their contents; all other files are revalidated each time. */
async function webResponse(
  file: WebFile,
  accepted: string,
  options: { forever: boolean; headers?: Readonly<Record<string, string>> },
): Promise<Response> {
  const { bytes, encoding } = await file.packed(accepted)
  return new Response(bytes, {
    headers: {
      'content-type': file.type,
      ...(encoding && { 'content-encoding': encoding }),
      vary: 'accept-encoding',
      'cache-control': options.forever ? 'max-age=31536000, immutable' : 'no-cache',
      'x-content-type-options': 'nosniff',
      ...options.headers,
    },
  })
}
