import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTlsProxy, openTrustingBrowser, ownAddress, type TlsProxy } from '../support/dashboard-tls.ts'
import { openDashboard, sizes, type Dashboard, type Size } from '../support/dashboard.ts'
import { until } from '../support/until.ts'

type Id = { id: string }
const everywhere: readonly Size[] = ['desktop', 'phone']

describe('the dashboard behind a TLS proxy', () => {
  let proxy: TlsProxy
  let dashboard: Dashboard
  beforeAll(async () => {
    proxy = await openTlsProxy()
    dashboard = await openDashboard({
      config: `[http]\npublic_url = "${proxy.origin}"\ntrusted_proxies = ["loopback"]\n`,
    })
    proxy.leadsTo(await ownAddress(dashboard.owner))
  })
  afterAll(async () => {
    await dashboard?.[Symbol.asyncDispose]()
    await proxy?.[Symbol.asyncDispose]()
  })

  it.for(everywhere)(
    'B5 on a %s: the link signs in, events arrive, the worker is installed, an ask is answered',
    async (size, context) => {
      await using browser = await openTrustingBrowser(context)
      const phone = size === 'phone' && { hasTouch: true, isMobile: true }
      const page = await browser.newPage({ viewport: sizes[size], ...phone })
      const complaints: string[] = []
      page.on('console', (message) => {
        if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
      })
      const { url } = await dashboard.owner.post<{ url: string }>('/api/login-links', {})
      expect(url.startsWith(`${proxy.origin}/login?code=`)).toBe(true)
      await page.goto(url)
      await page.getByRole('heading', { name: 'Inbox' }).first().waitFor()
      expect(new URL(page.url()).origin).toBe(proxy.origin)
      const cookies = await page.context().cookies()
      expect(cookies).toEqual([expect.objectContaining({ secure: true, httpOnly: true, sameSite: 'Lax' })])
      expect(await page.evaluate(() => window.isSecureContext)).toBe(true)

      const worker = await page.evaluate(async () => {
        const { active, scope } = await navigator.serviceWorker.ready
        return { script: active?.scriptURL, scope }
      })
      expect(worker).toEqual({ script: `${proxy.origin}/service-worker.js`, scope: `${proxy.origin}/` })

      const session = await dashboard.owner.post<Id>('/api/sessions', {
        protocolMode: 'mcp',
        workspaceRoot: dashboard.repo.path,
      })
      const ask = await dashboard.owner.post<Id>(`/api/sessions/${session.id}/asks`, {
        title: `Through the tunnel on a ${size}`,
        subject: { kind: 'command', command: 'make all', cwd: dashboard.repo.path },
      })
      // No reload: it arrives over the stream.
      await page.locator(`[data-key="ask:${ask.id}"]`).getByRole('link').click()
      await page.getByRole('button', { name: 'Approve' }).click()
      await until(async () => (await dashboard.ask(ask.id)).status === 'answered', { what: 'the answer' })
      expect(complaints).toEqual([])
    },
  )
})
