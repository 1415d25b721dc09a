import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../../support/until.ts'
import { signIn } from '../people.ts'
import type { Shown } from './driver.ts'
import { chatDrivers } from './drivers.ts'
import { openChatsHarness, type ChatsHarness } from './harness.ts'

const question = (more: object = {}) =>
  `tool ${JSON.stringify({
    name: 'ask_user_question',
    arguments: { title: 'Colour', question: 'Which colour?', options: ['red', 'blue'], ...more },
  })}`
const hasButtons = ({ buttons }: Shown): boolean => buttons.length > 0

describe.each(chatDrivers)('%s', (_name, open) => {
  let harness: ChatsHarness
  beforeAll(async () => {
    harness = await openChatsHarness(open, {
      agent: 'tools',
      chat: { unknownSenderPolicy: 'request_approval' },
      env: { SIGNALBOX_TIMEOUTS__STARTUP_GRACE_SECONDS: '0' },
    })
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  const closed = (root: string, { id }: Shown) =>
    harness.shown(root, (one) => one.id === id && !hasButtons(one), 'the card without buttons')

  it('C12 a card that nobody answers in time says so, and has no buttons any more', async () => {
    const ann = await harness.member('Ann')
    const root = ann.mentions(question({ timeout_seconds: 5 }))
    const card = await harness.shown(root, hasButtons, 'a card')
    expect((await closed(root, card)).text).toMatch(/expired/i)
  })

  it('C12 a card whose session is stopped elsewhere says so, and has no buttons any more', async () => {
    const ben = await harness.member('Ben')
    const root = ben.mentions(question())
    const card = await harness.shown(root, hasButtons, 'a card')
    const { api } = await signIn(harness.server, ben.userId)
    const session = (await harness.sessions()).find(({ ownerUserId }) => ownerUserId === ben.userId)
    await api.delete(`/api/sessions/${session?.id}`)
    expect((await closed(root, card)).text).toMatch(/withdrawn|cancelled/i)
  })

  it('C12 a card that several people have is updated for all of them when one answers', async () => {
    const admins = [await harness.linked('Ada'), await harness.linked('Bob')]
    for (const { userId } of admins) await harness.api.post(`/api/users/${userId}/roles`, { role: 'admin' })
    const eve = harness.driver.person('Eve')
    eve.mentions('hello')
    const cards = await Promise.all(
      admins.map((admin) => until(() => admin.direct().find(hasButtons), { what: `a card for ${admin.name}` })),
    )
    const [ada] = admins
    const [first] = cards
    if (!ada || !first) throw new Error('no card')
    ada.clicks(first, 'Reject')
    await ada.fills('no')
    for (const [at, admin] of admins.entries()) {
      const after = await until(() => admin.direct().find((one) => one.id === cards[at]?.id && !hasButtons(one)), {
        what: `the answered card of ${admin.name}`,
      })
      expect(after.text).toContain('Rejected by Ada')
    }
  })
})
