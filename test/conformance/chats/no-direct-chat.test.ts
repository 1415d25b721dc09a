import { expect, it } from 'vitest'
import { until } from '../../support/until.ts'
import { openChatsHarness } from './harness.ts'
import { openTelegramDriver } from './telegram-driver.ts'

it('C12 where a bot can not begin a chat with a person, they are told so in the group, once; a stranger is not', async () => {
  await using harness = await openChatsHarness(openTelegramDriver)
  const { telegram } = harness.driver
  const ann = await harness.member('Ann')
  const eve = harness.driver.person('Eve')
  const directOf = ({ identity }: { identity: string }) => {
    const direct = telegram.world.chats.get(Number(identity.slice('tg:'.length)))
    if (!direct) throw new Error(`no chat with ${identity}`)
    return direct
  }
  for (const person of [ann, eve]) directOf(person).isClosed = true
  const strangers = async () => (await harness.api.list<unknown>('/api/strangers')).length
  eve.commands('sessions')
  await until(async () => (await strangers()) === 1, { what: 'a count' })
  const hints = () => harness.driver.inChat().filter(({ text }) => text.includes("I can't write to you"))
  expect(hints()).toEqual([])
  ann.commands('sessions')
  await until(() => hints().length > 0, { what: 'the hint' })
  expect(hints().map(({ text }) => text.trim())).toEqual([
    "Ann: The answer is for you alone, but I can't write to you. Open a chat with me and start it, then try again.",
  ])
  ann.commands('agents')
  directOf(ann).isClosed = false
  ann.commands('who')
  await until(() => ann.toldPrivately().some((text) => text.includes('You are Ann')), { what: 'an answer' })
  expect(hints()).toHaveLength(1)
})
