import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openBrowser } from '../support/browser.ts'
import { openPushedPage, type PushedPage } from '../support/dashboard-worker.ts'
import { openPushService, type PushPayload, type PushService } from '../support/push-service.ts'
import { startServer, type Server } from '../support/server.ts'
import { until } from '../support/until.ts'

type Ask = { id: string; status: string; answeredBy: string | null }

/** A page with a running service worker, and a way to hand it a push message. */
async function openWorker(page: Page, origin: string): Promise<PushedPage> {
  await page.evaluate(`navigator.serviceWorker.register('/service-worker.js').then(() => undefined)`)
  return openPushedPage(page, origin)
}

describe('the real service worker', () => {
  let server: Server
  let service: PushService
  beforeAll(async () => {
    service = await openPushService()
    server = await startServer({ config: '[push]\nallow_private_endpoints = true\n' })
  })
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]()
    await service?.[Symbol.asyncDispose]()
  })

  it('B5 shows what the server sent, answers from there, and says who was first', async (context) => {
    await using browser = await openBrowser(context)
    const view = await browser.newContext()
    await view.grantPermissions(['notifications'], { origin: server.address })
    const page = await view.newPage()
    await page.goto(server.loginLink)
    await page.waitForURL(`${server.address}/`)
    const worker = await openWorker(page, server.address)
    const owner = server.api()
    const device = service.browser('Chromium')
    await owner.post('/api/push/devices', device.subscription)
    const session = await owner.post<{ id: string }>('/api/sessions', {
      protocolMode: 'mcp',
      workspaceRoot: '/srv/shop',
    })
    const subject = { kind: 'command', command: 'make all', cwd: '/srv/shop' }
    const open = () => owner.post<Ask>(`/api/sessions/${session.id}/asks`, { title: 'Build it?', subject })
    const arrived = (fits: (payload: PushPayload) => boolean) => device.first(fits)
    const standing = (tag: string, words: string) =>
      until(async () => (await worker.shown()).find((one) => one.tag === tag && one.body.includes(words)))

    const first = await open()
    const { payload } = await arrived(({ askId }) => askId === first.id)
    await worker.deliver(payload)
    const shown = await standing(`ask:${first.id}`, 'make all')
    expect(shown).toMatchObject({ title: 'Build it?', silent: false })
    await worker.tap(`ask:${first.id}`, 'approve')
    expect(
      await until(async () => {
        const ask = await owner.get<Ask>(`/api/asks/${first.id}`)
        return ask.status === 'answered' ? ask : null
      }),
    ).toMatchObject({ answeredBy: expect.stringContaining('user:') })
    await standing(`ask:${first.id}`, 'You approved it')
    // The server's next message replaces it, and disappears.
    await worker.deliver((await arrived(({ askId, type }) => askId === first.id && type === 'gone')).payload)
    await until(async () => (await worker.shown()).length === 0)

    const second = await open()
    await worker.deliver((await arrived(({ askId }) => askId === second.id)).payload)
    await standing(`ask:${second.id}`, 'make all')
    await owner.post(`/api/asks/${second.id}/answer`, { outcome: 'reject', reason: null })
    await worker.tap(`ask:${second.id}`, 'approve')
    const late = await until(async () =>
      (await worker.shown()).find((one) => one.tag === `ask:${second.id}` && !one.body.includes('make all')),
    )
    expect(late.body).toMatch(/already|first|answered/i)
    expect(await owner.get(`/api/asks/${second.id}`)).toMatchObject({ answer: { outcome: 'reject' } })
  })

  it('B5 a tap opens the item in the existing window', async (context) => {
    await using browser = await openBrowser(context)
    const view = await browser.newContext()
    await view.grantPermissions(['notifications'], { origin: server.address })
    const page = await view.newPage()
    const { url } = await server.api().post<{ url: string }>('/api/login-links', {})
    await page.goto(url)
    await page.waitForURL(`${server.address}/`)
    const worker = await openWorker(page, server.address)
    await worker.deliver({
      v: 1,
      type: 'done',
      tag: 'session:1',
      title: 'Done',
      body: 'shop',
      url: '/sessions',
      silent: true,
      badge: 0,
      at: '',
    })
    await until(async () => (await worker.shown()).length === 1)
    await worker.tap('session:1')
    await page.waitForURL(`${server.address}/sessions`)
    await until(async () => (await worker.shown()).length === 0)
    expect(view.pages()).toHaveLength(1)
  })
})
