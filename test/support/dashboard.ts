import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import type { Api } from './api.ts'
import { openBrowser } from './browser.ts'
import { startServer, type Server, type ServerOptions } from './server.ts'
import { until } from './until.ts'

type Skip = { skip: (note?: string) => never }

export type Session = { id: string; status: string; agent: string | null; workspaceRoot: string }
export type Ask = {
  id: string
  sessionId: string
  kind: string
  status: string
  title: string
  answeredBy: string | null
}

/** Desktop and phone sizes. */
export const sizes = { desktop: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } } as const
export type Size = keyof typeof sizes

export type OpenOptions = {
  size?: Size
  path?: string
  userId?: string
  /** Instead of the server's own address: a proxy in front of it. */
  address?: string
  context?: Parameters<Browser['newContext']>[0]
}

export type Opened = AsyncDisposable & {
  readonly page: Page
  readonly context: BrowserContext
  /** Console and page errors, including CSP violations. */
  readonly complaints: string[]
}

/** A server with a repo for agents, and browsers that are signed in to it. */
export type Dashboard = AsyncDisposable & {
  readonly server: Server
  readonly owner: Api
  readonly repo: { readonly id: string; readonly path: string }
  open(skip: Skip, options?: OpenOptions): Promise<Opened>
  /** The practice agent at work in the repo. */
  start(prompt: string, more?: Record<string, unknown>): Promise<Session>
  /** The next open ask of a session, of this kind if given. */
  asks(sessionId: string, kind?: string): Promise<Ask>
  ask(id: string): Promise<Ask>
  /** Content of a file in the repo; null if missing. */
  file(name: string): string | null
}

export async function openDashboard(options: ServerOptions = {}): Promise<Dashboard> {
  await using stack = new AsyncDisposableStack()
  const base = await mkdtemp(join(tmpdir(), 'sbd-'))
  stack.defer(() => rm(base, { recursive: true, force: true, maxRetries: 5 }))
  const path = await makeRepo(base)
  const server = stack.use(
    await startServer({
      ...options,
      env: {
        AGENT_WORKSPACE_ROOT: base,
        SIGNALBOX_ACP__MAX_SESSIONS: '50',
        SIGNALBOX_MAX_CONCURRENT_SESSIONS: '5000',
        SIGNALBOX_STALL__ENABLED: 'false',
        ...options.env,
      },
    }),
  )
  const owner = server.api()
  const { id } = await owner.post<{ id: string }>('/api/repos', { path, name: 'depot' })
  const browsers: Promise<Browser>[] = []
  stack.defer(async () => {
    await Promise.all(browsers.map(async (browser) => (await browser).close()))
  })
  let browser: Promise<Browser> | null = null
  const kept = stack.move()
  return {
    server,
    owner,
    repo: { id, path },
    async open(skip, { size = 'desktop', path: at = '/', userId, address, context: more } = {}) {
      browser ??= openBrowser(skip)
      if (!browsers.includes(browser)) browsers.push(browser)
      const { url } = await owner.post<{ url: string }>('/api/login-links', userId === undefined ? {} : { userId })
      const here = address ?? server.address
      const context = await (
        await browser
      ).newContext({
        viewport: sizes[size],
        ...(size === 'phone' && { hasTouch: true, isMobile: true }),
        ...more,
      })
      const page = await context.newPage()
      const complaints: string[] = []
      page.on('console', (message) => {
        if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
      })
      page.on('pageerror', (error) => complaints.push(error.message))
      const { pathname, search } = new URL(url)
      await page.goto(`${here}${pathname}${search}`)
      await page.waitForURL(`${here}/`)
      if (at !== '/') await page.goto(`${here}${at}`)
      return { page, context, complaints, [Symbol.asyncDispose]: () => context.close() }
    },
    start: (prompt, more = {}) =>
      owner.post<Session>('/api/sessions', { repoId: id, agent: 'practice', prompt, ...more }),
    asks: (sessionId, kind) =>
      until(
        async () => {
          const { asks } = await owner.get<{ asks: Ask[] }>(`/api/asks?status=open&sessionId=${sessionId}`)
          return asks.find((ask) => kind === undefined || ask.kind === kind) ?? null
        },
        { what: `an open ask${kind === undefined ? '' : ` of kind ${kind}`}` },
      ),
    ask: (askId) => owner.get<Ask>(`/api/asks/${askId}`),
    file: (name) => readIfThere(join(path, name)),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

/** It may be removed meanwhile. */
function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

async function makeRepo(base: string): Promise<string> {
  const path = join(base, 'depot')
  await mkdir(path)
  await writeFile(join(path, 'README.md'), '# Depot\n\nTrains rest here.\n')
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.org', ...args], {
      cwd: path,
      stdio: 'ignore',
    })
  git('init', '-q')
  git('add', '.')
  git('commit', '-qm', 'first')
  return path
}
