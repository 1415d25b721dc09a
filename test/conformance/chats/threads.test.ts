import '../../support/chats/loopback-guard.ts'
import { readFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../../support/until.ts'
import { openAsk } from '../work.ts'
import type { Shown } from './driver.ts'
import type { ChatSession } from './harness.ts'
import { mapping, openThreadsHarness, type ThreadsHarness, type Worker } from './threads-harness.ts'

type Ask = { id: string; status: string; slackTs: string | null; answeredBy: string | null }
type Alert = { id: string; status: string; slackTs: string | null; nudgeCount: number; closedBy: string | null }
type Queued = { text: string; status: string }

const diff = (file: string) => ({ title: `Write ${file}`, diff: 'hello\n', file_path: file })
const isAsk = ({ buttons }: Shown) => buttons.some(({ label }) => label === 'Approve')
const saying = (words: string) => (message: Shown) => message.text.includes(words)

describe('threads of sessions that were not started in a chat', () => {
  let harness: ThreadsHarness
  beforeAll(async () => {
    harness = await openThreadsHarness()
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  const textsIn = (root: string) => harness.driver.posted(root).map(({ text }) => text)
  const openAsks = async (sessionId: string) =>
    (await harness.api.get<{ asks: Ask[] }>(`/api/asks?sessionId=${sessionId}&status=open`)).asks
  const queue = async ({ sessionId }: Pick<Worker, 'sessionId'>) =>
    (await harness.api.get<{ items: Queued[] }>(`/api/sessions/${sessionId}/queue`)).items

  it('X10 X11 a session in a mapped workspace opens a thread in its channel, and everything of it goes there', async () => {
    const ann = await harness.owner('Ann')
    await using agent = await harness.worker(ann)
    const root = await harness.rootOf(agent.sessionId)
    expect(root.text).toContain('Session started')
    expect(root.text).toContain(agent.sessionId.slice(0, 8))
    expect(await agent.session()).toMatchObject({ channelId: harness.driver.chat, threadTs: root.id })

    await agent.call('remote_log', { message: 'The tests pass', level: 'success' })
    await harness.shown(root.id, saying('The tests pass'), 'the log')
    const done = agent.begin('ask_approval', diff('a.txt'))
    const card = await harness.shown(root.id, isAsk, 'the card')
    ann.clicks(card, 'Approve')
    expect(await done).toMatchObject({ status: 'approved' })
    await agent.leave()
    const summary = await harness.shown(root.id, saying('Duration'), 'the summary')
    expect(summary.text).toContain('Session completed')
    const after = await until(() =>
      harness.driver.inChat().find(({ id, text }) => id === root.id && text.includes('completed')),
    )
    expect(after.text).not.toContain('reply here')
    expect(await agent.session()).toMatchObject({ threadTs: root.id })
  })

  it('X11 two sessions in one channel never mix', async () => {
    const ben = await harness.owner('Ben')
    await using one = await harness.worker(ben)
    await using two = await harness.worker(ben)
    expect(one.root).not.toBe(two.root)
    for (const n of [1, 2, 3]) {
      await one.call('remote_log', { message: `first agent ${n}` })
      await two.call('remote_log', { message: `second agent ${n}` })
    }
    const asked = [one.begin('ask_approval', diff('one.txt')), two.begin('ask_approval', diff('two.txt'))]
    await harness.shown(one.root, isAsk, 'a card')
    await harness.shown(two.root, isAsk, 'a card')
    await harness.shown(one.root, saying('first agent 3'), 'the last log')
    await harness.shown(two.root, saying('second agent 3'), 'the last log')
    expect(textsIn(one.root).join()).not.toMatch(/second agent|two\.txt/)
    expect(textsIn(two.root).join()).not.toMatch(/first agent|one\.txt/)
    ben.says('approve', two.root)
    expect(await asked[1]).toMatchObject({ status: 'approved' })
    expect(await openAsks(one.sessionId)).toHaveLength(1)
    ben.says('reject no', one.root)
    expect(await asked[0]).toMatchObject({ status: 'rejected', reason: 'no' })
  })

  it('X4 X11 a restarted session stays in the thread of the first', async () => {
    const cat = await harness.owner('Cat')
    await using agent = await harness.worker(cat)
    const roots = harness.driver.inChat().length
    const next = await cat.api().post<ChatSession>(`/api/sessions/${agent.sessionId}/restart`, {})
    const again = await cat.api().post<ChatSession>(`/api/sessions/${next.id}/restart`, {})
    expect([next.threadTs, again.threadTs]).toEqual([agent.root, agent.root])
    await openAsk(cat.api(), again, { title: 'Of the third' })
    await harness.shown(agent.root, saying('Of the third'), 'its card')
    cat.says('go left', agent.root)
    await until(async () => (await queue({ sessionId: again.id })).some(({ text }) => text === 'go left'), {
      what: 'steering of the newest',
    })
    expect(harness.driver.inChat()).toHaveLength(roots)
  })

  it('X11 C4 the server killed after the first message arrived, before it was noted: one thread, and nothing is lost', async () => {
    const dan = await harness.owner('Dan')
    const before = new Set(harness.driver.inChat().map(({ id }) => id))
    const held = Promise.withResolvers<void>()
    const arrived = harness.driver.answerLate(held.promise)
    await using agent = await harness.connect(dan)
    await agent.call('remote_log', { message: 'said before the crash' })
    await openAsk(dan.api(), { id: agent.sessionId }, { title: 'Asked before the crash' })
    await arrived
    expect(await agent.session()).toMatchObject({ threadTs: null })
    await harness.server.kill('SIGKILL')
    held.resolve()
    await harness.server.restart()
    const root = await harness.rootOf(agent.sessionId)
    await harness.shown(root.id, saying('said before the crash'), 'the log')
    await harness.shown(root.id, saying('Asked before the crash'), 'the card')
    expect(harness.driver.inChat().filter(({ id }) => !before.has(id))).toHaveLength(1)
    const texts = textsIn(root.id)
    expect(new Set(texts).size).toBe(texts.length)
  })

  it('X11 C4 what the owner wrote there while the server was down is read from the history', async () => {
    const pat = await harness.owner('Pat')
    await using agent = await harness.worker(pat)
    const ask = await openAsk(pat.api(), { id: agent.sessionId })
    await harness.shown(agent.root, isAsk, 'a card')
    await harness.server.kill('SIGKILL')
    harness.driver.unheard(() => {
      pat.says('approve', agent.root)
      pat.says('then stop', agent.root)
    })
    await harness.server.restart()
    await until(async () => (await queue(agent)).some(({ text }) => text === 'then stop'), { what: 'steering' })
    const answered = await harness.api.get<Ask>(`/api/asks/${ask.id}`)
    expect(answered).toMatchObject({ status: 'answered', answeredBy: `user:${pat.userId}` })
    expect((await queue(agent)).map(({ text }) => text)).toEqual(['then stop'])
  })

  it('R3 R17 the owner answers and steers there; another person is told who owns it; a stranger meets silence', async () => {
    const eli = await harness.owner('Eli')
    const flo = await harness.member('Flo')
    const joe = await harness.linked('Joe')
    const eve = harness.driver.person('Eve')
    await using agent = await harness.worker(eli)
    const done = agent.begin('ask_approval', diff('theirs.txt'))
    const card = await harness.shown(agent.root, isAsk, 'a card')
    const before = harness.driver.posted(agent.root).length

    flo.clicks(card, 'Approve')
    await until(() => flo.toldPrivately().length >= 1, { what: 'a refusal of the click' })
    flo.says('approve', agent.root)
    await until(() => flo.toldPrivately().length >= 2, { what: 'a refusal of the word' })
    flo.says('do something else', agent.root)
    await until(() => flo.toldPrivately().length >= 3, { what: 'a refusal of the text' })
    for (const told of flo.toldPrivately()) expect(told).toContain('Only the owner of the session can do this. Ask Eli')

    // Someone who has an account, and whom nobody let in, is as unknown as someone without one.
    for (const stranger of [eve, joe]) {
      stranger.clicks(card, 'Approve')
      stranger.says('approve', agent.root)
      await until(
        async () => {
          const strangers = await harness.api.list<{ identity: string; messageCount: number }>('/api/strangers')
          return strangers.some(({ identity, messageCount }) => identity === stranger.identity && messageCount === 2)
        },
        { what: 'a count' },
      )
      expect(stranger.toldPrivately()).toEqual([])
    }
    expect(harness.driver.posted(agent.root)).toHaveLength(before)
    expect(await openAsks(agent.sessionId)).toHaveLength(1)
    expect(await queue(agent)).toEqual([])

    eli.says('approve', agent.root)
    expect(await done).toMatchObject({ status: 'approved' })
    const after = await harness.shown(
      agent.root,
      ({ id, buttons }) => id === card.id && buttons.length === 0,
      'the card',
    )
    expect(after.text).toContain('Approved by Eli')
    eli.says('look at the tests first', agent.root)
    await until(async () => (await queue(agent)).length > 0, { what: 'steering' })
    expect(await agent.call('heartbeat')).toMatchObject({ pending_steering: ['look at the tests first'] })
  })

  it('R14 local announces nothing in chat, hybrid and remote do; a change takes effect at once', async () => {
    const gus = await harness.owner('Gus')
    await using agent = await harness.worker(gus)
    expect(await agent.call('set_operational_mode', { mode: 'local' })).toMatchObject({ current_mode: 'local' })
    await agent.call('remote_log', { message: 'said locally' })
    const ask = await openAsk(gus.api(), { id: agent.sessionId }, { title: 'Asked locally' })
    // Another session's messages come later and are there, so these were left out.
    await using other = await harness.worker(gus)
    await other.call('remote_log', { message: 'said remotely' })
    await harness.shown(other.root, saying('said remotely'), 'the log of the other')
    expect(textsIn(agent.root).join()).not.toMatch(/said locally|Asked locally/)

    await agent.call('set_operational_mode', { mode: 'hybrid' })
    const card = await harness.shown(agent.root, saying('Asked locally'), 'the open ask')
    await agent.call('remote_log', { message: 'said in hybrid' })
    await harness.shown(agent.root, saying('said in hybrid'), 'the log')
    await agent.call('set_operational_mode', { mode: 'local' })
    await gus.api().post(`/api/asks/${ask.id}/answer`, { outcome: 'approve' })
    const after = await harness.shown(
      agent.root,
      ({ id, buttons }) => id === card.id && buttons.length === 0,
      'the card',
    )
    expect(after.text).toContain('Approved')
    await agent.call('set_operational_mode', { mode: 'remote' })
    await agent.call('remote_log', { message: 'said in remote' })
    await harness.shown(agent.root, saying('said in remote'), 'the log')
    expect(textsIn(agent.root).join()).not.toContain('said locally')
  })

  it('R12 remote_log says where it was posted, with its level, and writes to its own thread alone', async () => {
    const hal = await harness.owner('Hal')
    await using agent = await harness.worker(hal)
    await using other = await harness.worker(hal)
    const marks = { info: '', success: '✅', warning: '⚠️', error: '❌' }
    for (const [level, mark] of Object.entries(marks)) {
      const said = await agent.call('remote_log', { message: `a word of ${level}`, level })
      expect(said).toMatchObject({ posted: true })
      const shown = await harness.shown(agent.root, saying(`a word of ${level}`), 'the log')
      expect(shown.id).toBe(said['ts'])
      expect(shown.text.startsWith(`${mark}${mark === '' ? '' : ' '}a word`)).toBe(true)
    }
    expect(await agent.call('remote_log', { message: 'here', thread_ts: agent.root })).toMatchObject({ posted: true })
    expect(await agent.call('remote_log', { message: 'there', thread_ts: other.root })).toMatchObject({
      isError: true,
      error_code: 'wrong_thread',
    })
    expect(textsIn(other.root).join()).not.toContain('there')
  })

  it('R5 an ask remembers its message in Slack', async () => {
    const ida = await harness.owner('Ida')
    await using agent = await harness.worker(ida)
    const ask = await openAsk(ida.api(), { id: agent.sessionId })
    expect(ask).toMatchObject({ slackTs: null })
    const card = await harness.shown(agent.root, isAsk, 'a card')
    await until(async () => (await harness.api.get<Ask>(`/api/asks/${ask.id}`)).slackTs === card.id, {
      what: 'slackTs',
    })
    ida.clicks(card, 'Approve')
    await harness.shown(agent.root, ({ id, buttons }) => id === card.id && buttons.length === 0, 'the answered card')
    expect(await harness.api.get<Ask>(`/api/asks/${ask.id}`)).toMatchObject({ slackTs: card.id })
  })

  it('X10 mappings are reloaded without a restart, for new sessions; a faulty file keeps the last valid ones and says so', async () => {
    const { server, driver } = harness
    const file = join(server.home, 'config.toml')
    const first = await readFile(file, 'utf8')
    const jan = await harness.owner('Jan')
    await using old = await harness.worker(jan)
    await expect(harness.connect(jan, 'annex')).rejects.toThrow()
    const annex = join(harness.workspace, '..', 'annex')
    await mkdir(annex)
    await writeFile(file, first + mapping('annex', driver.chat, annex))
    const agent = await until(() => harness.connect(jan, 'annex').catch(() => null), { what: 'the new workspace' })
    const root = await harness.rootOf(agent.sessionId)
    expect(root.text).toContain(annex)
    expect(await agent.session()).toMatchObject({ channelId: driver.chat, workspaceRoot: annex })

    const doctor = async () => JSON.stringify(await harness.api.list('/api/doctor'))
    await writeFile(file, `${first}[[workspace]]\nid = "an nex"\nchannel_id = "nowhere"\n`)
    await until(async () => (await doctor()).includes('an nex') || (await doctor()).includes('channel_id'), {
      what: 'the fault',
    })
    expect(server.log()).toContain('the changed configuration has errors')
    expect(await server.cli('doctor')).toMatchObject({ code: 1, stdout: expect.stringContaining('channel_id') })
    await using still = await harness.worker(jan, 'annex')
    expect(await still.session()).toMatchObject({ channelId: driver.chat })

    await writeFile(file, first)
    await until(async () => !(await doctor()).includes('channel_id'), { what: 'no fault' })
    await expect(harness.connect(jan, 'annex')).rejects.toThrow()
    // Those that run keep their place and their thread.
    expect(await old.call('remote_log', { message: 'still here' })).toMatchObject({ posted: true })
    expect(await agent.call('remote_log', { message: 'still there' })).toMatchObject({ posted: true })
    await harness.shown(root.id, saying('still there'), 'the log')
    await agent[Symbol.asyncDispose]()
  })
})

describe('alerts in the thread of a session', () => {
  let harness: ThreadsHarness
  beforeAll(async () => {
    harness = await openThreadsHarness({
      SIGNALBOX_STALL__ENABLED: 'true',
      SIGNALBOX_STALL__INACTIVITY_THRESHOLD_SECONDS: '2',
      SIGNALBOX_STALL__ESCALATION_THRESHOLD_SECONDS: '2',
      SIGNALBOX_STALL__MAX_RETRIES: '1',
      SIGNALBOX_STALL__DEFAULT_NUDGE_MESSAGE: 'Go on, please.',
    })
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  const isAlert = ({ buttons }: Shown) => buttons.some(({ label }) => label === 'Dismiss')
  const alertsOf = async ({ sessionId }: Worker) =>
    (await harness.api.get<{ alerts: Alert[] }>(`/api/alerts?sessionId=${sessionId}`)).alerts
  async function silent(name: string) {
    const owner = await harness.owner(name)
    const agent = await harness.worker(owner)
    await agent.call('remote_log', { message: 'at work' })
    return { owner, agent, card: await harness.shown(agent.root, isAlert, 'an alert') }
  }
  const closed = (root: string, id: string) =>
    harness.shown(root, (one) => one.id === id && one.buttons.length === 0, 'the closed alert')

  it('R16 R5 an alert is a card; life returns, and it is updated in place without buttons', async () => {
    const { agent, card } = await silent('Kim')
    expect(card.buttons.map(({ label }) => label)).toEqual(['Nudge', 'Stop session', 'Dismiss'])
    const [alert] = await until(async () => {
      const alerts = await alertsOf(agent)
      return alerts[0]?.slackTs === card.id ? alerts : null
    })
    await agent.call('heartbeat')
    const after = await closed(agent.root, card.id)
    expect(after.text).toContain('The agent is back')
    expect(await harness.api.get(`/api/alerts/${alert?.id}`)).toMatchObject({
      status: 'self_recovered',
      slackTs: card.id,
    })
    await agent[Symbol.asyncDispose]()
  })

  it('R16 the owner nudges and dismisses by button; whoever does not own it changes nothing', async () => {
    const { owner, agent, card } = await silent('Leo')
    const mia = await harness.member('Mia')
    mia.clicks(card, 'Dismiss')
    await until(() => mia.toldPrivately().length > 0, { what: 'a refusal' })
    expect(mia.toldPrivately().join()).toContain('Only the owner of the session can do this. Ask Leo')
    expect((await alertsOf(agent))[0]).toMatchObject({ closedBy: null })
    owner.clicks(card, 'Nudge')
    await harness.shown(agent.root, saying('Nudge to the agent by a person'), 'the nudge')
    owner.clicks(card, 'Dismiss')
    const after = await closed(agent.root, card.id)
    expect(after.text).toContain('Alert dismissed by Leo')
    expect((await alertsOf(agent))[0]).toMatchObject({ status: 'dismissed', closedBy: `user:${owner.userId}` })
    await agent[Symbol.asyncDispose]()
  })

  it('R16 stop by button ends the session, and the alert is closed', async () => {
    const { owner, agent, card } = await silent('Ned')
    owner.clicks(card, 'Stop session')
    await until(async () => (await agent.session()).status === 'cancelled', { what: 'the end' })
    await closed(agent.root, card.id)
    await harness.shown(agent.root, saying('Duration'), 'the summary')
    expect((await alertsOf(agent))[0]?.closedBy).not.toBeNull()
    await agent[Symbol.asyncDispose]()
  })

  it('R16 an escalation is a new message that mentions the whole channel, once; no agent can', async () => {
    const { agent, card } = await silent('Ole')
    const broadcasts = () => harness.driver.broadcasts().filter(({ thread }) => thread === agent.root)
    expect(card.text).not.toContain('<!channel>')
    const called = await harness.shown(agent.root, saying('<!channel>'), 'the escalation')
    expect(called.id).not.toBe(card.id)
    expect(isAlert(called)).toBe(true)
    expect(broadcasts()).toMatchObject([{ text: expect.stringContaining('<!channel>') }])
    await agent.call('remote_log', { message: 'hello <!channel> and @channel' })
    const quoted = await harness.shown(agent.root, saying('hello'), 'the log')
    expect(quoted.text).not.toContain('<!channel>')
    const after = await closed(agent.root, called.id)
    expect(after.text).not.toContain('<!channel>')
    await closed(agent.root, card.id)
    expect(broadcasts()).toHaveLength(1)
    await agent[Symbol.asyncDispose]()
  })
})
