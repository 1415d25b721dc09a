import { cp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { paths } from '../../web/app/paths.ts'
import { bidi, escapes, everything, expectHarmless, html, oscLink, short, watch } from '../support/dashboard-hostile.ts'
import { openDashboard, type Dashboard, type Opened } from '../support/dashboard.ts'
import { until } from '../support/until.ts'

type Id = { id: string }
type Skip = { skip: (note?: string) => never }
const clipboard = 'what was copied before'

describe('agents and programs with hostile output', () => {
  let dashboard: Dashboard
  beforeAll(async () => {
    dashboard = await openDashboard()
  })
  afterAll(() => dashboard?.[Symbol.asyncDispose]())

  const post = <T = Id>(path: string, body: unknown) => dashboard.owner.post<T>(path, body)
  const startSession = (more: Record<string, unknown> = {}) =>
    post('/api/sessions', { protocolMode: 'mcp', workspaceRoot: dashboard.repo.path, prompt: everything, ...more })
  const ask = ({ id }: Id, subject: Record<string, unknown>, more: Record<string, unknown> = {}) =>
    post(`/api/sessions/${id}/asks`, { title: short(900), description: everything, subject, ...more })
  const say = ({ id }: Id, content: Record<string, unknown>, role = 'agent') =>
    post(`/api/sessions/${id}/messages`, { role, content })
  const follow = async (name: string, text: string) => {
    const logFile = join(dashboard.repo.path, name)
    await writeFile(logFile, text)
    return post<{ sessionId: string }>('/api/terminals', {
      sessionType: 'file',
      logFile,
      filePosition: 0,
      name: short(200),
    })
  }

  /** A watched page with something in the clipboard. */
  async function open(context: Skip): Promise<Opened & { effects: string[] }> {
    const opened = await dashboard.open(context)
    const effects = await watch(opened.context, dashboard.server.address)
    await opened.page.bringToFront()
    await opened.page.evaluate((text) => navigator.clipboard.writeText(text), clipboard)
    return { ...opened, effects }
  }
  async function expectQuiet({ page, effects, complaints }: Opened & { effects: string[] }): Promise<void> {
    await page.bringToFront()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(clipboard)
    expect(effects).toEqual([])
    expect(complaints).toEqual([])
  }
  const go = async (page: Page, path: string) => {
    await page.goto(`${dashboard.server.address}${path}`)
    await loaded(page)
  }
  const loaded = async (page: Page) => {
    await page.getByRole('heading').first().waitFor()
    await page
      .getByText(/^(Loading|Reading)/)
      .first()
      .waitFor({ state: 'detached' })
  }
  /** Like a link: without a reload. By a page that is none, so that it is known when the next one is there. */
  const turnTo = async (page: Page, path: string) => {
    const nowhere = page.getByRole('heading', { name: 'Page not found' })
    await page.evaluate(() => history.pushState({}, '', '/no/such/view'))
    await nowhere.waitFor()
    await page.evaluate((to) => history.pushState({}, '', to), path)
    await nowhere.waitFor({ state: 'detached' })
    await loaded(page)
  }
  /** The page still works. */
  async function expectAlive(page: Page): Promise<void> {
    await page.getByRole('link', { name: 'Settings' }).first().click()
    await page.getByRole('heading', { name: 'Settings' }).first().waitFor()
  }

  const edit = { type: 'diff', path: short(300), oldText: html, newText: everything }
  const subjects = (): Record<string, unknown>[] => [
    { kind: 'diff', filePath: `src/${bidi}.txt`, diff: diffOf(everything) },
    { kind: 'diff', filePath: short(300), diff: everything },
    { kind: 'command', command: everything, cwd: `/srv/${short(300)}` },
    { kind: 'tool', tool: short(300), input: { [short(100)]: everything } },
    {
      kind: 'permission',
      toolCall: {
        toolCallId: 't',
        title: everything,
        kind: 'edit',
        content: [edit],
        rawInput: { command: everything },
      },
      options: [{ optionId: 'a', name: short(200), kind: 'allow_once' }],
    },
    {
      kind: 'elicitation',
      message: everything,
      schema: {
        type: 'object',
        properties: { [short(50)]: { type: 'string', title: short(200), description: everything, default: html } },
      },
    },
    { kind: 'prompt', text: everything },
    { kind: 'wait', message: everything },
    { kind: 'question', question: everything, options: [{ label: short(200), value: html }] },
    { kind: 'packages', apt: [short(200)], npm: [html.slice(0, 200)], reason: everything },
    { kind: 'mcp_server', name: short(200), server: { command: everything, args: [html] }, reason: everything },
    { kind: 'create_agent', name: short(200), instructions: everything, reason: everything },
    { kind: 'credential', name: short(200), host: short(200), reason: everything },
    { kind: 'unknown_sender', identity: short(200), chat: short(200) },
    { kind: 'new_chat', chat: short(200), name: short(200) },
    {
      kind: 'terminal_prompt',
      promptText: everything,
      promptType: 'text',
      dangerous: true,
      dangerReason: short(500),
      suggestedInputs: [short(200)],
    },
  ]

  it('B11 every view shows it as text: nothing runs, loads or is sent', { timeout: 240_000 }, async (context) => {
    const person = await post('/api/users', { displayName: short(60) })
    await post('/api/tokens', { name: short(150) })
    await post('/api/repos', { path: await otherRepo(dashboard), name: short(150) })
    const session = await startSession({ agent: short(150) })
    for (const content of [
      { type: 'text', text: everything },
      { type: 'text', text: everything, level: 'error' },
      { type: 'thought', text: everything },
      { type: 'plan', steps: [{ content: everything, status: 'pending', priority: 'high' }, everything, html] },
      {
        type: 'tool',
        tool: short(100),
        title: everything,
        kind: 'execute',
        args: { command: everything },
        result: everything,
        status: 'completed',
      },
      {
        type: 'tool',
        tool: 'edit',
        title: short(200),
        args: {},
        content: [edit],
        locations: [{ path: short(200) }],
        status: 'completed',
      },
      {
        type: 'tool',
        tool: html,
        args: html,
        content: [{ type: 'content', content: { type: 'text', text: everything } }],
        status: 'failed',
      },
    ])
      await say(session, content)
    await say(session, { type: 'text', text: everything }, 'user')
    await say(session, { type: 'text', text: everything }, 'system')
    const asks: Id[] = []
    for (const subject of subjects()) asks.push(await ask(session, subject))
    const settled = await ask(session, { kind: 'command', command: html, cwd: '/srv' })
    await post(`/api/asks/${settled.id}/answer`, { outcome: 'reject', reason: everything })
    const terminal = await follow('hostile.log', `${everything.replaceAll('\n', '\r\n')}\r\nthe end of it\r\n`)

    await using opened = await open(context)
    const { page } = opened
    for (const { id } of [...asks, settled]) {
      await turnTo(page, `/asks/${id}`)
      await expectHarmless(page, `ask ${id}`)
    }
    const group = await post<Id>('/api/agent-groups', { name: short(100), agent: 'practice' })
    const { instance } = await post<{ instance: Id }>('/api/chat-instances', {
      platform: 'slack',
      title: short(100),
      credentials: { bot_token: 'xoxb-none', app_token: 'xapp-none' },
      settings: { api: 'http://127.0.0.1:9/api/' },
      check: false,
    })
    const place = { channelType: 'slack', platformId: 'C0EVIL', isGroup: true, instanceId: instance.id }
    const chat = await post<Id>('/api/chats', { ...place, name: short(100) })
    await post('/api/wirings', { chatId: chat.id, agentGroupId: group.id })
    await post(`/api/web-chats/${group.id}/messages`, { text: everything })
    const schedule = await post<Id>('/api/schedules', {
      name: short(100),
      prompt: everything,
      every: '1d',
      agentGroupId: group.id,
    })
    const ids: Record<string, string> = {
      schedule: schedule.id,
      ask: settled.id,
      person: person.id,
      terminal: terminal.sessionId,
      chat: chat.id,
      chatInstance: instance.id,
      agentGroup: group.id,
      webChat: group.id,
    }
    for (const [name, path] of Object.entries(paths)) {
      if (name === 'alert') continue
      await turnTo(page, path.replace('$id', ids[name] ?? session.id))
      await expectHarmless(page, name)
    }
    await turnTo(page, '/search?q=click')
    await expectHarmless(page, 'search')
    await turnTo(page, '/sessions?q=data-evil')
    await expectHarmless(page, 'sessions')

    await go(page, `/sessions/${session.id}`)
    for (const fold of await page.locator('main summary').all()) await fold.click()
    const text = await expectHarmless(page, 'the conversation, unfolded')
    expect(text).toContain('<script data-evil>')
    expect(text).toContain('⟨U+202E⟩')
    const outward = page.getByRole('log').getByRole('link', { name: 'outward' }).first()
    expect(await outward.getAttribute('href')).toBe('/leaving#https%3A%2F%2Fevil.example%2Fgo')
    expect(
      await page
        .getByRole('log')
        .getByRole('link', { name: /^(one|two|three|four|five|six|file)\b/ })
        .count(),
    ).toBe(0)
    await expectAlive(page)
    await expectQuiet(opened)
  })

  it('T a terminal renders a program’s escapes and obeys none that reach beyond its screen', async (context) => {
    const { sessionId } = await follow('escapes.log', `${escapes}\n${oscLink}\n${bidi}\n${html}\nthe end of it\n`)
    await using opened = await open(context)
    const { page } = opened
    await go(page, `/terminals/${sessionId}`)
    const shown = page.locator('.xterm-rows')
    await until(async () => (await shown.innerText()).includes('the end of it'), { what: 'what it printed' })
    const text = await expectHarmless(page, 'terminal')
    expect(text).toContain('<script data-evil>')
    expect(await shown.locator('a').count()).toBe(0)
    await shown
      .getByText('osc-link')
      .first()
      .click({ modifiers: ['Control'], force: true })
    await expectAlive(page)
    await expectQuiet(opened)
  })

  it('B1 lines of 10 MB and texts of 100,000 lines leave the page usable', { timeout: 180_000 }, async (context) => {
    const endless = 'x'.repeat(10_000_000)
    const long = 'y'.repeat(3_900_000)
    const tall = Array.from({ length: 100_000 }, (_, index) => `line ${index} <b>`).join('\n')
    const session = await startSession({ prompt: 'Write much' })
    await say(session, { type: 'text', text: long })
    await say(session, { type: 'text', text: tall })
    await say(session, { type: 'thought', text: tall })
    await say(session, {
      type: 'tool',
      tool: 'cat',
      title: long.slice(0, 100_000),
      kind: 'execute',
      args: {},
      result: endless,
      status: 'completed',
    })
    await say(session, { type: 'text', text: 'the end of it' })
    const subjectsOf = (text: string) => [
      { kind: 'command', command: text.slice(0, 1_000_000), cwd: '/srv' },
      { kind: 'prompt', text },
      { kind: 'diff', filePath: 'a.txt', diff: diffOf(text) },
      { kind: 'diff', filePath: 'b.txt', diff: text },
    ]
    const asks: Id[] = []
    for (const text of [long, tall])
      for (const subject of subjectsOf(text))
        asks.push(await ask(session, subject, { title: 'Much', description: 'of it' }))
    const terminal = await follow('endless.log', `${endless}\nthe end of it\n`)

    await using opened = await open(context)
    const { page } = opened
    await go(page, `/sessions/${session.id}`)
    await page.getByRole('log').getByText('the end of it').first().waitFor()
    for (const fold of await page.getByRole('log').locator('summary').all()) await fold.click()
    await expectHarmless(page, 'session')
    await expectAlive(page)
    for (const { id } of asks) {
      await go(page, `/asks/${id}`)
      await page
        .getByRole('button', { name: /Approve|Continue/ })
        .last()
        .waitFor()
      await expectHarmless(page, 'ask')
      await expectAlive(page)
    }
    await go(page, `/terminals/${terminal.sessionId}`)
    await until(async () => (await page.locator('.xterm-rows').innerText()).includes('the end of it'), {
      what: 'the end of what it printed',
      seconds: 30,
    })
    await expectAlive(page)
    await expectQuiet(opened)
  })

  it('B11 pages have a policy that allows only our own scripts and styles', async () => {
    const { url } = await post<{ url: string }>('/api/login-links', {})
    const guest = dashboard.server.tcp()
    const code = new URL(url).searchParams.get('code') ?? ''
    const headers = { origin: dashboard.server.address }
    const signedIn = await guest.send('POST', '/login', { body: { code }, headers })
    const cookie = signedIn.headers['set-cookie']?.[0]?.split(';')[0] ?? ''
    expect(cookie).not.toBe('')
    for (const [path, headers] of [
      ['/', { cookie }],
      ['/', {}],
      ['/asks/00000000-0000-4000-8000-000000000000', { cookie }],
      ['/api/docs', { cookie }],
    ] as const) {
      const reply = await guest.send('GET', path, { headers: { accept: 'text/html', ...headers } })
      const policy = String(reply.headers['content-security-policy'])
      expect(policy).not.toMatch(/unsafe|https?:|\*/)
      expect(policy).toContain("default-src 'none'")
      expect(policy).toContain("script-src 'self'")
      expect(policy).toContain("style-src 'self'")
      expect(policy).toContain("base-uri 'none'")
      expect(policy).toContain("frame-ancestors 'none'")
      expect(reply.headers['x-content-type-options']).toBe('nosniff')
      expect(reply.text).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\son\w+=/i)
    }
    const script = /src="(\/assets\/[^"]+\.js)"/.exec((await guest.send('GET', '/', { headers: { cookie } })).text)?.[1]
    expect((await guest.send('GET', script ?? '')).headers['x-content-type-options']).toBe('nosniff')
  })
})

/** Another repo next to the dashboard's. */
async function otherRepo({ repo }: Dashboard): Promise<string> {
  const path = join(repo.path, '..', 'other')
  await cp(repo.path, path, { recursive: true })
  return path
}

/** One line becomes the text. */
function diffOf(text: string): string {
  const lines = text.split('\n')
  return `--- a/a.txt\n+++ b/a.txt\n@@ -1,1 +1,${lines.length} @@\n-before\n${lines.map((line) => `+${line}\n`).join('')}`
}
