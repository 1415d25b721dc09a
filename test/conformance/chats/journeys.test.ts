import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../../support/until.ts'
import { chatDrivers } from './drivers.ts'
import { openChatsHarness, type ChatsHarness } from './harness.ts'

type Ask = {
  id: string
  status: string
  answeredBy: string | null
  answer: { outcome: string; reason?: string } | null
}

describe.each(chatDrivers)('%s', (_name, open) => {
  let harness: ChatsHarness
  beforeAll(async () => {
    harness = await openChatsHarness(open)
  })
  afterAll(async () => {
    await harness[Symbol.asyncDispose]()
  })

  const written = (name: string) => readFile(join(harness.workspace, name), 'utf8').catch(() => null)
  const asks = async () => (await harness.api.get<{ asks: Ask[] }>('/api/asks?limit=100')).asks
  const sessionsBefore = async () => (await harness.sessions()).length
  /** Asks the agent to write a file, and waits for the card. */
  async function asked(who: { mentions(text: string): string }, file: string) {
    const before = await sessionsBefore()
    const root = who.mentions(`/write ${file} Hello there.`)
    await until(async () => (await sessionsBefore()) > before, { what: 'a session' })
    return { root, card: await harness.card(root) }
  }

  it('X11 C12 a mention starts a session in its thread; its diff is a card; a button applies it and the card says who', async () => {
    const ann = await harness.member('Ann')
    const { root, card } = await asked(ann, 'hello.txt')
    expect(card.text).toContain('Hello there.')
    expect(card.buttons.map(({ label }) => label)).toEqual(['Approve', 'Reject'])
    expect(await written('hello.txt')).toBeNull()
    ann.clicks(card, 'Approve')
    await until(async () => (await written('hello.txt')) === 'Hello there.\n', { what: 'the file' })
    const after = await harness.shown(
      root,
      ({ id, buttons }) => id === card.id && buttons.length === 0,
      'the answered card',
    )
    expect(after.text).toContain('Approved by Ann')
    await harness.shown(root, ({ text }) => text.includes('write hello.txt'), 'what the agent says')
    const [session] = await harness.sessions()
    expect(session?.ownerUserId).toBe(ann.userId)
  })

  it('R3 text answers in the thread: approve, and reject with a reason', async () => {
    const ben = await harness.member('Ben')
    const first = await asked(ben, 'by-words.txt')
    ben.says('approve', first.root)
    await until(async () => (await written('by-words.txt')) !== null, { what: 'the file' })
    const second = await asked(ben, 'refused.txt')
    ben.says('reject not on a Friday', second.root)
    const after = await harness.shown(
      second.root,
      ({ id, buttons }) => id === second.card.id && buttons.length === 0,
      'the card',
    )
    expect(after.text).toContain('Rejected by Ben: not on a Friday')
    expect(await written('refused.txt')).toBeNull()
  })

  it('R3 B1 of two people who click at once one wins; whoever does not own it is told so, and nothing changes', async () => {
    const cat = await harness.member('Cat')
    const dan = await harness.member('Dan')
    const { root, card } = await asked(cat, 'two.txt')
    dan.clicks(card, 'Approve')
    await until(() => dan.toldPrivately().length > 0, { what: 'a refusal' })
    expect(dan.toldPrivately().join()).toMatch(/owner/i)
    expect(await written('two.txt')).toBeNull()
    cat.clicks(card, 'Approve')
    cat.clicks(card, 'Approve')
    const after = await harness.shown(root, ({ id, buttons }) => id === card.id && buttons.length === 0, 'the card')
    expect(after.text).toContain('Approved by Cat')
    await until(async () => (await written('two.txt')) !== null, { what: 'the file' })
  })

  it('C3 R3 a stranger meets silence, is counted, and starts nothing', async () => {
    const eve = harness.driver.person('Eve')
    const before = await sessionsBefore()
    const root = eve.mentions('/write stolen.txt no')
    await until(
      async () => {
        const strangers = await harness.api.list<{ identity: string; messageCount: number }>('/api/strangers')
        return strangers.some((one) => one.identity === eve.identity)
      },
      { what: 'a count' },
    )
    expect(harness.driver.posted(root)).toEqual([])
    expect(eve.toldPrivately()).toEqual([])
    expect(await sessionsBefore()).toBe(before)
  })

  it('C4 a message that the platform delays is sent when it may be, and one whose answer was lost arrives once', async () => {
    const fay = await harness.member('Fay')
    harness.driver.fail('wait', 1)
    const limited = await asked(fay, 'limited.txt')
    expect(harness.driver.posted(limited.root).filter(({ buttons }) => buttons.length > 0)).toHaveLength(1)
    harness.driver.fail('lost', 1)
    const lost = await asked(fay, 'lost.txt')
    fay.clicks(lost.card, 'Approve')
    await until(async () => (await written('lost.txt')) !== null, { what: 'the file' })
    await harness.shown(lost.root, ({ text }) => text.includes('write lost.txt'), 'what the agent says')
    const texts = harness.driver.posted(lost.root).map(({ text }) => text)
    expect(new Set(texts).size).toBe(texts.length)
  })

  it('C12 a connection that breaks in the middle of an approval is made again without a gap', async () => {
    const gus = await harness.member('Gus')
    const { root, card } = await asked(gus, 'dropped.txt')
    harness.driver.drop()
    gus.clicks(card, 'Approve')
    gus.says('approve', root)
    await until(async () => (await written('dropped.txt')) !== null, { what: 'the file', seconds: 60 })
    const [latest] = await asks()
    expect(latest).toMatchObject({ status: expect.not.stringMatching('open'), answer: { outcome: 'approve' } })
  })

  it('R23 a card from before a restart of the server is answered after it', async () => {
    const hal = await harness.member('Hal')
    const { root, card } = await asked(hal, 'restarted.txt')
    await harness.server.kill('SIGKILL')
    hal.says('approve', root)
    await harness.server.restart()
    await until(async () => (await written('restarted.txt')) !== null, { what: 'the file', seconds: 60 })
    const after = await harness.shown(root, ({ id, buttons }) => id === card.id && buttons.length === 0, 'the card')
    expect(after.text).toContain('Approved by Hal')
  })

  it('C12 a text that is too long is split, and nothing of it is lost', async () => {
    const ida = await harness.member('Ida')
    const words = Array.from({ length: 3000 }, (_, at) => `w${at}`)
    const root = ida.mentions(`/say ${words.join(' ')}`)
    await harness.shown(root, ({ text }) => text.includes('w2999'), 'the end of the text')
    const all = harness.driver
      .posted(root)
      .map(({ text }) => text)
      .join('\n')
    expect(words.filter((word) => !all.includes(word))).toEqual([])
  })
})
