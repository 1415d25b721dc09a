import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPushedPage, type PushedPage } from '../support/dashboard-worker.ts'
import { openDashboard, type Dashboard, type Opened } from '../support/dashboard.ts'
import { openPushService, type PushBrowser, type PushService } from '../support/push-service.ts'
import { until } from '../support/until.ts'

type Skip = { skip: (note?: string) => never }
type Id = { id: string }

describe('notifications on a phone', () => {
  let dashboard: Dashboard
  let service: PushService
  beforeAll(async () => {
    service = await openPushService()
    dashboard = await openDashboard({ config: '[push]\nallow_private_endpoints = true\n' })
  })
  afterAll(async () => {
    await dashboard?.[Symbol.asyncDispose]()
    await service?.[Symbol.asyncDispose]()
  })

  /** A phone with notifications on. It views no session. */
  async function phone(context: Skip): Promise<Opened & { told: PushBrowser; worker: PushedPage }> {
    const { address } = dashboard.server
    const opened = await dashboard.open(context, {
      size: 'phone',
      path: '/settings',
      context: { permissions: ['notifications'] },
    })
    const told = service.browser('Phone')
    await dashboard.owner.post('/api/push/devices', told.subscription)
    return { ...opened, told, worker: await openPushedPage(opened.page, address) }
  }
  const toldOf = async (told: PushBrowser, askId: string, type = 'needs_you') =>
    (await told.first((payload) => payload.askId === askId && payload.type === type, `${type} of the ask`)).payload
  const status = async (id: string) => (await dashboard.ask(id)).status
  /** A session in which asks are opened by hand. */
  const agent = () =>
    dashboard.owner.post<Id>('/api/sessions', { protocolMode: 'mcp', workspaceRoot: dashboard.repo.path })
  const askOf = ({ id }: Id, more: Record<string, unknown> = {}) =>
    dashboard.owner.post<Id>(`/api/sessions/${id}/asks`, {
      title: 'Remove the old line?',
      subject: { kind: 'command', command: 'rm -r old', cwd: dashboard.repo.path },
      ...more,
    })

  it('B5 from the notification to an informed answer takes two taps', async (context) => {
    await using opened = await phone(context)
    const { page, told, worker, complaints } = opened
    const session = await dashboard.start('/write two-taps.txt Quickly')
    const ask = await dashboard.asks(session.id)
    const payload = await toldOf(told, ask.id)
    await worker.deliver(payload)
    const tag = `ask:${ask.id}`
    expect(await worker.says(tag, 'Write two-taps.txt')).toMatchObject({
      title: 'Write two-taps.txt',
      body: expect.stringContaining('practice in depot'),
      silent: false,
      requireInteraction: true,
      // A diff is read before it is approved.
      actions: [
        { action: 'open', title: 'Open' },
        { action: 'reject', title: 'Reject' },
      ],
    })
    expect(payload.badge).toBeGreaterThan(0)
    expect(await worker.badge()).toBe(payload.badge)

    let taps = 0
    taps += 1
    await worker.tap(tag)
    await page.waitForURL(`**/asks/${ask.id}`)
    await page.getByText('Quickly').first().waitFor()
    expect(await worker.shown()).toEqual([])
    expect(dashboard.file('two-taps.txt')).toBeNull()
    taps += 1
    await page.getByRole('button', { name: 'Allow' }).tap()
    await until(() => dashboard.file('two-taps.txt') === 'Quickly\n', { what: 'the file in the workspace' })
    expect(taps).toBe(2)
    expect(complaints).toEqual([])
  })

  it('B5 an answer from the notification reaches the agent, and finished asks disappear', async (context) => {
    await using opened = await phone(context)
    const { told, worker, complaints } = opened
    const session = await dashboard.start('/write from-there.txt Without looking')
    const ask = await dashboard.asks(session.id)
    const tag = `ask:${ask.id}`
    await worker.deliver(await toldOf(told, ask.id))
    await worker.says(tag, 'Write from-there.txt')
    await worker.tap(tag, 'approve')
    await until(() => dashboard.file('from-there.txt') === 'Without looking\n', { what: 'the file in the workspace' })
    expect(await dashboard.ask(ask.id)).toMatchObject({ answeredBy: expect.stringMatching(/^user:/) })
    await worker.says(tag, 'You approved it.')
    const gone = await toldOf(told, ask.id, 'gone')
    expect(gone).toMatchObject({ silent: true, tag })
    await worker.deliver(gone)
    await worker.says(tag, 'approved it.')
    await worker.noneOf(tag)
    expect(await worker.badge()).toBe(gone.badge)
    expect(complaints).toEqual([])
  })

  it('B5 an answer given elsewhere replaces the notification, then disappears', async (context) => {
    await using opened = await phone(context)
    const { told, worker } = opened
    const ask = await askOf(await agent())
    const tag = `ask:${ask.id}`
    await worker.deliver(await toldOf(told, ask.id))
    await worker.says(tag, 'rm -r old')
    await dashboard.owner.post(`/api/asks/${ask.id}/answer`, { outcome: 'reject', reason: null })
    await worker.deliver(await toldOf(told, ask.id, 'gone'))
    const { body, actions } = await worker.says(tag, 'rejected it.')
    expect(body).not.toContain('rm -r old')
    expect(actions).toEqual([])
    expect((await worker.shown()).filter((one) => one.tag === tag)).toHaveLength(1)
    await worker.noneOf(tag)
  })

  it('B5 a critical ask can be rejected from there, but must be opened to be approved', async (context) => {
    await using opened = await phone(context)
    const { page, told, worker } = opened
    const ask = await askOf(await agent(), { riskLevel: 'critical' })
    const tag = `ask:${ask.id}`
    await worker.deliver(await toldOf(told, ask.id))
    const { actions, body } = await worker.says(tag, 'rm -r old')
    expect(actions.map(({ action }) => action)).toEqual(['open', 'reject'])
    expect(body).toContain('critical')
    await worker.tap(tag, 'open')
    await page.waitForURL(`**/asks/${ask.id}`)
    await page.getByText('rm -r old').first().waitFor()
    expect(await status(ask.id)).toBe('open')
  })

  it('B5 nothing is sent about a session someone is viewing', async (context) => {
    await using opened = await phone(context)
    const { page, told } = opened
    const watched = await agent()
    const looking = page.waitForResponse(
      (response) => response.url().includes(`live=${watched.id}`) && response.url().includes('looking=true'),
    )
    await page.goto(`${dashboard.server.address}/sessions/${watched.id}`)
    await looking
    const seen = await askOf(watched)
    await page.getByText('Remove the old line?').first().waitFor()
    // A later message of another session is sent after it; so it would be here by now.
    const other = await askOf(await agent())
    await toldOf(told, other.id)
    expect(told.received.filter(({ payload }) => payload.askId === seen.id)).toEqual([])
    expect(await status(seen.id)).toBe('open')
  })

  it('B5 a finished session is announced silently, and the notification leads to it', async (context) => {
    await using opened = await phone(context)
    const { page, told, worker } = opened
    const session = await dashboard.start('/say Home again')
    const tag = `session:${session.id}`
    const { payload, urgency } = await told.first((one) => one.tag === tag && one.type === 'done', 'done')
    expect(payload.silent).toBe(true)
    expect(urgency).not.toBe('high')
    await worker.deliver(payload)
    expect(await worker.says(tag, 'depot')).toMatchObject({ silent: true, requireInteraction: false, actions: [] })
    await worker.tap(tag)
    await page.waitForURL(`**/sessions/${session.id}`)
    await page.getByText('Home again').first().waitFor()
  })
})
