import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ask, chunk, id, openFakeServer, runAgainst, text, type Answering, type FakeServer } from './fake-server.ts'

let side: Awaited<ReturnType<typeof openFakeServer>>
let fake: FakeServer
beforeEach(async () => {
  side = await openFakeServer()
  fake = side.fake
})
afterEach(() => side.close())
const run = (argv: readonly string[], answering: Answering | null = null) => runAgainst(side, argv, answering)

describe('attaching to a session', () => {
  it('shows a text from its start when joining in the middle', async () => {
    fake.state.messages = [text('m', 'One two', true)]
    const session = run(['attach', id])
    await session.until('One two')
    fake.live('message.chunk', chunk(4, 'two three'))
    await session.until('three')
    fake.state.messages = [text('m', 'One two three four five', true)]
    fake.live('message.chunk', chunk(18, ' five'))
    await session.until('five')
    fake.state.messages = [text('m', 'One two three four five six', false)]
    fake.event('message.completed', { id: 'm', sessionId: id })
    fake.endTurn()
    expect(await session.done).toMatchObject({ code: 0, out: 'One two three four five six\n' })
  })

  it('continues after a lost connection, without repeating a word', async () => {
    fake.state.messages = [text('m', 'One', true)]
    const session = run(['attach', id])
    await session.until('One')
    fake.state.messages = [text('m', 'One two', true)]
    fake.hangUp()
    await session.until('two')
    fake.endTurn()
    const { out, err } = await session.done
    expect(out).toBe('One two\n')
    expect(err).toContain('Trying again in 1 s.')
  })

  it('shows the last messages, and how to read earlier ones', async () => {
    fake.state.items = []
    fake.state.messages = Array.from({ length: 12 }, (_, index) => text(`m${index}`, `Message ${index}.`, false))
    const { out, err } = await run(['attach', id]).done
    expect(out).not.toContain('Message 1.')
    expect(out).toContain('Message 2.')
    expect(err).toContain('… 2 earlier messages: signalbox logs 1f0c3a7e')
  })
})

describe('a session without a terminal', () => {
  it('exits with 8 if it waits for an answer, and shows how to give it', async () => {
    fake.state.asks = [ask]
    const { code, err } = await run(['start', '--workspace', '/w', 'practice', 'do', 'it']).done
    expect(code).toBe(8)
    expect(err).toContain(`signalbox answer ${ask.id} select once  # Allow`)
    expect(err.trimEnd().split('\n').at(-1)).toBe(`Waiting for ask ${ask.id}.`)
    expect(fake.calls.find(({ method, path }) => method === 'POST' && path === '/api/sessions')?.body).toEqual({
      agent: 'practice',
      prompt: 'do it',
      workspaceRoot: '/w',
    })
  })

  it('exits with 1 if the turn failed or was cancelled by someone else', async () => {
    fake.state.diagnosis.detail = 'The last turn failed: no more tokens'
    const failing = run(['attach', id])
    await failing.watching
    fake.endTurn()
    expect(await failing.done).toMatchObject({ code: 1, err: expect.stringContaining('no more tokens') })
    fake.state.items = [{ id: 'q', status: 'sent' }]
    const cancelled = run(['attach', id])
    await cancelled.watching
    fake.event('session.steered', { id, what: 'cancel_turn', detail: null })
    fake.endTurn()
    expect(await cancelled.done).toMatchObject({ code: 1, err: expect.stringContaining('The turn was cancelled.') })
  })

  it('ends with the session', async () => {
    const session = run(['attach', id])
    await session.watching
    fake.event('session.status_changed', { id, to: 'error', reason: 'the agent crashed.' })
    const { code, err } = await session.done
    expect(code).toBe(1)
    expect(err).toContain('Session 1f0c3a7e ended with an error: the agent crashed.\n')
    expect(err).toContain('signalbox logs --stderr 1f0c3a7e')
  })

  it('prints a line of JSON for each event', async () => {
    fake.state.messages = [text('m', 'One', true)]
    const session = run(['attach', id, '--json'])
    await session.watching
    fake.live('message.chunk', chunk(3, ' two'))
    fake.endTurn()
    const { code, out } = await session.done
    const types = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).type)
    expect([code, types]).toEqual([0, ['session', 'message', 'message.chunk', 'queue.delivered', 'outcome']])
  })
})

describe('a session at a terminal', () => {
  it('answers an ask in place, then takes the next prompt, and leaves at an empty line', async () => {
    fake.state.asks = [ask]
    fake.replies[`POST /api/asks/${ask.id}/answer`] = () => {
      fake.state.asks = []
      fake.event('ask.answered', { id: ask.id })
      fake.endTurn()
      return { ...ask, status: 'answered' }
    }
    fake.replies[`POST /api/sessions/${id}/prompt`] = () => {
      fake.state.messages = [text('m', 'Done again.', false)]
      return { id: 'r', status: 'delivered', position: 0 }
    }
    const lines = ['what?', 'y', 'once more', '']
    const questions: string[] = []
    const { code, out, err } = await run(['attach', id], (question) => {
      questions.push(question.trim())
      return lines.shift() ?? null
    }).done
    expect(questions).toEqual(['y/n:', 'y/n:', '›', '›'])
    expect(out).toContain('? Write a.txt\n/w/a.txt (new)\n@@ -0,0 +1,1 @@\n+hello\n\n  [y] Allow\n  [n] Reject\n')
    expect(out).toContain('Done again.')
    expect(fake.calls.flatMap(({ path, body }) => (path.endsWith('/answer') ? [body] : []))).toEqual([
      { outcome: 'select', optionId: 'once', reason: null },
    ])
    expect([code, err]).toEqual([0, expect.stringContaining('Reattach: signalbox attach 1f0c3a7e')])
  })

  it('removes the question when someone else answers', async () => {
    fake.state.asks = [ask]
    const late = { answer: { outcome: 'reject' }, answeredBy: 'user:u-1', answeredAt: new Date(0).toISOString() }
    fake.replies[`GET /api/asks/${ask.id}`] = () => ({ ...ask, status: 'answered', ...late })
    const session = run(['attach', id], async (_question, { signal }) => {
      if (fake.state.asks.length === 0) return null
      fake.state.asks = []
      fake.event('ask.answered', { id: ask.id })
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      fake.endTurn()
      return null
    })
    const { code, err } = await session.done
    expect([code, err]).toEqual([0, expect.stringContaining('Ann answered this ask just now with reject.')])
  })

  it('cancels the turn at the first Ctrl-C, and leaves at the second', async () => {
    const session = run(['attach', id], () => null)
    await session.watching
    session.press()
    await session.until('Cancelling the turn.')
    session.press()
    const { code, err } = await session.done
    expect([code, err]).toEqual([0, expect.stringContaining('it keeps running')])
    expect(fake.calls.some(({ path }) => path.endsWith('/turn/cancel'))).toBe(true)
  })
})

describe('the words after start', () => {
  it('name an agent only if there is one', async () => {
    const { code, err } = await run(['start', '--workspace', '/w', 'practise', 'go']).done
    expect([code, err]).toEqual([2, expect.stringContaining('Did you mean practice?')])
    expect(await run(['start', '--workspace', '/w', 'fixer', 'the bug']).done).toMatchObject({
      code: 2,
      err: expect.stringMatching(/Agent fixer not found\.\n {2}Agents: practice\.\n.*in quotes.*config\.toml/),
    })
    fake.state.items = []
    await run(['start', '--workspace', '/w', 'fix the bug']).done
    await run(['start', '--workspace', '/w', '--detach', 'practice']).done
    const bodies = fake.calls.flatMap(({ method, path, body }) =>
      method === 'POST' && path === '/api/sessions' ? [body] : [],
    )
    expect(bodies).toEqual([
      { workspaceRoot: '/w', prompt: 'fix the bug' },
      { workspaceRoot: '/w', agent: 'practice' },
    ])
  })

  it('say what is wrong with a budget', async () => {
    expect(await run(['start', '--budget', 'lots', 'go']).done).toMatchObject({ code: 2 })
  })
})
