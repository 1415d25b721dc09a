import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { callTool, connectClient, sessionOf } from '../conformance/mcp-harness.ts'
import { newToken } from '../conformance/work.ts'
import { openDashboard, type Dashboard } from '../support/dashboard.ts'
import { until } from '../support/until.ts'

type Id = { id: string }

/** The toasts; urgent ones appear twice, for screen readers. */
const said = (page: Page, words: string) => page.locator('h2', { hasText: words })

describe('answers and answered asks', () => {
  let dashboard: Dashboard
  let workspace = ''
  beforeAll(async () => {
    workspace = await mkdtemp(join(tmpdir(), 'sbe-'))
    dashboard = await openDashboard({ env: { SIGNALBOX_WORKSPACE_ROOT: workspace, AGENT_WORKSPACE_ROOT: tmpdir() } })
  })
  afterAll(async () => {
    await dashboard?.[Symbol.asyncDispose]()
    await rm(workspace, { recursive: true, force: true })
  })

  async function command(): Promise<string> {
    const workspaceRoot = dashboard.repo.path
    const subject = { kind: 'command', command: 'npm test', cwd: workspaceRoot }
    const session = await dashboard.owner.post<Id>('/api/sessions', { protocolMode: 'mcp', workspaceRoot })
    return (await dashboard.owner.post<Id>(`/api/sessions/${session.id}/asks`, { title: 'Run the tests?', subject })).id
  }

  /** An agent that asks for approval of a file's whole content. */
  async function changeOf(file_path: string, content: string) {
    const { token } = await newToken(dashboard.owner, { name: 'an agent', scope: 'agent' })
    const { client } = await connectClient(dashboard.server, { token, query: new URLSearchParams() })
    const sessionId = await sessionOf(client)
    const held = callTool(client, 'ask_approval', { title: 'Change it', diff: content, file_path }, { held: true })
    held.catch(() => {})
    const path = `/api/asks?sessionId=${sessionId}&status=open`
    const ask = await until(async () => (await dashboard.owner.get<{ asks: Id[] }>(path)).asks[0])
    return { id: ask.id, [Symbol.asyncDispose]: () => client.close() }
  }

  it('B1 an answer whose reply is lost has not failed: the page looks it up and reports it', async (context) => {
    await using opened = await dashboard.open(context, { size: 'phone' })
    const { page } = opened
    const id = await command()
    const keys: (string | undefined)[] = []
    const looked = Promise.withResolvers<void>()
    await page.goto(`${dashboard.server.address}/asks/${id}`)
    await page.getByRole('button', { name: 'Approve' }).waitFor()
    await page.route(`**/api/asks/${id}/answer`, async (route) => {
      keys.push(route.request().headers()['idempotency-key'])
      await route.fetch()
      await route.abort()
    })
    await page.route(`**/api/asks/${id}`, async (route) => {
      await looked.promise
      await route.continue()
    })
    await page.getByRole('button', { name: 'Approve' }).tap()
    await said(page, 'Your answer may not have arrived').waitFor()
    looked.resolve()
    await said(page, 'Your answer arrived').waitFor()
    await said(page, 'Your answer may not have arrived').waitFor({ state: 'detached' })
    expect(keys).toEqual([expect.stringMatching(/^[\da-f]{32}$/)])
    expect((await dashboard.ask(id)).status).not.toBe('open')
  })

  it('B1 an answer that was never sent did not arrive, and retrying sends the same answer', async (context) => {
    await using opened = await dashboard.open(context)
    const { page } = opened
    const id = await command()
    const keys: (string | undefined)[] = []
    await page.goto(`${dashboard.server.address}/asks/${id}`)
    const approve = page.getByRole('button', { name: 'Approve' }).first()
    await approve.waitFor()
    await page.route(`**/api/asks/${id}/answer`, async (route) => {
      keys.push(route.request().headers()['idempotency-key'])
      await (keys.length === 1 ? route.abort() : route.continue())
    })
    await approve.click()
    await said(page, 'Your answer did not arrive').waitFor()
    expect((await dashboard.ask(id)).status).toBe('open')
    await approve.click()
    await said(page, 'Approved').waitFor()
    expect(new Set(keys).size).toBe(1)
    expect(keys).toHaveLength(2)
    expect((await dashboard.ask(id)).status).not.toBe('open')
  })

  it('B1 lines a diff leaves out can be shown by keyboard if the whole content is known', async (context) => {
    await using opened = await dashboard.open(context)
    const { page } = opened
    const lines = Array.from({ length: 60 }, (_, at) => `line ${at + 1}`)
    const whole = lines.with(29, 'line thirty')
    await writeFile(join(workspace, 'long.txt'), `${lines.join('\n')}\n`)
    await using change = await changeOf('long.txt', `${whole.join('\n')}\n`)
    const { id } = change
    await page.goto(`${dashboard.server.address}/asks/${id}`)
    const more = page.getByRole('button', { name: 'Show 26 unchanged lines' })
    await more.first().waitFor()
    expect(await page.getByText('line 7', { exact: true }).count()).toBe(0)
    await more.first().focus()
    await page.keyboard.press('Enter')
    await page.getByText('line 7', { exact: true }).first().waitFor()
    await page.getByRole('button', { name: 'Hide 26 unchanged lines' }).waitFor()
    expect((await dashboard.ask(id)).status).toBe('open')
  })
})
