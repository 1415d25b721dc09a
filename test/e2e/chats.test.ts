import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { guarded } from '../support/chats/loopback-guard.ts'
import { openSlack } from '../support/chats/slack.ts'
import { openDashboard, type Dashboard, type Size } from '../support/dashboard.ts'
import { makeChats, type DashboardChats } from '../support/dashboard-chats.ts'
import { until } from '../support/until.ts'

const sizes: readonly Size[] = ['desktop', 'phone']
type Id = { id: string }

describe('chats in the dashboard', () => {
  let dashboard: Dashboard
  let chats: DashboardChats
  beforeAll(async () => {
    dashboard = await openDashboard({ env: guarded })
    chats = await makeChats(dashboard)
  })
  afterAll(() => dashboard?.[Symbol.asyncDispose]())

  const main = (page: Page) => page.locator('main')
  const group = (name: string) =>
    dashboard.owner.post<Id>('/api/agent-groups', { name, agent: 'practice', repoId: dashboard.repo.id })

  it.for(sizes)('C12 on a %s: a conversation with an agent, a card with buttons, a reload', async (size, context) => {
    const { id } = await group(`Signalman on a ${size}`)
    const file = `web-${size}.txt`
    await using opened = await dashboard.open(context, { size, path: `/chat/${id}` })
    const { page } = opened
    const message = page.getByRole('textbox', { name: 'Message' })
    await message.fill(`/write ${file} All aboard`)
    await message.press('Enter')
    const card = page.getByRole('region', { name: new RegExp(`Write ${file}`) })
    await card.getByRole('button', { name: /^Approve/ }).click()
    await until(() => dashboard.file(file) !== null, { what: `${file} in the workspace` })
    await until(async () => (await card.getByRole('button').count()) === 0, { what: 'a card without buttons' })
    const texts = () => page.getByRole('log').locator('li > :first-child').allInnerTexts()
    await message.fill('/say Ready for departure')
    await page.getByRole('button', { name: 'Send' }).click()
    await page
      .getByRole('log')
      .locator('li')
      .filter({ hasText: /^Ready for departure/ })
      .first()
      .waitFor()
    await until(async () => (await page.getByText('Thinking…').count()) === 0, { what: 'an end of thinking' })
    const before = await texts()
    expect(before[0]).toContain(`/write ${file} All aboard`)
    await page.reload()
    await page.getByRole('log').getByText('Ready for departure').first().waitFor()
    expect(await texts()).toEqual(before)
  })

  it.for(sizes)(
    'C12 on a %s: an owner connects Slack, step by step, and reads what to do next',
    async (size, context) => {
      await using slack = await openSlack()
      await using opened = await dashboard.open(context, { size, path: '/settings/chats/instances/new' })
      const { page } = opened
      // People can't choose where Slack is.
      await opened.context.route('**/api/chat-instances', (route, request) => {
        if (request.method() !== 'POST') return route.continue()
        const body = request.postDataJSON() as Record<string, unknown>
        return route.continue({ postData: JSON.stringify({ ...body, settings: slack.endpoints }) })
      })
      await page.getByRole('radio', { name: 'Slack' }).check({ force: true })
      await main(page).getByText('paste the manifest').waitFor()
      await main(page).getByRole('button', { name: 'Copy the manifest' }).waitFor()
      await page.getByLabel('Bot token').fill('xoxb-wrong')
      await page.getByLabel('App-level token').fill(slack.tokens.app)
      await page.getByLabel('Name', { exact: true }).fill(`yard-${size}`)
      const connect = page.getByRole('button', { name: 'Check and connect' })
      await connect.click()
      await page.getByRole('alert').getByText('Slack does not accept the bot token.').waitFor()
      await page.getByLabel('Bot token').fill(slack.tokens.bot)
      await connect.click()
      await main(page).getByText('Connected').waitFor()
      await main(page).getByText('mention it there').first().waitFor()
      await main(page).getByRole('link', { name: 'Link your own account in Slack' }).click()
      await page.getByRole('button', { name: 'Create a link code' }).click()
      expect(await main(page).getByText('/signalbox link').first().innerText()).toContain('/signalbox link')
    },
  )

  it('C3 a member sees their own web chat, and not the messages of others', async (context) => {
    const { owner } = dashboard
    const { id } = await group('Shared agent')
    await owner.post(`/api/web-chats/${id}/messages`, { text: '/say Not for members' })
    const member = await owner.post<Id>('/api/users', { displayName: 'Mia' })
    await owner.send('PUT', `/api/agent-groups/${id}/members/${member.id}`)
    await using opened = await dashboard.open(context, { userId: member.id, path: `/chat/${id}` })
    const { page } = opened
    await main(page).getByText('Only you see this chat').waitFor()
    expect(await main(page).innerText()).not.toContain('Not for members')
    await page.goto(`${dashboard.server.address}/settings/chats`)
    await main(page).getByText('You administer none').waitFor()
    expect(await main(page).getByRole('navigation', { name: 'Chats' }).innerText()).not.toContain('Accounts')
  })

  it('C3 an agent group is wired to a chat, changed and unwired', async (context) => {
    await group('Pointsman')
    await using opened = await dashboard.open(context, { path: `/settings/chats/${chats.chat}` })
    const { page } = opened
    await page.getByRole('button', { name: 'Wire an agent group' }).click()
    const form = page.getByRole('dialog')
    await form.getByLabel('Agent group').selectOption({ label: 'Pointsman' })
    await form.getByLabel('Answers').selectOption({ label: 'When the text matches' })
    await form.getByLabel('Pattern').fill('^points')
    await form.getByRole('button', { name: 'Wire' }).click()
    const row = page.getByRole('listitem').filter({ hasText: 'Pointsman' })
    await row.getByText('When the text matches ^points').waitFor()
    const wired = async () =>
      (await dashboard.owner.get<{ wirings: { engagePattern: string | null }[] }>(`/api/chats/${chats.chat}`)).wirings
    expect((await wired()).map(({ engagePattern }) => engagePattern)).toContain('^points')
    await row.getByRole('button', { name: 'Unwire' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Unwire' }).click()
    await until(async () => (await wired()).length === 1, { what: 'one wiring' })
  })

  it('C12 on a phone the current tab is in sight, and no other is current', async (context) => {
    await using opened = await dashboard.open(context, { size: 'phone', path: '/settings/chats/not-sent' })
    const { page } = opened
    const current = main(page).getByRole('navigation', { name: 'Chats' }).locator('[aria-current]')
    await current.getByText('Not sent').waitFor()
    expect(await current.allInnerTexts()).toEqual(['Not sent'])
    await until(
      async () => {
        const box = await current.boundingBox()
        return box !== null && box.x >= 0 && box.x + box.width <= 390
      },
      { what: 'the tab in sight' },
    )
  })

  it('C3 strangers are listed with where, why and how often they wrote', async (context) => {
    await using opened = await dashboard.open(context, { path: '/settings/chats/strangers' })
    // The name of the chat is loaded apart from the strangers.
    const row = opened.page.getByRole('listitem').filter({ hasText: 'Casper' }).filter({ hasText: 'yard-works' })
    await row.waitFor()
    expect(await row.innerText()).toMatch(/ignores unknown people · in yard-works on Slack · 3 messages/)
  })
})
