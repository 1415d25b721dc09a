import { expect, it } from 'vitest'
import { describeBoth, openWorld, system, type Person, type World } from '../world.ts'
import { newRandomId } from '../../src/lib/id.ts'
import type { SessionId } from '../../src/domain/session/id.ts'
import type { Actor } from '../../src/domain/user/actor.ts'
import { writeExchange } from '../../src/domain/pattern/exchange.ts'
import {
  confirmedAnswer,
  forgetInputEvents,
  getPattern,
  inferInput,
  inputHistory,
  keptPatterns,
  listInputEvents,
  listPatternRules,
  listPatterns,
} from '../../src/domain/pattern/query.ts'
import { PatternCommand, type InputEventId } from '../../src/domain/pattern/schema.ts'

const question = 'Restart services immediately? (yes/no)'

const track = (sessionId: SessionId, who: Person, more: object = {}) =>
  PatternCommand.parse({
    type: 'input.track',
    id: newRandomId(),
    sessionId,
    promptText: question,
    promptType: 'yes_no',
    secret: false,
    dangerous: false,
    inputText: 'no',
    source: 'user_typed',
    success: true,
    userId: who.userId,
    program: 'svc',
    ...more,
  })

async function setUp(open: () => Promise<World>) {
  const world = await open()
  const ann = await world.person('Ann')
  const session = await world.session(ann)
  const answer = async (times: number, more: object = {}, actor: Actor = system) => {
    for (let count = 0; count < times; count++) await world.do(track(session, ann, more), actor)
  }
  const db = world.database.read
  const now = () => world.clock.now()
  const here = { userId: ann.userId, promptText: question, program: 'svc', host: '', place: '/work' }
  return { world, ann, session, answer, db, now, here, [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() }
}

describeBoth('patterns', (open) => {
  it('exist as soon as an answer is tracked, with totals equal to the sum of their counts', async () => {
    await using at = await setUp(open)
    await at.answer(3)
    await at.answer(1, { inputText: 'yes', success: false })
    const { patterns, total } = await listPatterns(at.db, { userId: at.ann.userId, limit: 10 })
    expect(total).toBe(1)
    expect(patterns).toMatchObject([
      {
        promptText: question,
        totalOccurrences: 4,
        context: { program: 'svc', host: '', place: '/work' },
        responses: [
          { response: 'no', count: 3, successCount: 3 },
          { response: 'yes', count: 1, successCount: 0 },
        ],
      },
    ])
    expect(await inferInput(at.db, at.here, at.now())).toMatchObject({ expected: 'no', occurrences: 4 })
  })

  it('count every one of several simultaneous answers', async () => {
    await using at = await setUp(open)
    await using other = await at.world.join()
    const done = await Promise.all(
      Array.from({ length: 20 }, (_none, index) =>
        (index % 2 === 0 ? at.world.app : other.app).dispatch(
          track(at.session, at.ann, { inputText: index % 4 === 0 ? 'yes' : 'no' }),
          system,
        ),
      ),
    )
    expect(done.every((result) => result.ok)).toBe(true)
    const [pattern] = await keptPatterns(at.db, at.ann.userId)
    expect(pattern?.responses.map(({ response, count }) => [response, count])).toEqual([
      ['no', 15],
      ['yes', 5],
    ])
  })

  it('never hold a secret or a dangerous answer, nor does any other row', async () => {
    await using at = await setUp(open)
    const secret = 'correct-horse-battery'
    await at.answer(4, { promptText: 'Password: ', promptType: 'password', inputText: secret })
    await at.answer(4, { promptText: 'Enter it: ', promptType: 'text', secret: true, inputText: secret })
    await at.answer(4, { promptText: 'Delete 3 tables? (yes/no)', dangerous: true, inputText: 'yes' })
    await at.answer(1, { inputText: 'harmless' })
    const rows = JSON.stringify(await at.world.tables())
    expect(rows).not.toContain(secret)
    expect(rows).toContain('harmless')
    const { patterns } = await listPatterns(at.db, { userId: at.ann.userId, limit: 10 })
    expect(patterns.map(({ promptText }) => promptText)).toEqual([question])
    const dangerous = { ...at.here, promptText: 'Delete 9 tables? (yes/no)' }
    expect(await inferInput(at.db, dangerous, at.now())).toMatchObject({
      expected: null,
      warnings: ['dangerous prompts are never learned'],
    })
    const asked = { ...at.here, promptText: 'Password: ' }
    expect((await inferInput(at.db, asked, at.now())).warnings).toEqual(['secret answers are never learned'])
  })

  it('are kept apart by program and host; without both they are merged and less certain', async () => {
    await using at = await setUp(open)
    await at.answer(4, { program: 'svc', host: 'web1' })
    await at.answer(4, { program: 'svc', host: 'web2', inputText: 'yes' })
    await at.answer(3, { program: 'other', host: 'web1', inputText: 'later' })
    const { place, ...here } = { ...at.here, host: 'web1' }
    const exact = await inferInput(at.db, { ...here, place }, at.now())
    expect(exact).toMatchObject({ expected: 'no', occurrences: 4, warnings: [] })
    expect(await inferInput(at.db, here, at.now())).toMatchObject({ expected: 'no', occurrences: 4, warnings: [] })
    const { host: _host, ...program } = here
    expect(await inferInput(at.db, program, at.now())).toMatchObject({ occurrences: 8 })
    const alone = await inferInput(at.db, { userId: at.ann.userId, promptText: question }, at.now())
    expect(alone).toMatchObject({ occurrences: 11 })
    expect(alone.confidence).toBeLessThan(exact.confidence)
    expect(alone.warnings.join()).toContain('3 patterns')
    const elsewhere = await inferInput(at.db, { ...here, program: 'third' }, at.now())
    expect(elsewhere).toMatchObject({ expected: null, occurrences: 0 })
  })

  it('belong to a person', async () => {
    await using at = await setUp(open)
    const bea = await at.world.person('Bea')
    await at.answer(3)
    const [pattern] = (await listPatterns(at.db, { userId: at.ann.userId, limit: 10 })).patterns
    if (!pattern) throw new Error('nothing was learned')
    expect(await getPattern(at.db, bea.userId, pattern.id)).toBeUndefined()
    expect(await inferInput(at.db, { ...at.here, userId: bea.userId }, at.now())).toMatchObject({ occurrences: 0 })
    expect(await at.world.refused({ type: 'pattern.forget', id: pattern.id }, bea)).toMatchObject({
      code: 'pattern_not_found',
    })
    await at.world.do({ type: 'pattern.forget', id: pattern.id }, at.ann)
    expect(await getPattern(at.db, at.ann.userId, pattern.id)).toBeUndefined()
    expect(await listInputEvents(at.db, { sessionId: at.session, limit: 10 })).toMatchObject([
      { patternId: null },
      { patternId: null },
      { patternId: null },
    ])
  })

  it('are judged by what happened next', async () => {
    await using at = await setUp(open)
    const id = newRandomId<InputEventId>()
    await at.world.do(track(at.session, at.ann, { id, success: null }))
    await at.world.do({ type: 'input.judge', id, success: false })
    const [pattern] = await keptPatterns(at.db, at.ann.userId)
    expect(pattern?.responses).toMatchObject([{ count: 1, successCount: 0, recent: 'f' }])
    await at.world.do({ type: 'input.judge', id, success: true })
    expect((await keptPatterns(at.db, at.ann.userId))[0]?.responses).toMatchObject([{ count: 1, successCount: 1 }])
    expect(await listInputEvents(at.db, { sessionId: at.session, limit: 10 })).toMatchObject([{ id, success: true }])
  })

  it('become proposals, which answer only after their person confirms them', async () => {
    await using at = await setUp(open)
    const bea = await at.world.person('Bea')
    const agent: Actor = { kind: 'agent', userId: at.ann.userId, tokenId: null, sessionId: at.session }
    const asked = { ...at.here, promptType: 'yes_no', secret: false, dangerous: false } as const
    await at.answer(5)
    const [rule] = await listPatternRules(at.db, { userId: at.ann.userId, statuses: ['proposed'] })
    if (!rule) throw new Error('nothing was proposed')
    expect(rule).toMatchObject({ response: 'no', evidence: 5, promptText: question })
    expect(rule.why).toContain('5 of 5 times you answered no')
    expect(await confirmedAnswer(at.db, asked), 'not before').toBeNull()
    expect((await at.world.refused({ type: 'pattern.confirm', id: rule.id }, agent)).code).toBe('agents_may_not')
    expect((await at.world.refused({ type: 'pattern.confirm', id: rule.id }, bea)).code).toBe('proposal_not_found')
    await at.world.do({ type: 'pattern.confirm', id: rule.id }, at.ann)
    expect(await confirmedAnswer(at.db, asked)).toEqual({ ruleId: rule.id, response: 'no' })
    expect(await confirmedAnswer(at.db, { ...asked, dangerous: true }), 'never at a dangerous one').toBeNull()
    expect(await confirmedAnswer(at.db, { ...asked, host: 'web1' }), 'never elsewhere').toBeNull()
    await at.world.do({ type: 'pattern.revoke', id: rule.id }, at.ann)
    expect(await confirmedAnswer(at.db, asked)).toBeNull()
  })

  it('are imported as a whole, and counted once no matter how often they are imported', async () => {
    await using at = await setUp(open)
    await at.answer(4)
    const exported = JSON.parse(JSON.stringify(writeExchange(await keptPatterns(at.db, at.ann.userId))))
    const before = await keptPatterns(at.db, at.ann.userId)
    for (let time = 0; time < 2; time++)
      await at.world.do({ type: 'pattern.import', userId: at.ann.userId, document: exported }, at.ann)
    const after = await keptPatterns(at.db, at.ann.userId)
    expect(after.map(({ id, responses }) => [id, responses[0]?.count, responses[0]?.weight])).toEqual(
      before.map(({ id, responses }) => [id, responses[0]?.count, responses[0]?.weight]),
    )
    exported.data.patterns.push({ ...exported.data.patterns[0], pattern_id: 'x', total_occurrences: 99 })
    const tables = await at.world.tables()
    const fault = await at.world.refused({ type: 'pattern.import', userId: at.ann.userId, document: exported }, at.ann)
    expect(fault).toMatchObject({ code: 'invalid_patterns', details: { faults: [{ index: 1 }] } })
    expect(await at.world.tables()).toEqual(tables)
    const bea = await at.world.person('Bea')
    const planted = { type: 'pattern.import', userId: at.ann.userId, document: { patterns: [] } } as const
    expect((await at.world.refused(planted, bea)).kind).toBe('forbidden')
  })

  it('leave a history in the export layout, kept for a limited time', async () => {
    await using at = await setUp(open)
    await at.answer(1, { promptText: 'Password:', promptType: 'password', inputText: 'hunter2', responseTimeMs: 250 })
    at.world.clock.advance(1000)
    await at.answer(1, { source: 'ai_suggested' })
    const history = await inputHistory(at.db, at.session)
    expect(history).toMatchObject({
      session_id: at.session,
      events: [
        { prompt_text: 'Password:', input_text: '[REDACTED]', input_source: 'user_typed', response_time_ms: 250 },
        { prompt_text: question, input_text: 'no', input_source: 'ai_suggested', success: true },
      ],
    })
    expect(await listInputEvents(at.db, { userId: at.ann.userId, q: 'RESTART', limit: 10 })).toHaveLength(1)
    expect(await listInputEvents(at.db, { sessionId: at.session, q: '100%_', limit: 10 })).toHaveLength(0)
    const [first] = history.events
    expect(await forgetInputEvents(at.world.database.write, String(history.events[1]?.timestamp))).toBe(1)
    expect((await inputHistory(at.db, at.session)).events).not.toContainEqual(first)
  })

  it('leave out what a database can’t store', async () => {
    await using at = await setUp(open)
    await at.answer(1, { promptText: 'Odd\0 \uD800? ', inputText: 'a\0\uD800' })
    expect(await listInputEvents(at.db, { sessionId: at.session, limit: 1 })).toMatchObject([
      { promptText: 'Odd \uFFFD? ', inputText: 'a\uFFFD', patternId: null },
    ])
  })
})

it('look up a thousand patterns and search ten thousand events quickly', async () => {
  await using at = await setUp(() => openWorld('sqlite'))
  const patterns = Array.from({ length: 1000 }, (_none, index) => ({
    pattern_id: `p${index}`,
    prompt_text: `Continue with step ${words(index)}? (yes/no)`,
    responses: { yes: { count: 5, success_count: 5 }, no: { count: 2, success_count: 1 } },
    total_occurrences: 7,
    last_seen: '2025-11-14T10:00:00Z',
    created_at: '2025-11-01T09:00:00Z',
    context: { program: 'svc', host: '', place: '/work' },
  }))
  await at.world.do({ type: 'pattern.import', userId: at.ann.userId, document: { patterns } }, at.ann)
  const promptText = `Continue with step ${words(777)}? (yes/no)`
  await inferInput(at.db, { ...at.here, promptText }, at.now())
  const inferring = await timed(() => inferInput(at.db, { ...at.here, promptText }, at.now()))
  expect(inferring.value).toMatchObject({ expected: 'yes', occurrences: 7 })
  const { write } = at.world.database
  for (let from = 0; from < 10_000; from += 500)
    await write
      .insertInto('input_events')
      .values(
        Array.from({ length: 500 }, (_none, index) => ({
          id: newRandomId<InputEventId>(),
          session_id: at.session,
          at: new Date(Date.parse('2030-01-01T00:00:00.000Z') + (from + index) * 1000).toISOString(),
          prompt_text: `Continue with step ${words(from + index)}? (yes/no)`,
          prompt_type: 'yes_no' as const,
          input_text: 'yes',
          success: 1 as const,
          input_source: 'user_typed' as const,
          response_time_ms: 100,
          user_id: at.ann.userId,
          pattern_id: null,
          secret: 0 as const,
          witnessed: 1 as const,
        })),
      )
      .execute()
  const q = words(9876)
  const searching = await timed(() => listInputEvents(at.db, { sessionId: at.session, q, limit: 100 }))
  expect(searching.value).toHaveLength(1)
  const listing = await timed(() => listInputEvents(at.db, { sessionId: at.session, limit: 100 }))
  expect(listing.value).toHaveLength(100)
  console.info(
    `1,000 patterns: inferred in ${inferring.ms} ms; 10,000 events: searched in ${searching.ms} ms, listed in ${listing.ms} ms`,
  )
})

/** A number in letters, because digits would be masked. */
const words = (index: number): string =>
  String(index)
    .padStart(5, '0')
    .replaceAll(/\d/g, (digit) => 'abcdefghij'[Number(digit)] ?? '')
    .replace(/^/, 'step-q')

async function timed<T>(work: () => Promise<T>): Promise<{ value: T; ms: string }> {
  const started = performance.now()
  const value = await work()
  return { value, ms: (performance.now() - started).toFixed(1) }
}
