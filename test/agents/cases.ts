import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { scriptOf } from '../support/agents/model/script.ts'
import { sandboxWorks } from '../support/agents/processes.ts'
import type { RealAgent } from '../support/agents/profiles.ts'
import { long } from '../support/scale.ts'
import { until } from '../support/until.ts'
import { openRealAgentHarness, type AgentSession, type RealAgentHarness } from './real-agent-harness.ts'

const isolation = sandboxWorks() ? 'sandbox' : 'none'

/** What every agent must do under Signalbox. The cases share a session, or start one if there is none. */
export function tryAgent(agent: RealAgent): void {
  // Leftover processes are found in /proc.
  describe.skipIf(process.platform !== 'linux')(`the agent ${agent}`, () => {
    let harness: RealAgentHarness
    let shared: AgentSession | undefined
    const session = async () => (shared ??= await harness.start())

    beforeAll(async () => {
      harness = await openRealAgentHarness(agent)
    })
    afterAll(() => harness?.[Symbol.asyncDispose]())
    afterEach(async ({ task }) => {
      if (task.result?.state !== 'fail') return expect(await harness.alerts()).toEqual([])
      // The next case starts a new session.
      await harness.server.restart()
      if (shared) await harness.server.api().send('DELETE', `/api/sessions/${shared.id}`)
      shared = undefined
    })

    it('A7 text arrives as the model said it, from inside the sandbox', async () => {
      const talk = await session()
      expect(talk).toMatchObject({ agent, isolation, protocolMode: 'acp' })
      const prompt = await harness.prompt(talk, {
        think: 'What to say?',
        say: 'Good morning. All is well.\n\nTwo lines, ünïcödé 🚦.',
      })
      await harness.settled(prompt)
      expect(await harness.said(talk)).toBe('Good morning. All is well.\n\nTwo lines, ünïcödé 🚦.')
    })

    it('X7 a file is written once approved, and not before', async () => {
      const talk = await session()
      const path = harness.path('written.txt')
      const prompt = await harness.prompt(talk, { write: { path, content: 'one\ntwo\n' } }, { say: 'Written.' })
      const ask = await harness.openAsk(talk)
      expect(await harness.text('written.txt')).toBeNull()
      await harness.answer(ask, 'allow_once')
      await harness.settled(prompt)
      expect(await harness.text('written.txt')).toBe('one\ntwo\n')
      expect(await harness.said(talk)).toBe('Written.')
    })

    it('X7 a rejected file is never written', async () => {
      const talk = await session()
      const path = harness.path('rejected.txt')
      const prompt = await harness.prompt(talk, { write: { path, content: 'no\n' } }, { say: 'Then not.' })
      await harness.answer(await harness.openAsk(talk), 'reject_once')
      await harness.settled(prompt)
      expect(await harness.text('rejected.txt')).toBeNull()
    })

    it('X7 an edit changes the file once approved', async () => {
      const talk = await session()
      const path = harness.path('edited.txt')
      await writeFile(path, 'red\namber\ngreen\n')
      const edit = { path, old: 'amber\n', new: 'yellow\n' }
      // Some agents refuse to edit files they have not read.
      const prompt = await harness.prompt(talk, { read: { path } }, { edit }, { say: 'Edited.' })
      await harness.answer(await harness.openAsk(talk), 'allow_once')
      await harness.settled(prompt)
      expect(await harness.text('edited.txt')).toBe('red\nyellow\ngreen\n')
    })

    it('A13 a command runs once approved, and sees nothing of Signalbox', async () => {
      const talk = await session()
      const prompt = await harness.prompt(talk, { shell: { command: lookFor(harness) } }, { say: 'Looked.' })
      const ask = await harness.openAsk(talk)
      expect(await harness.text('seen.txt')).toBeNull()
      await harness.answer(ask, 'allow_once')
      await harness.settled(prompt)
      expect(await harness.text('seen.txt')).toBe(isolation === 'sandbox' ? 'hidden\n' : 'seen\n')
    })

    it('X7 a cancelled turn ends at once, and the next prompt is received', async () => {
      const talk = await session()
      const say = longText()
      const prompt = await harness.prompt(talk, { say, pauseMs: 20 })
      await until(async () => (await harness.said(talk)).length > 100, { what: 'some text' })
      expect(await harness.server.api().post(`/api/sessions/${talk.id}/turn/cancel`)).toEqual({ cancelled: true })
      await harness.settled(prompt)
      const said = await harness.said(talk)
      expect(said.length).toBeLessThan(say.length)
      expect(say.startsWith(said)).toBe(true)
      const asked = () => harness.model.requests().find((request) => request.said.startsWith(said))
      await until(() => asked()?.state === 'hung up', { what: 'the end of the request to the model' })
      await harness.settled(await harness.prompt(talk, { say: 'Still here.' }))
      expect(await harness.said(talk)).toBe('Still here.')
    })

    it('X5 kill -9 of the server while text streams loses and repeats no word', async () => {
      const talk = await session()
      const [say, gate] = [longText(), randomUUID()]
      const prompt = await harness.prompt(talk, { say, pauseMs: 2, gate: { name: gate, after: 600 } })
      await until(async () => (await harness.said(talk)).length > 200, { what: 'some text' })
      await harness.server.kill('SIGKILL')
      // Part of it arrives while no server is running.
      await until(() =>
        harness.model.requests().some(({ said }) => said.split(' ').length > 600 && say.startsWith(said)),
      )
      const before = harness.agents()
      expect(before).not.toEqual([])
      await harness.server.restart()
      harness.model.open(gate)
      await harness.settled(prompt)
      expect(await harness.said(talk)).toBe(say)
      expect(harness.agents()).toEqual(before)
    })

    if (long) casesOfTheLongRun(() => harness, session)

    it('X4 a continued session remembers the conversation, and nothing of the ended one keeps running', async () => {
      const talk = await session()
      const secret = `The word is ${randomUUID()}.`
      await harness.settled(await harness.prompt(talk, { say: secret }))
      await harness.end(talk)
      shared = undefined
      await until(() => harness.running().length === 0, { what: 'the end of its processes' })
      const prompt = scriptOf({ say: 'I remember.' })
      const next = await harness.server.api().post<AgentSession>(`/api/sessions/${talk.id}/restart`, { prompt })
      expect(next).toMatchObject({ restartOf: talk.id, isolation })
      await harness.settled(await harness.firstPrompt(next))
      expect(await harness.said(next)).toBe('I remember.')
      // What the agent repeats from the old conversation is not new.
      expect(await harness.transcript(next)).not.toContain(secret)
      expect(JSON.stringify(harness.model.requests().at(-1)?.talk.items)).toContain(`"text":"${secret}"`)
      await harness.end(next)
      await until(() => harness.running().length === 0, { what: 'the end of its processes' })
    })
  })
}

/** Very similar to the others, or expensive. */
function casesOfTheLongRun(harness: () => RealAgentHarness, session: () => Promise<AgentSession>): void {
  it('X7 a rejected edit leaves the file as it was', async () => {
    const talk = await session()
    const path = harness().path('kept.txt')
    await writeFile(path, 'red\namber\ngreen\n')
    const edit = { path, old: 'amber\n', new: 'blue\n' }
    const prompt = await harness().prompt(talk, { read: { path } }, { edit }, { say: 'Then not.' })
    await harness().answer(await harness().openAsk(talk), 'reject_once')
    await harness().settled(prompt)
    expect(await harness().text('kept.txt')).toBe('red\namber\ngreen\n')
  })

  it('X5 an answer given after kill -9 of the server reaches the same agent', async () => {
    const talk = await session()
    const path = harness().path('later.txt')
    const prompt = await harness().prompt(
      talk,
      { say: 'May I? ', write: { path, content: 'later\n' } },
      { say: 'Thanks.' },
    )
    const ask = await harness().openAsk(talk)
    await harness().server.kill('SIGKILL')
    const before = harness().agents()
    await harness().server.restart()
    expect(await harness().openAsk(talk)).toMatchObject({ id: ask.id, status: 'open' })
    await harness().answer(ask, 'allow_once')
    await harness().settled(prompt)
    expect(await harness().text('later.txt')).toBe('later\n')
    expect(await harness().said(talk)).toBe('May I? Thanks.')
    expect(harness().agents()).toEqual(before)
  })

  it('A13 without a sandbox it works as the person who runs the server, and leaves nothing running', async () => {
    const before = harness().running()
    const free = await harness().start({ isolation: 'none' })
    expect(free).toMatchObject({ isolation: 'none' })
    const prompt = await harness().prompt(free, { shell: { command: lookFor(harness()) } }, { say: 'Looked.' })
    await harness().answer(await harness().openAsk(free), 'allow_once')
    await harness().settled(prompt)
    expect(await harness().text('seen.txt')).toBe('seen\n')
    await harness().end(free)
    await until(
      () =>
        harness()
          .running()
          .every((pid) => before.includes(pid)),
      { what: 'the end of its processes' },
    )
  })
}

/** Records whether the command can see Signalbox's database. */
const lookFor = ({ server, path }: RealAgentHarness): string =>
  `if [ -e '${server.home}/signalbox.db' ]; then echo seen; else echo hidden; fi > '${path('seen.txt')}'`

const longText = (): string => `${randomUUID()} ${Array.from({ length: 1000 }, (_, index) => `word${index} `).join('')}`
