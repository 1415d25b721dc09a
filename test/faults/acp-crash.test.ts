import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import {
  fault,
  openAcpHarness,
  slowWords,
  textOf,
  type AgentSession,
  type PermissionAsk,
  type AcpHarness,
} from '../support/acp-harness.ts'
import { seededRandom } from '../support/acp-random.ts'
import { until } from '../support/until.ts'
import { campaignSeed, figure, scale } from '../support/scale.ts'

const kills = scale({ test: 5, long: 20 })
const edits = scale({ test: 3, long: 8 })
const words = scale({ test: 200, long: 700 })

/** Answers every ask until told to stop; if the server is just being killed, it retries. */
function answerAll(harness: AcpHarness, session: AgentSession, random: () => number) {
  const answered = new Map<string, string>()
  const over = new AbortController()
  const approve = async (ask: PermissionAsk) => {
    await pause(random() * 150)
    await harness.answer(ask)
    answered.set(ask.id, ask.title)
  }
  const work = (async () => {
    while (!over.signal.aborted) {
      for (const ask of await harness.asks(session).catch(() => [])) await approve(ask).catch(() => {})
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
  it(`repeatedly at any moment loses no text, asks nothing twice and does nothing twice`, async () => {
    const seed = campaignSeed()
    const random = seededRandom(seed)
    await using harness = await openAcpHarness()
    const [streaming, editing] = [await harness.start('practice'), await harness.start('practice')]
    const queued = await harness.start('practice')
    await harness.prompt(streaming, `/slow ${words} 30`)
    const script = Array.from(
      { length: edits },
      (_, n) => `/slow 5 40\n/write f${n}.txt written ${n}\n/run echo ${n} >> ran.log`,
    ).join('\n')
    const edit = await harness.prompt(editing, script)
    const people = answerAll(harness, editing, random)
    const asked: string[] = []

    for (let kill = 1; kill <= kills; kill += 1) {
      for (const text of kill % scale({ test: 2, long: 4 }) === 0 ? prompts(kill) : []) {
        await harness.prompt(queued, text)
        asked.push(text)
      }
      await pause(random() * 350)
      await harness.crash()
      // Now and then the agents run without a server for a while.
      if (kill % 3 === 0) await pause(random() * 1000)
      await harness.server.restart()
    }

    const last = await harness.prompt(queued, '/say the end')
    asked.push('/say the end')
    await harness.settled(last, 30)
    await harness.settled(edit, 60)
    await until(async () => (await harness.queue(streaming))[0]?.status === 'delivered', { seconds: 30 })
    await people.stop()
    const note = `seed ${seed}`
    figure('server killed under ACP agents', `${kills} kills, ${note}`)
    const titles = Array.from({ length: edits }, (_, n) => [`Write f${n}.txt`, `Run echo ${n} >> ran.log`]).flat()

    const { messages } = await harness.detail(streaming)
    expect(textOf(messages), note).toBe(slowWords(words))
    expect(
      messages.filter(({ content }) => content['partial'] === true),
      note,
    ).toEqual([])

    const written = (await harness.detail(editing)).messages
    const tools = written.filter(({ content }) => content['type'] === 'tool')
    expect(
      tools.map(({ content }) => [content['title'], content['status']]),
      note,
    ).toEqual(titles.map((title) => [title, 'completed']))
    const piece = (n: number) => `${slowWords(5)}write f${n}.txt: donerun echo ${n} >> ran.log: done`
    expect(textOf(written).replaceAll('\n', ''), note).toBe(Array.from({ length: edits }, (_, n) => piece(n)).join(''))
    for (let n = 0; n < edits; n += 1)
      expect(readFileSync(join(harness.workspace, `f${n}.txt`), 'utf8')).toBe(`written ${n}\n`)
    const ran = readFileSync(join(harness.workspace, 'ran.log'), 'utf8')
    expect(ran, note).toBe(Array.from({ length: edits }, (_, n) => `${n}\n`).join(''))
    const asks = await harness.asks(editing, 'answered')
    expect(asks.map(({ title }) => title).toSorted(), note).toEqual(titles.toSorted())
    expect(await harness.asks(editing), note).toEqual([])

    const heard = (await harness.detail(queued)).messages
    expect(
      heard.filter(({ role }) => role === 'user').map(({ content }) => content['text']),
      note,
    ).toEqual(asked)
    expect(textOf(heard), note).toBe(asked.map((text) => text.slice('/say '.length)).join(''))
    expect(
      (await harness.queue(queued)).every(({ status }) => status === 'delivered'),
      note,
    ).toBe(true)
  })

  it('while a turn ends leaves the turn ended; while a permission waits the answer reaches the same agent', async () => {
    await using harness = await openAcpHarness()
    const [over, asking] = [await harness.start('practice'), await harness.start('practice')]
    const prompt = await harness.prompt(over, '/slow 20 50')
    const edit = await harness.prompt(asking, '/write a.txt hello\n/say done')
    const ask = await harness.openAsk(asking)
    await until(async () => textOf((await harness.detail(over)).messages).length > 0)
    await harness.crash()
    await pause(1500)
    await harness.server.restart()
    await harness.settled(prompt)
    expect(textOf((await harness.detail(over)).messages)).toBe(slowWords(20))
    expect((await harness.asks(asking)).map(({ id }) => id)).toEqual([ask.id])
    await harness.answer(ask)
    await harness.settled(edit)
    expect(readFileSync(join(harness.workspace, 'a.txt'), 'utf8')).toBe('hello\n')
    expect(textOf((await harness.detail(asking)).messages)).toMatch(/done$/)
  })

  it('while sessions are being cancelled ends their agents after the restart', async () => {
    await using harness = await openAcpHarness({ faults: [fault('ignorecancel'), fault('escape')] })
    const sessions = [
      await harness.start('ignorecancel', { prompt: 'go' }),
      await harness.start('escape', { prompt: 'go' }),
    ]
    for (const session of sessions) await until(async () => textOf((await harness.detail(session)).messages) !== '')
    const cancelling = sessions.map(({ id }) =>
      harness.server
        .api()
        .send('DELETE', `/api/sessions/${id}`)
        .catch(() => null),
    )
    for (const session of sessions) await harness.becomes(session, 'cancelled')
    await harness.crash()
    await Promise.all(cancelling)
    await harness.server.restart()
    for (const session of sessions) expect((await harness.detail(session)).status).toBe('cancelled')
    await until(async () => (await harness.running()).length === 0)
  })

  it('while a session is paused and its turn ends leaves the turn ended when it resumes', async () => {
    await using harness = await openAcpHarness()
    const session = await harness.start('practice')
    const prompt = await harness.prompt(session, '/ignore-cancel\n/slow 30 30')
    await until(async () => textOf((await harness.detail(session)).messages).includes('word-5'))
    await harness.server.api().post(`/api/sessions/${session.id}/pause`)
    await harness.crash()
    await pause(1000)
    await harness.server.restart()
    await harness.server.api().post(`/api/sessions/${session.id}/resume`)
    await harness.settled(prompt)
    expect(textOf((await harness.detail(session)).messages)).toBe(slowWords(30))
    await harness.settled(await harness.prompt(session, '/say next'))
  })

  it('at any moment of a start leaves a working session, or none and no process', async () => {
    const seed = campaignSeed()
    const random = seededRandom(seed)
    await using harness = await openAcpHarness()
    // The keeper is already running, so only the agent's start is timed.
    await harness.start('practice')
    const moments = Array.from({ length: scale({ test: 4, long: 10 }) }, (_, n) =>
      n % 2 === 0 ? n * 20 : random() * 400,
    )
    for (const moment of moments) {
      const starting = harness.start('practice', { prompt: '/say hello' }).catch(() => null)
      await pause(moment)
      await harness.crash()
      await starting
      await harness.server.restart()
    }
    const { sessions } = await harness.server.api().get<{ sessions: AgentSession[] }>('/api/sessions?limit=100')
    const note = `seed ${seed}`
    expect(sessions.length, note).toBeGreaterThan(0)
    for (const session of sessions.slice(0, -1)) {
      await harness.becomes(session, 'active')
      await until(async () => textOf((await harness.detail(session)).messages) === 'hello', { what: `hello, ${note}` })
      const prompt = await harness.prompt(session, '/say again')
      await harness.settled(prompt)
    }
    const live = sessions.map(({ id }) => id)
    for (const id of live) expect((await harness.running({ id })).length, note).toBe(1)
    expect((await harness.running()).length, note).toBe(live.length)
  })
})
