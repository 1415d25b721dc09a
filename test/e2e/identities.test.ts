import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openSlack, type EmulatedSlack } from '../support/chats/slack.ts'
import { openDashboard, type Dashboard } from '../support/dashboard.ts'
import { until } from '../support/until.ts'

type Id = { id: string }
const code = /[A-Z2-9]{4}-[A-Z2-9]{4}/

describe('linking an account on the page', () => {
  let dashboard: Dashboard
  let slack: EmulatedSlack
  let channel: string
  let group: string
  beforeAll(async () => {
    slack = await openSlack()
    dashboard = await openDashboard()
    channel = slack.channel('general')
    const made = { name: 'Helpers', agent: 'practice', repoId: dashboard.repo.id }
    group = (await dashboard.owner.post<Id>('/api/agent-groups', made)).id
    await dashboard.owner.post('/api/chat-instances', {
      platform: 'slack',
      credentials: { bot_token: slack.tokens.bot, app_token: slack.tokens.app },
      settings: slack.endpoints,
    })
    await slack.connected()
  })
  afterAll(async () => {
    await dashboard?.[Symbol.asyncDispose]()
    await slack?.[Symbol.asyncDispose]()
  })

  /** Somebody in the channel. */
  function inSlack(name: string) {
    const person = slack.person(name)
    slack.workspace.channels.get(channel)?.members.add(person.id)
    const told = () => slack.ephemerals.filter(({ user }) => user === person.id).map(({ text }) => text)
    return { ...person, told }
  }

  it('C2 the page shows what to write in the chat; once it is written there, the page lists the account', async (context) => {
    const user = await dashboard.owner.post<Id>('/api/users', { displayName: 'Rosa' })
    await using opened = await dashboard.open(context, { userId: user.id, path: `/settings/people/${user.id}` })
    const { page } = opened
    await page.getByRole('button', { name: 'Create a link code' }).click()
    const shown = await page.getByText(/^\/signalbox link /).innerText()
    expect(shown).toMatch(code)
    const rosa = inSlack('rosa')
    rosa.commands(channel, shown.replace('/signalbox ', '').trim())
    await until(() => rosa.told().some((text) => text.includes('You are Rosa here')), { what: 'a welcome' })
    await page.getByText(`slack:${rosa.id}`).waitFor()
  })

  it('C2 a code from the chat is entered on the page, which shows the account before it is linked', async (context) => {
    const sam = inSlack('sam')
    const made = await dashboard.owner.post<Id>('/api/users', { displayName: 'sam', identities: [`slack:${sam.id}`] })
    await dashboard.owner.send('PUT', `/api/agent-groups/${group}/members/${made.id}`)
    sam.commands(channel, 'link')
    const text = await until(() => sam.told().find((one) => code.test(one)), { what: 'a code' })
    const user = await dashboard.owner.post<Id>('/api/users', { displayName: 'Samuel' })
    await using opened = await dashboard.open(context, { userId: user.id, path: `/settings/people/${user.id}` })
    const { page } = opened
    const field = page.getByLabel('Code from a chat')
    await field.fill('AAAA-AAAA')
    await field.press('Enter')
    await page.getByText('This code can’t be used').first().waitFor()
    await field.fill(code.exec(text)?.[0] ?? '')
    await field.press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByText(`slack:${sam.id}`).waitFor()
    await dialog.getByRole('button', { name: 'Link' }).click()
    await page.getByRole('list', { name: 'Identities' }).getByText(`slack:${sam.id}`).waitFor()
    const { identities } = await dashboard.owner.get<{ identities: { identity: string }[] }>(`/api/users/${user.id}`)
    expect(identities.map(({ identity }) => identity)).toEqual([`slack:${sam.id}`])
  })
})
