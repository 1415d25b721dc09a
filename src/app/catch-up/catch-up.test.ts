import { describe, expect, it } from 'vitest'
import { openWorld, system, type World } from '../../../test/world.ts'
import type { MessageId } from '../../domain/message/schema.ts'
import type { SessionId } from '../../domain/session/id.ts'
import type { Terminal } from '../../domain/terminal/schema.ts'
import type { Standing } from '../../domain/user/actor.ts'
import { newId } from '../../lib/id.ts'
import { ok, notFound } from '../../lib/result.ts'
import type { Detection, Terminals } from '../terminals.ts'
import { createCatchUp, type CatchUpInput } from './catch-up.ts'
import type { Item } from './item.ts'
import { readMarkRecords } from './read-marks.ts'

const began = '2020-01-01T00:00:00.000Z'

type Fake = {
  text: string
  detection: Detection | null
  state: Terminal['state']
  lines?: { text: string; at: string }[]
  printedAt?: string
}

/** Terminals whose output is a string and whose cursor is an offset in it. */
function fakeTerminals(known: Map<SessionId, Fake>) {
  const entry = (id: SessionId) => {
    const found = known.get(id)
    if (!found) return null
    return {
      terminal: { sessionId: id, state: found.state, name: 'a shell', startTime: began } as Terminal,
      detection: found.detection,
    }
  }
  const port: Pick<Terminals, 'list' | 'get' | 'updates' | 'printed' | 'screen' | 'search'> = {
    list: async () => ok([...known.keys()].flatMap((id) => entry(id) ?? [])),
    get: async (id) => {
      const found = entry(id)
      return found ? ok(found) : notFound('session', id)
    },
    updates: async (id, { cursor }) => {
      const { text = '' } = known.get(id) ?? {}
      const from = Number(cursor?.split(':')[1] ?? 0)
      return ok({ text: text.slice(from), cursor: `0:${text.length}`, epoch: 0, truncated: false, hasMore: false })
    },
    printed: async (id, { cursor }) => {
      const { text = '', printedAt = began } = known.get(id) ?? {}
      const from = Number(cursor?.split(':')[1] ?? 0)
      const lines = text
        .slice(from)
        .split('\n')
        .map((line) => ({ line, at: printedAt }))
      return ok({ lines, cursor: `0:${text.length}`, epoch: 0, truncated: false, hasMore: false })
    },
    search: async ({ sessionId, since }) => {
      const { text = '', lines = [] } = (sessionId && known.get(sessionId)) || {}
      const matches = lines.flatMap((line) => {
        const offset = text.indexOf(line.text)
        const match = { sessionId: sessionId as SessionId, line: line.text, offset, at: line.at, before: [], after: [] }
        return since === null || line.at >= since ? [match] : []
      })
      return ok({ matches: matches.toReversed(), truncated: false, didYouMean: [] })
    },
    screen: async (id) => ok({ screen: known.get(id)?.text ?? '', offset: 0, cols: 80, rows: 24 }),
  }
  return port
}

const prompt = (text: string, more: Partial<Detection> = {}): Detection => ({
  waiting: true,
  state: 'waiting',
  promptId: 'prompt-1',
  promptText: text,
  promptType: 'yes_no',
  confidence: 0.95,
  matchedPattern: '.*',
  filePosition: 0,
  timestamp: '2026-01-01T00:00:00.000Z',
  isDangerous: false,
  dangerReason: null,
  decidedBy: 'kernel',
  suggestedInputs: [],
  choices: [],
  default: null,
  secret: false,
  evidence: [],
  ...more,
})

async function setUp() {
  const world = await openWorld('sqlite')
  const known = new Map<SessionId, Fake>()
  const make = () =>
    createCatchUp({
      app: world.app,
      readMarks: readMarkRecords(world.database),
      terminals: fakeTerminals(known),
      clock: world.clock,
    })
  const owner = await world.person()
  const who: Standing = await world.app.read.standing(owner)
  const shape = ({ severity, text, kind, times }: Item) => `${severity} ${kind} ×${times} ${text}`
  const catchUp = make()
  const look = async (more: Partial<CatchUpInput<string>> = {}, by = catchUp) => {
    const told = await by.look({ who, sessionId: null, since: null, tokens: 2000, minSeverity: 'low', shape, ...more })
    if (!told.ok) throw new Error(told.fault.message)
    return told.value
  }
  return { world, known, owner, who, look, make, catchUp, [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() }
}

const say = (world: World, sessionId: SessionId, text: string, level: 'info' | 'error' = 'info') =>
  world.do(
    {
      type: 'message.add',
      id: newId<MessageId>(),
      sessionId,
      role: 'agent',
      content: { type: 'text', text, partial: false, level },
    },
    system,
  )

describe('B9 T11 catching up', () => {
  it('reports what happened between two cursors: nothing is lost or repeated', async () => {
    await using yard = await setUp()
    const { world, owner, look } = yard
    const id = await world.session(owner)
    await say(world, id, 'first')
    const one = await look({ sessionId: id })
    expect(one.events).toContain('low message ×1 agent: first')
    await say(world, id, 'second')
    const two = await look({ sessionId: id, since: one.cursor })
    expect(two.events).toEqual(['low message ×1 agent: second'])
    expect((await look({ sessionId: id, since: two.cursor })).events).toEqual([])
    expect((await look({ sessionId: id, since: one.cursor })).events).toEqual(two.events)
  })

  it('continues from the last recorded look, for each viewer and session, also after a restart', async () => {
    await using yard = await setUp()
    const { world, owner, who, look, make, catchUp } = yard
    const id = await world.session(owner)
    await say(world, id, 'first')
    const one = await look({ sessionId: id })
    expect((await look({ sessionId: id })).events).toEqual(one.events)
    await catchUp.seen(who, id, one.cursor)
    await say(world, id, 'second')
    expect((await look({ sessionId: id }, make())).events).toEqual(['low message ×1 agent: second'])
    expect((await look()).events).toContain('low message ×1 agent: first')
  })

  it('an open ask is high; once answered it is one item, medium; a failed one is critical', async () => {
    await using yard = await setUp()
    const { world, owner, look } = yard
    const id = await world.session(owner)
    const before = await look({ sessionId: id })
    const ask = await world.ask(id, { title: 'Shall I?', subject: { kind: 'command', command: 'make', cwd: '/' } })
    const opened = await look({ sessionId: id, since: before.cursor })
    expect(opened.events).toEqual(['high ask ×1 Waiting for an answer, command: Shall I?'])
    expect(opened.summary).toContain('1 ask waits for an answer')
    await world.do({ type: 'ask.answer', id: ask, answer: { outcome: 'reject', reason: 'not now' } }, owner)
    const answered = 'medium ask ×1 Rejected by you, command ("not now"): Shall I?'
    expect((await look({ sessionId: id, since: opened.cursor })).events).toEqual([answered])
    expect((await look({ sessionId: id, since: before.cursor })).events).toEqual([answered])
    await world.do({ type: 'session.fail', id, reason: 'it broke' })
    expect((await look({ sessionId: id, minSeverity: 'critical' })).events).toEqual([
      'critical session ×1 Session failed (it broke)',
    ])
  })

  it('reports a terminal’s output and prompt once, and again when it asks again', async () => {
    await using yard = await setUp()
    const { world, owner, look, known } = yard
    const id = await world.session(owner)
    known.set(id, { text: '$ make\nerror: no rule\n\nGo on? ', detection: prompt('Go on?'), state: 'active' })
    const one = await look({ sessionId: id })
    expect(one.events).toEqual(
      expect.arrayContaining([
        'high error ×1 error: no rule',
        'high prompt ×1 a shell is waiting for yes or no: Go on?',
      ]),
    )
    expect((await look({ sessionId: id, since: one.cursor })).events).toEqual([])
    const danger = { promptId: 'prompt-2', isDangerous: true, dangerReason: 'drops 3 tables' }
    known.set(id, {
      text: '$ make\nerror: no rule\n\nGo on? y\nDrop? ',
      detection: prompt('Drop?', danger),
      state: 'active',
    })
    const two = await look({ sessionId: id, since: one.cursor })
    expect(two.events).toContain(
      'critical prompt ×1 a shell is waiting for yes or no (dangerous: drops 3 tables): Drop?',
    )
    expect(two.events.join()).not.toContain('no rule')
  })

  it('reports an old terminal’s output since a time, and then continues from there', async () => {
    await using yard = await setUp()
    const { world, owner, look, known } = yard
    const id = await world.session(owner)
    const text = 'error: of old\nerror: of today\n'
    const lines = [
      { text: 'error: of old', at: '2020-01-01T00:00:01.000Z' },
      { text: 'error: of today', at: '2025-01-01T00:00:00.000Z' },
    ]
    known.set(id, { text, lines, detection: null, state: 'active' })
    const told = await look({ sessionId: id, since: '2024-01-01T00:00:00Z' })
    expect(told.events).toContain('high error ×1 error: of today')
    expect(told.events.join()).not.toContain('of old')
    known.set(id, { text: `${text}error: of now\n`, lines, detection: null, state: 'active' })
    expect((await look({ sessionId: id, since: told.cursor })).events).toEqual(['high error ×1 error: of now'])
  })

  it('dates terminal output by when it was printed, before what happened since', async () => {
    await using yard = await setUp()
    const { world, owner, look, known } = yard
    const id = await world.session(owner)
    known.set(id, { text: 'error: no rule\n', printedAt: '2021-05-05T00:00:00.000Z', detection: null, state: 'active' })
    const shape = ({ at, text }: Item) => `${at} ${text}`
    await say(world, id, 'later')
    const { events } = await look({ sessionId: id, shape })
    expect(events[0]).toBe('2021-05-05T00:00:00.000Z error: no rule')
    expect(events.at(-1)).toContain('agent: later')
  })

  it('folds what an agent repeats', async () => {
    await using yard = await setUp()
    const { world, owner, look } = yard
    const id = await world.session(owner)
    for (let n = 0; n < 30; n += 1) await say(world, id, `Processed ${n} files`)
    const told = await look({ sessionId: id })
    expect(told.events).toContain('low message ×30 agent: Processed 0 files')
  })

  it('shows only what the viewer may see', async () => {
    await using yard = await setUp()
    const { world, look } = yard
    const other = await world.person('another')
    const id = await world.session(other)
    await say(world, id, 'a secret of theirs', 'error')
    const who = await world.app.read.standing(await world.person('a third'))
    expect((await look({ who })).events).toEqual([])
    await expect(look({ who, sessionId: id })).rejects.toThrow('No such session')
  })

  it('refuses an invalid cursor with a message', async () => {
    await using yard = await setUp()
    await expect(yard.look({ since: 'yesterday' })).rejects.toThrow('neither a cursor nor a time')
  })

  it('refuses a cursor past the end of the log, and does not continue from a recorded one', async () => {
    await using yard = await setUp()
    const { world, owner, who, look, catchUp } = yard
    const id = await world.session(owner)
    await expect(look({ since: 'zzzz.zzzz' })).rejects.toThrow('past the end of the log')
    await say(world, id, 'it broke', 'error')
    for (const sessionId of [null, id]) {
      await catchUp.seen(who, sessionId, 'zzzz.zzzz')
      expect((await look({ sessionId })).events).toContain('high error ×1 agent: it broke')
    }
  })
})
