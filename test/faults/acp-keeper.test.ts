import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { fault, floodWords, openYard, slowWords, textOf, type AgentSession, type Yard } from '../support/acp-yard.ts'
import { holdDatabase } from '../support/held-database.ts'
import { cleanEnv } from '../support/server.ts'
import { until, within } from '../support/until.ts'

const program = fileURLToPath(new URL('../../dist/signalbox.js', import.meta.url))

function killKeeper(yard: Yard): void {
  process.kill(yard.keeperPid() ?? 0, 'SIGKILL')
}

/** In the moment in which the server has not heard of it yet, a start may be refused for now. */
const startSoon = (yard: Yard, more = {}) =>
  until(async () => {
    const reply = await yard.server
      .api()
      .send('POST', '/api/sessions', { body: { agent: 'practice', workspaceRoot: yard.workspace, ...more } })
    expect([201, 503]).toContain(reply.status)
    return reply.status === 201 ? (reply.body as AgentSession) : null
  })

const statuses = async (yard: Yard) =>
  (await yard.server.api().get<{ sessions: { status: string }[] }>('/api/sessions')).sessions.map(
    ({ status }) => status,
  )

async function expectFailedWithoutTrace(yard: Yard, starting: Promise<{ status: number }>): Promise<void> {
  const { status } = await within(starting, 'an answer')
  expect([502, 503]).toContain(status)
  await until(async () => (await yard.running()).length === 0)
  for (const left of await statuses(yard)) expect(['error', 'interrupted']).toContain(left)
  const again = await yard.start('practice', { prompt: '/say here' })
  await until(async () => textOf((await yard.detail(again)).messages) === 'here')
}

describe('kill -9 of the keeper', () => {
  it('interrupts its sessions, ends what it left, and lets them be recovered', async () => {
    await using yard = await openYard()
    const [talking, asking] = [await yard.start('practice'), await yard.start('practice')]
    await yard.settled(await yard.prompt(talking, '/remember the milk'))
    await yard.prompt(talking, '/leave setsid sleep 1000\n/slow 1000 20')
    await yard.answer(await yard.openAsk(talking))
    await yard.prompt(asking, '/write a.txt hello')
    await yard.openAsk(asking)
    await until(async () => textOf((await yard.detail(talking)).messages).includes('word-20'))
    killKeeper(yard)
    // Nobody waits for the tidying up before they start another.
    const next = await startSoon(yard, { prompt: '/say here' })
    const { messages } = await yard.becomes(talking, 'interrupted')
    expect(textOf(messages)).toContain('word-20')
    await yard.becomes(asking, 'interrupted')
    await until(async () => textOf((await yard.detail(next)).messages) === 'here')
    await until(async () => (await yard.running()).length === 1, { what: 'the end of what the keeper left' })
    expect(yard.server.log()).toContain('the keeper is gone')

    await yard.server.api().post(`/api/sessions/${talking.id}/recover`)
    await yard.becomes(talking, 'active')
    // Told to go on, the practice agent takes the tour.
    await yard.openAsk(talking)
    await yard.server.api().post(`/api/sessions/${talking.id}/turn/cancel`)
    const recalled = await yard.prompt(talking, '/recall')
    await yard.settled(recalled)
    expect(textOf((await yard.detail(talking)).messages)).toMatch(/I remember: the milk$/)
    // A session that is still there works on as if nothing had been.
    await yard.settled(await yard.prompt(next, '/say still here'))
    await yard.server.api().delete(`/api/sessions/${next.id}`)
    await until(async () => (await yard.running(next)).length === 0)
  })

  it('with many agents still has all of them ended when the next one starts at once', async () => {
    await using yard = await openYard()
    const sessions = await Promise.all(Array.from({ length: 10 }, () => yard.start('practice')))
    for (const session of sessions) await yard.prompt(session, '/slow 1000 20')
    for (const session of sessions)
      await until(async () => textOf((await yard.detail(session)).messages).includes('word-5'))
    killKeeper(yard)
    const next = await startSoon(yard)
    for (const session of sessions) await yard.becomes(session, 'interrupted')
    await until(async () => (await yard.running()).length === 1, { what: 'the end of what the keeper left' })
    const prompt = await yard.prompt(next, '/say here')
    await yard.settled(prompt)
    expect(await yard.running(next)).toHaveLength(1)
  })

  it('together with the server is found out at the next start', async () => {
    await using yard = await openYard()
    const session = await yard.start('practice')
    await yard.prompt(session, '/leave setsid sleep 1000\n/slow 1000 20')
    await yard.answer(await yard.openAsk(session))
    await until(async () => textOf((await yard.detail(session)).messages).includes('word-5'))
    await yard.crash()
    killKeeper(yard)
    expect((await yard.running()).length).toBeGreaterThanOrEqual(2)
    await yard.server.restart()
    expect((await yard.detail(session)).status).toBe('interrupted')
    await until(async () => (await yard.running()).length === 0)
    expect(yard.server.log()).toContain('left behind')
    const again = await yard.start('practice', { prompt: '/say here' })
    await until(async () => textOf((await yard.detail(again)).messages) === 'here')
  })

  it('while an agent starts fails that start, and leaves nothing', async () => {
    await using yard = await openYard({ faults: [fault('slowstart')] })
    const body = { agent: 'slowstart', workspaceRoot: yard.workspace }
    const starting = yard.server.api().send('POST', '/api/sessions', { body })
    // Before its session is there, another keeper may start it once more; from then on it is this process or none.
    await until(async () => (await statuses(yard)).length > 0)
    killKeeper(yard)
    await expectFailedWithoutTrace(yard, starting)
  })

  it('between an agent and its session fails that start, and leaves nothing', async () => {
    await using yard = await openYard({ faults: [fault('slowstart')], config: 'startup_timeout_seconds = 5' })
    const body = { agent: 'slowstart', workspaceRoot: yard.workspace }
    const held = holdDatabase(yard.server.home)
    const starting = yard.server.api().send('POST', '/api/sessions', { body })
    await until(async () => (await yard.running()).length > 0)
    // The keeper has said so, if it is not very slow; the session can't be there.
    await pause(200)
    killKeeper(yard)
    await pause(50)
    held[Symbol.dispose]()
    await expectFailedWithoutTrace(yard, starting)
  })

  it('that was asked for an agent and said nothing yet lets the next keeper start it, once', async () => {
    await using yard = await openYard()
    await yard.start('practice')
    process.kill(yard.keeperPid() ?? 0, 'SIGSTOP')
    const body = { agent: 'practice', workspaceRoot: yard.workspace, prompt: '/say here' }
    const starting = yard.server.api().send('POST', '/api/sessions', { body })
    await pause(300)
    killKeeper(yard)
    const reply = await within(starting, 'an answer')
    expect(reply.status).toBe(201)
    const session = reply.body as AgentSession
    await until(async () => textOf((await yard.detail(session)).messages) === 'here')
    await until(async () => (await yard.running()).length === 1, { what: 'the end of what the keeper left' })
    expect(await yard.running(session)).toHaveLength(1)
  })
})

describe('a server that is away', () => {
  it('reads on completely when the flood meanwhile went to disk', async () => {
    await using yard = await openYard({ faults: [fault('flood', '150000')] })
    const session = await yard.start('flood')
    const prompt = await yard.prompt(session, 'go')
    await until(async () => textOf((await yard.detail(session)).messages).length > 0)
    await yard.crash()
    const spool = join(yard.server.home, 'run', 'spool')
    await until(() => existsSync(spool), { what: 'a spool on disk' })
    await yard.server.restart()
    await yard.settled(prompt, 60)
    expect(textOf((await yard.detail(session)).messages)).toBe(floodWords(150_000))
    await yard.server.api().delete(`/api/sessions/${session.id}`)
    await until(async () => (await yard.running()).length === 0)
  })

  it('in order, with its agents kept, takes them up again in the next life', async () => {
    await using yard = await openYard()
    const session = await yard.start('practice')
    const [first, second] = [await yard.prompt(session, '/slow 60 30'), await yard.prompt(session, '/say second')]
    await until(async () => textOf((await yard.detail(session)).messages).includes('word-5'))
    await yard.server.kill('SIGTERM')
    expect(yard.server.printed()).toMatch(/1 agent keeps running in the background/)
    expect(await yard.running()).toHaveLength(1)
    await yard.server.restart()
    for (const prompt of [first, second]) await yard.settled(prompt)
    expect(textOf((await yard.detail(session)).messages)).toBe(`${slowWords(60)}second`)
  })

  it('is not taken for dead: a second one on its data leaves its agents alone', async () => {
    await using yard = await openYard()
    const session = await yard.start('practice')
    const prompt = await yard.prompt(session, '/slow 60 30')
    const env = cleanEnv({ SIGNALBOX_HOME: yard.server.home, SIGNALBOX_HTTP_PORT: '0' })
    const second = spawn(process.execPath, [program, 'serve'], { env, stdio: 'ignore' })
    const code = await within(new Promise((resolve) => second.once('exit', resolve)), 'the end of the second server')
    expect(code).not.toBe(0)
    await yard.settled(prompt)
    expect(textOf((await yard.detail(session)).messages)).toBe(slowWords(60))
    expect(yard.server.log()).not.toMatch(/took over|keeper is gone/)
  })

  it('comes back though a workspace is gone meanwhile; its session and the others go on', async () => {
    await using yard = await openYard()
    const elsewhere = join(yard.workspace, 'elsewhere')
    mkdirSync(elsewhere)
    const lost = await yard.start('practice', { workspaceRoot: elsewhere })
    const other = await yard.start('practice')
    const prompt = await yard.prompt(other, '/slow 40 30')
    await yard.crash()
    rmSync(elsewhere, { recursive: true })
    await yard.server.restart()
    await yard.settled(prompt)
    expect(textOf((await yard.detail(other)).messages)).toBe(slowWords(40))
    await yard.settled(await yard.prompt(lost, '/say still here'))
    await yard.server.api().delete(`/api/sessions/${lost.id}`)
    await until(async () => (await yard.running(lost)).length === 0)
  })
})
