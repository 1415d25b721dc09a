import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openSlackDriver, type SlackDriver } from '../conformance/chats/slack-driver.ts'
import { guarded } from '../support/chats/loopback-guard.ts'
import { openDashboard, type Dashboard, type Size } from '../support/dashboard.ts'
import { until } from '../support/until.ts'

const sizes: readonly Size[] = ['desktop', 'phone']

describe.each(sizes)('the pages of chats on a %s', (size) => {
  let dashboard: Dashboard
  let slack: SlackDriver
  beforeAll(async () => {
    slack = await openSlackDriver()
    dashboard = await openDashboard({ env: guarded })
  })
  afterAll(async () => {
    await dashboard?.[Symbol.asyncDispose]()
    await slack?.[Symbol.asyncDispose]()
  })

  it('C12 lead a new owner from nothing to an approved diff in Slack', async (context) => {
    await using opened = await dashboard.open(context, { size, path: '/settings/chats' })
    const { page, complaints } = opened
    const main = page.locator('main')
    const shots = process.env['SIGNALBOX_SHOTS']
    let taken = 0
    const shot = async () => {
      taken += 1
      if (shots !== undefined) await page.screenshot({ path: join(shots, `from-nothing-${size}-${taken}.png`) })
    }
    // People can't choose where Slack is.
    await opened.context.route('**/api/chat-instances', (route, request) => {
      if (request.method() !== 'POST') return route.continue()
      const body = request.postDataJSON() as Record<string, unknown>
      return route.continue({ postData: JSON.stringify({ ...body, settings: slack.settings }) })
    })

    const connect = main.getByRole('link', { name: 'Connect a platform' })
    await connect.waitFor()
    await shot()
    await connect.click()
    await page.getByRole('radio', { name: 'Slack' }).check({ force: true })
    await main.getByText('paste the manifest').waitFor()
    await shot()
    await page.getByLabel('Bot token').fill(slack.credentials['bot_token'] ?? '')
    await page.getByLabel('App-level token').fill(slack.credentials['app_token'] ?? '')
    await page.getByRole('button', { name: 'Check and connect' }).click()
    await main.getByText('Connected').waitFor()
    const next = page.url()
    await shot()

    await main.getByRole('link', { name: 'Create an agent group' }).click()
    await page.getByRole('button', { name: 'New agent group' }).click()
    const form = page.getByRole('dialog')
    await form.getByLabel('Name').fill('helpers')
    await form.getByLabel('Agent').selectOption('practice')
    await shot()
    await form.getByRole('button', { name: 'Next' }).click()
    await form.getByLabel('Works in').selectOption({ label: 'depot' })
    await shot()
    await form.getByRole('button', { name: 'Next' }).click()
    await shot()
    await form.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('heading', { level: 1, name: 'helpers' }).waitFor()
    await shot()

    await page.goto(next)
    await main.getByRole('link', { name: 'Link your own account in Slack' }).click()
    await page.getByRole('button', { name: 'Create a link code' }).click()
    const words = await main.getByText(/^\/signalbox link /).innerText()
    await shot()
    const ann = slack.person('ann')
    ann.commands(words.replace('/signalbox ', '').trim())
    await main.getByText(ann.identity).waitFor()
    await until(() => ann.toldPrivately().some((text) => /You are .* here/.test(text)), { what: 'a welcome' })
    await shot()

    const root = ann.mentions('/write from-nothing.txt All aboard')
    await page.goto(dashboard.server.address)
    const ask = page.getByRole('link', { name: /Let helpers listen in ops/ })
    await ask.waitFor()
    await shot()
    await ask.click()
    await page.getByRole('button', { name: 'Approve' }).first().waitFor()
    await shot()
    await page.getByRole('button', { name: 'Approve' }).first().click()

    const card = await until(
      () => slack.posted(root).find(({ buttons }) => buttons.some(({ label }) => label === 'Approve')),
      { what: 'the card of the diff' },
    )
    expect(card.text).toContain('+All aboard')
    expect(dashboard.file('from-nothing.txt')).toBeNull()
    await shot()
    ann.clicks(card, 'Approve')
    await until(() => dashboard.file('from-nothing.txt') !== null, { what: 'the file' })
    const after = await until(() =>
      slack.posted(root).find(({ id, buttons }) => id === card.id && buttons.length === 0),
    )
    expect(after.text).toContain('Approved by')

    await page.goto(`${dashboard.server.address}/settings/chats`)
    await main.getByRole('link', { name: /ops/ }).waitFor()
    await shot()
    expect(complaints).toEqual([])
  })
})
