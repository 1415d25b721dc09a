import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { coloured, plain, type Paint } from '../output.ts'
import {
  ask,
  chunk,
  id,
  openFakeServer,
  runAgainst,
  session,
  text,
  type Answering,
  type FakeServer,
} from './fake-server.ts'

let side: Awaited<ReturnType<typeof openFakeServer>>
let fake: FakeServer
beforeEach(async () => {
  side = await openFakeServer()
  fake = side.fake
})
afterEach(() => side.close())
const run = (argv: readonly string[], answering: Answering | null = null, paint: Paint = plain) =>
  runAgainst(side, argv, answering, paint)

describe('a running session at a terminal', () => {
  it('keeps running after Ctrl-D, and shows what each key does', async () => {
    const session = run(['attach', id], () => null)
    const keys = await session.typing()
    keys.leave()
    const { code, err } = await session.done
    expect([code, err]).toEqual([0, expect.stringMatching(/Ctrl-D leaves it running[^]*Left session 1f0c3a7e/)])
    expect(fake.calls.some(({ path }) => path.endsWith('/turn/cancel'))).toBe(false)
  })

  it('gets a typed line as the next prompt', async () => {
    const said: unknown[] = []
    fake.replies[`POST /api/sessions/${id}/prompt`] = (body) => {
      said.push(body)
      return { id: 'r', status: 'waiting', position: said.length }
    }
    const session = run(['attach', id], () => null)
    const keys = await session.typing()
    keys.line('also the docs')
    keys.line('and the tests')
    await session.until('Queued: and the tests')
    keys.leave()
    await session.done
    expect(said).toEqual([
      { text: 'also the docs', when: 'next' },
      { text: 'and the tests', when: 'next' },
    ])
  })

  it('reports a cancelled turn when it ends, not after queued prompts', async () => {
    fake.state.items = [
      { id: 'q', status: 'sent' },
      { id: 'q2', status: 'waiting' },
    ]
    const session = run(['attach', id], () => null)
    await session.typing()
    session.press()
    await session.until('Cancelling the turn. Ctrl-C again within two seconds')
    // The queued prompts are done before the next look.
    fake.state.items = []
    fake.event('queue.delivered', { id: 'q', sessionId: id, outcome: 'cancelled' })
    fake.event('queue.sent', { id: 'q2', sessionId: id })
    fake.live('message.chunk', chunk(0, 'after it'))
    fake.endTurn()
    await session.done
    expect(session.all().match(/The turn was cancelled|after it/g)).toEqual(['The turn was cancelled', 'after it'])
  })

  it('reports it before the next prompt, even if that is read ahead of the event', async () => {
    const prompt = (name: string) => ({ ...text(name, name, false), role: 'user' })
    fake.state.messages = [prompt('one')]
    const session = run(['attach', id], () => null)
    await session.typing()
    session.press()
    await session.until('Cancelling the turn.')
    fake.state.messages = [prompt('one'), prompt('two')]
    fake.event('message.added', { id: 'two' })
    fake.event('queue.delivered', { id: 'q', sessionId: id, outcome: 'cancelled' })
    fake.endTurn()
    await session.done
    expect(session.all().match(/The turn was cancelled|> (?:one|two)/g)).toEqual([
      '> one',
      'The turn was cancelled',
      '> two',
    ])
  })

  it('prints the title of an ask once, in colours too', async () => {
    fake.state.asks = [ask]
    const { out } = await run(['attach', id], () => null, coloured).done
    expect(out.match(/Write a\.txt/g)).toHaveLength(1)
  })

  it('continues after the answer to an ask that had paused it', async () => {
    fake.state.asks = [ask]
    let isFirst = true
    fake.replies[`POST /api/asks/${ask.id}/answer`] = () => {
      fake.state.asks = []
      return { ...ask, status: 'answered' }
    }
    const session = run(['attach', id], (question) => {
      if (!question.startsWith('y/n')) return null
      if (isFirst) fake.event('session.status_changed', { id, to: 'paused', reason: 'budget' })
      isFirst = false
      return 'y'
    })
    await session.until('[y] Allow')
    while (!fake.calls.some(({ path }) => path.endsWith('/answer'))) await session.soon()
    fake.event('session.status_changed', { id, to: 'active', reason: 'budget raised' })
    await session.typing()
    fake.endTurn()
    const { code, err } = await session.done
    expect([code, err]).toEqual([0, expect.not.stringContaining('paused')])
  })

  it('asks again if the server was down when it was answered', async () => {
    fake.state.asks = [ask]
    let tries = 0
    fake.replies[`POST /api/asks/${ask.id}/answer`] = () => {
      tries += 1
      if (tries === 1) throw new Error('gone')
      fake.state.asks = []
      fake.endTurn()
      return { ...ask, status: 'answered' }
    }
    const questions: string[] = []
    const { code, err } = await run(['attach', id], (question) => {
      questions.push(question.trim())
      return question.startsWith('y/n') ? 'y' : null
    }).done
    expect([code, questions]).toEqual([0, ['y/n:', 'y/n:', '›']])
    expect(err).toContain('The answer did not arrive')
  })
})

describe('attach without a session', () => {
  const attach = async (sessions: object[]) => {
    fake.replies['GET /api/sessions'] = () => ({ sessions, next: null, total: sessions.length })
    fake.state.items = []
    return run(['attach']).done
  }
  const here = { ...session, repoId: null, workspaceRoot: process.cwd(), prompt: 'Go' }

  it('picks the only one running here', async () => {
    expect(await attach([here, { ...here, id: 'x', workspaceRoot: '/elsewhere' }])).toMatchObject({ code: 0 })
  })

  it('lists several with a command to copy, and reports if there is none', async () => {
    const other = { ...here, id: '2f0c3a7e-0000-4000-8000-000000000002' }
    expect(await attach([here, other])).toMatchObject({
      code: 2,
      err: expect.stringContaining('signalbox attach 2f0c3a7e # practice, active: Go'),
    })
    expect(await attach([])).toMatchObject({ code: 5, err: expect.stringContaining('No session is running.') })
  })
})

describe('start', () => {
  it('says at the end that the session stays, and how to end it', async () => {
    fake.state.items = []
    const { code, err } = await run(['start', '--workspace', '/w', 'fix the bug']).done
    expect([code, err]).toEqual([0, expect.stringContaining('stays open, idle.\n')])
    expect(err).toContain('signalbox stop 1f0c3a7e')
  })

  it('names the idle sessions if all slots are taken', async () => {
    fake.refusal.now = {
      status: 429,
      error: { code: 'session_limit', message: 'All 1 slots are taken.', hint: 'End one.' },
    }
    const idle = { ...session, prompt: 'Go', lastActivityAt: new Date(0).toISOString() }
    fake.replies['GET /api/sessions'] = () => ({ sessions: [idle], next: null, total: 1 })
    expect(await run(['start', '--workspace', '/w', 'fix the bug']).done).toMatchObject({
      code: 7,
      err: expect.stringContaining('signalbox stop 1f0c3a7e # practice, just now: Go'),
    })
  })
})

describe('continue', () => {
  it('refuses a session that has not ended, unless it is to be replaced', async () => {
    const { code, err } = await run(['continue', id, 'go on']).done
    expect([code, err]).toEqual([6, expect.stringContaining('signalbox attach 1f0c3a7e')])
    expect(fake.calls.some(({ path }) => path.endsWith('/restart'))).toBe(false)
    fake.replies[`POST /api/sessions/${id}/restart`] = () => session
    fake.state.items = []
    expect(await run(['continue', id, '--replace', '--detach']).done).toMatchObject({ code: 0 })
  })
})
