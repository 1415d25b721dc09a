import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import {
  fault,
  openYard,
  slowWords,
  textOf,
  type AgentSession,
  type PermissionAsk,
  type Yard,
} from '../support/acp-yard.ts'
import { seededRandom } from '../support/acp-random.ts'
import { until } from '../support/until.ts'
import { campaignSeed, figure, scale } from '../support/scale.ts'

const kills = scale({ test: 5, long: 20 })
const edits = scale({ test: 3, long: 8 })
const words = scale({ test: 200, long: 700 })

/** Answers whatever is asked, until told to stop; a server that is just being killed is asked again. */
function answerAll(yard: Yard, session: AgentSession, random: () => number) {
  const answered = new Map<string, string>()
  const over = new AbortController()
  const approve = async (ask: PermissionAsk) => {
    await pause(random() * 150)
    await yard.answer(ask)
    answered.set(ask.id, ask.title)
  }
  const work = (async () => {
    while (!over.signal.aborted) {
      for (const ask of await yard.asks(session).catch(() => [])) await approve(ask).catch(() => {})
      await pause(20)
    }
  })()
  return {
    answered,
    async stop() {
      over.abort()
      await work
    },
  }
}

const prompts = (n: number) => [`/say first of ${n}`, `/say second of ${n}`, `/say third of ${n}`]

describe('kill -9 of the server', () => {
  it(`again and again in the middle of everything loses no word, asks nothing twice and does nothing twice`, async () => {
    const seed = campaignSeed()
    const random = seededRandom(seed)
    await using yard = await openYard()
    const [streaming, editing] = [await yard.start('practice'), await yard.start('practice')]
    const queued = await yard.start('practice')
    await yard.prompt(streaming, `/slow ${words} 30`)
    const script = Array.from(
      { length: edits },
      (_, n) => `/slow 5 40\n/write f${n}.txt written ${n}\n/run echo ${n} >> ran.log`,
    ).join('\n')
    const edit = await yard.prompt(editing, script)
    const people = answerAll(yard, editing, random)
    const asked: string[] = []

    for (let kill = 1; kill <= kills; kill += 1) {
      for (const text of kill % scale({ test: 2, long: 4 }) === 0 ? prompts(kill) : []) {
        await yard.prompt(queued, text)
        asked.push(text)
      }
      await pause(random() * 350)
      await yard.crash()
      // Now and then the agents are alone for a while.
      if (kill % 3 === 0) await pause(random() * 1000)
      await yard.server.restart()
    }

    const last = await yard.prompt(queued, '/say the end')
    asked.push('/say the end')
    await yard.settled(last, 30)
    await yard.settled(edit, 60)
    await until(async () => (await yard.queue(streaming))[0]?.status === 'delivered', { seconds: 30 })
    await people.stop()
    const note = `seed ${seed}`
    figure('server killed under ACP agents', `${kills} kills, ${note}`)
    const titles = Array.from({ length: edits }, (_, n) => [`Write f${n}.txt`, `Run echo ${n} >> ran.log`]).flat()

    const { messages } = await yard.detail(streaming)
    expect(textOf(messages), note).toBe(slowWords(words))
    expect(
      messages.filter(({ content }) => content['partial'] === true),
      note,
    ).toEqual([])

    const written = (await yard.detail(editing)).messages
    const tools = written.filter(({ content }) => content['type'] === 'tool')
    expect(
      tools.map(({ content }) => [content['title'], content['status']]),
      note,
    ).toEqual(titles.map((title) => [title, 'completed']))
    const piece = (n: number) => `${slowWords(5)}write f${n}.txt: donerun echo ${n} >> ran.log: done`
    expect(textOf(written).replaceAll('\n', ''), note).toBe(Array.from({ length: edits }, (_, n) => piece(n)).join(''))
    for (let n = 0; n < edits; n += 1)
      expect(readFileSync(join(yard.workspace, `f${n}.txt`), 'utf8')).toBe(`written ${n}\n`)
    const ran = readFileSync(join(yard.workspace, 'ran.log'), 'utf8')
    expect(ran, note).toBe(Array.from({ length: edits }, (_, n) => `${n}\n`).join(''))
    const asks = await yard.asks(editing, 'answered')
    expect(asks.map(({ title }) => title).toSorted(), note).toEqual(titles.toSorted())
    expect(await yard.asks(editing), note).toEqual([])

    const heard = (await yard.detail(queued)).messages
    expect(
      heard.filter(({ role }) => role === 'user').map(({ content }) => content['text']),
      note,
    ).toEqual(asked)
    expect(textOf(heard), note).toBe(asked.map((text) => text.slice('/say '.length)).join(''))
    expect(
      (await yard.queue(queued)).every(({ status }) => status === 'delivered'),
      note,
    ).toBe(true)
  })

  it('while a turn ends finds the turn over; while a permission waits the answer reaches the same agent', async () => {
    await using yard = await openYard()
    const [over, asking] = [await yard.start('practice'), await yard.start('practice')]
    const prompt = await yard.prompt(over, '/slow 20 50')
    const edit = await yard.prompt(asking, '/write a.txt hello\n/say done')
    const ask = await yard.openAsk(asking)
    await until(async () => textOf((await yard.detail(over)).messages).length > 0)
    await yard.crash()
    await pause(1500)
    await yard.server.restart()
    await yard.settled(prompt)
    expect(textOf((await yard.detail(over)).messages)).toBe(slowWords(20))
    expect((await yard.asks(asking)).map(({ id }) => id)).toEqual([ask.id])
    await yard.answer(ask)
    await yard.settled(edit)
    expect(readFileSync(join(yard.workspace, 'a.txt'), 'utf8')).toBe('hello\n')
    expect(textOf((await yard.detail(asking)).messages)).toMatch(/done$/)
  })

  it('while sessions are cancelled ends their agents in the next life', async () => {
    await using yard = await openYard({ faults: [fault('ignorecancel'), fault('escape')] })
    const sessions = [await yard.start('ignorecancel', { prompt: 'go' }), await yard.start('escape', { prompt: 'go' })]
    for (const session of sessions) await until(async () => textOf((await yard.detail(session)).messages) !== '')
    const cancelling = sessions.map(({ id }) =>
      yard.server
        .api()
        .send('DELETE', `/api/sessions/${id}`)
        .catch(() => null),
    )
    for (const session of sessions) await yard.becomes(session, 'cancelled')
    await yard.crash()
    await Promise.all(cancelling)
    await yard.server.restart()
    for (const session of sessions) expect((await yard.detail(session)).status).toBe('cancelled')
    await until(async () => (await yard.running()).length === 0)
  })

  it('while a session is paused and its turn ends finds the turn over when it goes on', async () => {
    await using yard = await openYard()
    const session = await yard.start('practice')
    const prompt = await yard.prompt(session, '/ignore-cancel\n/slow 30 30')
    await until(async () => textOf((await yard.detail(session)).messages).includes('word-5'))
    await yard.server.api().post(`/api/sessions/${session.id}/pause`)
    await yard.crash()
    await pause(1000)
    await yard.server.restart()
    await yard.server.api().post(`/api/sessions/${session.id}/resume`)
    await yard.settled(prompt)
    expect(textOf((await yard.detail(session)).messages)).toBe(slowWords(30))
    await yard.settled(await yard.prompt(session, '/say next'))
  })

  it('at any moment of a start leaves a session that works, or none and no process', async () => {
    const seed = campaignSeed()
    const random = seededRandom(seed)
    await using yard = await openYard()
    // The keeper is there already, so that the moments are those of the agent.
    await yard.start('practice')
    const moments = Array.from({ length: scale({ test: 4, long: 10 }) }, (_, n) =>
      n % 2 === 0 ? n * 20 : random() * 400,
    )
    for (const moment of moments) {
      const starting = yard.start('practice', { prompt: '/say hello' }).catch(() => null)
      await pause(moment)
      await yard.crash()
      await starting
      await yard.server.restart()
    }
    const { sessions } = await yard.server.api().get<{ sessions: AgentSession[] }>('/api/sessions?limit=100')
    const note = `seed ${seed}`
    expect(sessions.length, note).toBeGreaterThan(0)
    for (const session of sessions.slice(0, -1)) {
      await yard.becomes(session, 'active')
      await until(async () => textOf((await yard.detail(session)).messages) === 'hello', { what: `hello, ${note}` })
      const prompt = await yard.prompt(session, '/say again')
      await yard.settled(prompt)
    }
    const live = sessions.map(({ id }) => id)
    for (const id of live) expect((await yard.running({ id })).length, note).toBe(1)
    expect((await yard.running()).length, note).toBe(live.length)
  })
})
