import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import {
  fault,
  floodWords,
  openAcpHarness,
  slowWords,
  textOf,
  type AgentSession,
  type AcpHarness,
} from '../support/acp-harness.ts'
import { holdDatabase } from '../support/held-database.ts'
import { cleanEnv } from '../support/server.ts'
import { until, within } from '../support/until.ts'

const program = fileURLToPath(new URL('../../dist/signalbox.js', import.meta.url))

function killKeeper(harness: AcpHarness): void {
  process.kill(harness.keeperPid() ?? 0, 'SIGKILL')
}

/** While the server does not know about it yet, a start may be refused. */
const startSoon = (harness: AcpHarness, more = {}) =>
  until(async () => {
    const reply = await harness.server
      .api()
      .send('POST', '/api/sessions', { body: { agent: 'practice', workspaceRoot: harness.workspace, ...more } })
    expect([201, 503]).toContain(reply.status)
    return reply.status === 201 ? (reply.body as AgentSession) : null
  })

const statuses = async (harness: AcpHarness) =>
  (await harness.server.api().get<{ sessions: { status: string }[] }>('/api/sessions')).sessions.map(
    ({ status }) => status,
  )

async function expectFailedWithoutTrace(harness: AcpHarness, starting: Promise<{ status: number }>): Promise<void> {
  const { status } = await within(starting, 'an answer')
  expect([502, 503]).toContain(status)
  await until(async () => (await harness.running()).length === 0)
  for (const left of await statuses(harness)) expect(['error', 'interrupted']).toContain(left)
  const again = await harness.start('practice', { prompt: '/say here' })
  await until(async () => textOf((await harness.detail(again)).messages) === 'here')
}

describe('kill -9 of the keeper', () => {
  it('interrupts its sessions, ends what it left behind, and allows recovery', async () => {
    await using harness = await openAcpHarness()
    const [talking, asking] = [await harness.start('practice'), await harness.start('practice')]
    await harness.settled(await harness.prompt(talking, '/remember the milk'))
    await harness.prompt(talking, '/leave setsid sleep 1000\n/slow 1000 20')
    await harness.answer(await harness.openAsk(talking))
    await harness.prompt(asking, '/write a.txt hello')
    await harness.openAsk(asking)
    await until(async () => textOf((await harness.detail(talking)).messages).includes('word-20'))
    killKeeper(harness)
    // Nobody waits for the cleanup before they start another.
    const next = await startSoon(harness, { prompt: '/say here' })
    const { messages } = await harness.becomes(talking, 'interrupted')
    expect(textOf(messages)).toContain('word-20')
    await harness.becomes(asking, 'interrupted')
    await until(async () => textOf((await harness.detail(next)).messages) === 'here')
    await until(async () => (await harness.running()).length === 1, { what: 'the end of what the keeper left' })
    expect(harness.server.log()).toContain('the keeper is gone')

    await harness.server.api().post(`/api/sessions/${talking.id}/recover`)
    await harness.becomes(talking, 'active')
    // Told to continue, the practice agent takes the tour.
    await harness.openAsk(talking)
    await harness.server.api().post(`/api/sessions/${talking.id}/turn/cancel`)
    const recalled = await harness.prompt(talking, '/recall')
    await harness.settled(recalled)
    expect(textOf((await harness.detail(talking)).messages)).toMatch(/I remember: the milk$/)
    // A session that still exists keeps working as if nothing had happened.
    await harness.settled(await harness.prompt(next, '/say still here'))
    await harness.server.api().delete(`/api/sessions/${next.id}`)
    await until(async () => (await harness.running(next)).length === 0)
  })

  it('with many agents still ends all of them when the next one starts at once', async () => {
    await using harness = await openAcpHarness()
    const sessions = await Promise.all(Array.from({ length: 10 }, () => harness.start('practice')))
    for (const session of sessions) await harness.prompt(session, '/slow 1000 20')
    for (const session of sessions)
      await until(async () => textOf((await harness.detail(session)).messages).includes('word-5'))
    killKeeper(harness)
    const next = await startSoon(harness)
    for (const session of sessions) await harness.becomes(session, 'interrupted')
    await until(async () => (await harness.running()).length === 1, { what: 'the end of what the keeper left' })
    const prompt = await harness.prompt(next, '/say here')
    await harness.settled(prompt)
    expect(await harness.running(next)).toHaveLength(1)
  })

  it('together with the server is noticed at the next start', async () => {
    await using harness = await openAcpHarness()
    const session = await harness.start('practice')
    await harness.prompt(session, '/leave setsid sleep 1000\n/slow 1000 20')
    await harness.answer(await harness.openAsk(session))
    await until(async () => textOf((await harness.detail(session)).messages).includes('word-5'))
    await harness.crash()
    killKeeper(harness)
    expect((await harness.running()).length).toBeGreaterThanOrEqual(2)
    await harness.server.restart()
    expect((await harness.detail(session)).status).toBe('interrupted')
    await until(async () => (await harness.running()).length === 0)
    expect(harness.server.log()).toContain('left behind')
    const again = await harness.start('practice', { prompt: '/say here' })
    await until(async () => textOf((await harness.detail(again)).messages) === 'here')
  })

  it('while an agent starts fails that start, and leaves nothing', async () => {
    await using harness = await openAcpHarness({ faults: [fault('slowstart')] })
    const body = { agent: 'slowstart', workspaceRoot: harness.workspace }
    const starting = harness.server.api().send('POST', '/api/sessions', { body })
    // Before its session exists, another keeper may start it again; from then on it is this process or none.
    await until(async () => (await statuses(harness)).length > 0)
    killKeeper(harness)
    await expectFailedWithoutTrace(harness, starting)
  })

  it('between an agent and its session fails that start, and leaves nothing', async () => {
    await using harness = await openAcpHarness({ faults: [fault('slowstart')], config: 'startup_timeout_seconds = 5' })
    const body = { agent: 'slowstart', workspaceRoot: harness.workspace }
    const held = holdDatabase(harness.server.home)
    const starting = harness.server.api().send('POST', '/api/sessions', { body })
    await until(async () => (await harness.running()).length > 0)
    // The keeper has reported it, unless it is very slow; the session can't exist.
    await pause(200)
    killKeeper(harness)
    await pause(50)
    held[Symbol.dispose]()
    await expectFailedWithoutTrace(harness, starting)
  })

  it('that was asked for an agent but has not replied lets the next keeper start it, once', async () => {
    await using harness = await openAcpHarness()
    await harness.start('practice')
    process.kill(harness.keeperPid() ?? 0, 'SIGSTOP')
    const body = { agent: 'practice', workspaceRoot: harness.workspace, prompt: '/say here' }
    const starting = harness.server.api().send('POST', '/api/sessions', { body })
    await pause(300)
    killKeeper(harness)
    const reply = await within(starting, 'an answer')
    expect(reply.status).toBe(201)
    const session = reply.body as AgentSession
    await until(async () => textOf((await harness.detail(session)).messages) === 'here')
    await until(async () => (await harness.running()).length === 1, { what: 'the end of what the keeper left' })
    expect(await harness.running(session)).toHaveLength(1)
  })
})

describe('a server that is down', () => {
  it('reads everything afterwards when the flood meanwhile went to disk', async () => {
    await using harness = await openAcpHarness({ faults: [fault('flood', '150000')] })
    const session = await harness.start('flood')
    const prompt = await harness.prompt(session, 'go')
    await until(async () => textOf((await harness.detail(session)).messages).length > 0)
    await harness.crash()
    const spool = join(harness.server.home, 'run', 'spool')
    await until(() => existsSync(spool), { what: 'a spool on disk' })
    await harness.server.restart()
    await harness.settled(prompt, 60)
    expect(textOf((await harness.detail(session)).messages)).toBe(floodWords(150_000))
    await harness.server.api().delete(`/api/sessions/${session.id}`)
    await until(async () => (await harness.running()).length === 0)
  })

  it('after a normal stop with its agents kept reconnects to them at the next start', async () => {
    await using harness = await openAcpHarness()
    const session = await harness.start('practice')
    const [first, second] = [await harness.prompt(session, '/slow 60 30'), await harness.prompt(session, '/say second')]
    await until(async () => textOf((await harness.detail(session)).messages).includes('word-5'))
    await harness.server.kill('SIGTERM')
    expect(harness.server.printed()).toMatch(/1 agent keeps running in the background/)
    expect(await harness.running()).toHaveLength(1)
    await harness.server.restart()
    for (const prompt of [first, second]) await harness.settled(prompt)
    expect(textOf((await harness.detail(session)).messages)).toBe(`${slowWords(60)}second`)
  })

  it('is not taken for dead: a second one on its data leaves its agents alone', async () => {
    await using harness = await openAcpHarness()
    const session = await harness.start('practice')
    const prompt = await harness.prompt(session, '/slow 60 30')
    const env = cleanEnv({ SIGNALBOX_HOME: harness.server.home, SIGNALBOX_HTTP_PORT: '0' })
    const second = spawn(process.execPath, [program, 'serve'], { env, stdio: 'ignore' })
    const code = await within(new Promise((resolve) => second.once('exit', resolve)), 'the end of the second server')
    expect(code).not.toBe(0)
    await harness.settled(prompt)
    expect(textOf((await harness.detail(session)).messages)).toBe(slowWords(60))
    expect(harness.server.log()).not.toMatch(/took over|keeper is gone/)
  })

  it('comes back although a workspace is gone; its session and the others continue', async () => {
    await using harness = await openAcpHarness()
    const elsewhere = join(harness.workspace, 'elsewhere')
    mkdirSync(elsewhere)
    const lost = await harness.start('practice', { workspaceRoot: elsewhere })
    const other = await harness.start('practice')
    const prompt = await harness.prompt(other, '/slow 40 30')
    await harness.crash()
    rmSync(elsewhere, { recursive: true })
    await harness.server.restart()
    await harness.settled(prompt)
    expect(textOf((await harness.detail(other)).messages)).toBe(slowWords(40))
    await harness.settled(await harness.prompt(lost, '/say still here'))
    await harness.server.api().delete(`/api/sessions/${lost.id}`)
    await until(async () => (await harness.running(lost)).length === 0)
  })
})
