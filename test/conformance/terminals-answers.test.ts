import { readFile, writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { literal, openTerminalHarness, type InputEvent, type TerminalHarness } from '../support/terminal-harness.ts'
import { until } from '../support/until.ts'
import { openMcpHarness, type McpHarness } from './mcp-harness.ts'

type Pattern = {
  id: string
  promptText: string
  responses: { response: string; count: number; successCount: number }[]
  totalOccurrences: number
  context: { program: string; host: string; place: string }
}
type Inference = {
  expected: string | null
  confidence: number
  occurrences: number
  successRate: number
  alternatives: { response: string; count: number }[]
}
type Exchanged = {
  pattern_id: string
  prompt_text: string
  responses: Record<string, { count: number; success_count: number }>
  total_occurrences: number
  last_seen: string
  created_at: string
  context?: Record<string, unknown>
}
type Export = { schema_version: string; data: { patterns: Exchanged[] } }

/** Asks once, and accepts any answer. */
const asking = (question: string) => `printf '${question} [y/n] '; read a; echo "you said $a"`

const judged = (harness: TerminalHarness, id: string, count: number): Promise<InputEvent[]> =>
  until(
    async () => {
      const events = await harness.inputs(id)
      return events.length >= count && events.every(({ success }) => success !== null) ? events : null
    },
    { what: `${count} inputs with what came of them` },
  )

describe('answers in terminals', () => {
  let harness: TerminalHarness
  beforeAll(async () => {
    harness = await openTerminalHarness()
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  /** The same program asks once for each of these answers; returns the last terminal. */
  async function answered(question: string, answers: string[]): Promise<string> {
    let last = ''
    for (const text of answers) {
      const { sessionId: id } = await harness.run(asking(question), { cwd: harness.base })
      await harness.answer(id, literal(question), text)
      await judged(harness, id, 1)
      last = id
    }
    return last
  }
  const infer = (promptText: string, more = {}) =>
    harness.owner.post<Inference>('/api/patterns/infer', { promptText, ...more })
  const patternOf = async (words: string): Promise<Pattern | undefined> =>
    (await harness.owner.get<{ patterns: Pattern[] }>(`/api/patterns?q=${encodeURIComponent(words)}`)).patterns[0]

  describe('typing', () => {
    it('T9 delivered: the program accepted it, and the screen shows it', async () => {
      const { sessionId: id } = await harness.run(
        `printf "Name: "; read a; echo "$a" > ${harness.at('name')}; echo "hello $a"; sleep 600`,
      )
      const { promptId } = await harness.waits(id, /Name/)
      const typed = await harness.type(id, 'Änne O’Neill', { expectPrompt: promptId })
      expect(typed.status).toBe('delivered')
      expect(typed.screenAfter).toContain('Name: Änne O’Neill')
      expect(await until(() => readFile(harness.at('name'), 'utf8').catch(() => ''))).toBe('Änne O’Neill\n')
    })

    it('T9 delivered even if the program ends by it', async () => {
      const { sessionId: id } = await harness.run('printf "Leave? [y/n] "; read a')
      expect(await harness.answer(id, /Leave/, 'y')).toMatchObject({ status: 'delivered' })
    })

    it('T9 refused_stale: another prompt is there, and gets nothing', async () => {
      const script = 'printf "First? "; read a; echo "1=$a"; printf "Second? "; read b; echo "2=$b"; sleep 600'
      const { sessionId: id } = await harness.run(script)
      const { promptId } = await harness.waits(id, /First/)
      await harness.type(id, 'one', { expectPrompt: promptId })
      await harness.waits(id, /Second/)
      expect(await harness.type(id, 'again', { expectPrompt: promptId })).toMatchObject({ status: 'refused_stale' })
      expect(await harness.type(id, 'again', { expectPrompt: 'no such prompt' })).toMatchObject({
        status: 'refused_stale',
      })
      expect(await harness.answer(id, /Second/, 'two')).toMatchObject({ status: 'delivered' })
      expect((await harness.prints(id, /2=two/)).text).not.toContain('again')
    })

    it('T9 of two answers to the same prompt one is typed, and only once', async () => {
      const { sessionId: id } = await harness.run(
        `printf "Which? "; read a; printf "%s\\n" "$a" >> ${harness.at('which')}; while read b; do printf "%s\\n" "$b" >> ${harness.at('which')}; done`,
      )
      const { promptId } = await harness.waits(id, /Which/)
      const both = await Promise.all(['one', 'two'].map((text) => harness.type(id, text, { expectPrompt: promptId })))
      expect(both.map(({ status }) => status).toSorted()).toEqual(['delivered', 'refused_stale'])
      const winner = both[0]?.status === 'delivered' ? 'one' : 'two'
      expect(await until(() => readFile(harness.at('which'), 'utf8').catch(() => ''))).toBe(`${winner}\n`)
    })

    it('T9 refused_unreadable: the program is not reading', async () => {
      const { sessionId: id } = await harness.run('echo busy; sleep 600')
      await harness.prints(id, /busy/)
      await until(async () => (await harness.detect(id)).state === 'working')
      expect(await harness.type(id, 'yes')).toMatchObject({ status: 'refused_unreadable' })
      expect((await harness.updates(id)).text).not.toContain('yes')
    })

    it('T9 unverified: typed, but the program shows no reaction', async () => {
      // Without echo it keeps waiting, and reads without accepting anything.
      const script =
        'stty -icanon -echo min 100 time 0; printf "Press a key: "; dd bs=100 count=1 2>/dev/null; sleep 600'
      const { sessionId: id } = await harness.run(script)
      const { promptId } = await harness.waits(id, /Press/)
      expect(await harness.type(id, 'x', { expectPrompt: promptId, pressEnter: false })).toMatchObject({
        status: 'unverified',
      })
    })

    it('T9 keys by name; a log has no keyboard', async () => {
      const { sessionId: id } = await harness.run('stty raw -echo; printf "ready "; head -c 4 | od -An -tx1; sleep 600')
      await harness.waits(id, /ready/)
      await harness.type(id, '', { keys: ['up', 'ctrl-c'] })
      await harness.prints(id, /1b 5b 41 03/)
      expect(await harness.owner.refused('POST', `/api/terminals/${id}/input`, { keys: ['hyper-x'] })).toMatchObject({
        status: 400,
      })
      await writeFile(harness.at('log'), 'Go on? [y/n] ')
      const log = await harness.follow(harness.at('log'), { filePosition: 0 })
      await harness.waits(log.sessionId, /Go on/)
      const refused = await harness.owner.refused('POST', `/api/terminals/${log.sessionId}/input`, { text: 'y' })
      expect([refused.status, refused.message]).toEqual([409, expect.stringMatching(/keyboard|log/)])
    })

    it('T9 T6 a secret is typed and never stored; if it would be visible it is not typed', async () => {
      const secret = 'correct-horse-battery'
      const script =
        'printf "Password: "; stty -echo; read p; stty echo; echo; echo "len $(printf %s "$p" | wc -c)"; printf "Name: "; read n'
      const { sessionId: id } = await harness.run(script)
      const { promptId } = await until(async () => {
        const found = await harness.detect(id)
        return found.waiting && found.secret ? found : null
      })
      expect(await harness.type(id, secret, { secret: true, expectPrompt: promptId })).toMatchObject({
        status: 'delivered',
      })
      await harness.prints(id, new RegExp(`len ${secret.length}`))
      const [event] = await until(async () => {
        const events = await harness.inputs(id)
        return events.length > 0 ? events : null
      })
      expect(event).toMatchObject({ inputText: '[REDACTED]', secret: true, patternId: null, promptType: 'password' })
      const everything = [
        (await harness.owner.send('GET', `/api/terminals/${id}/cast`)).text,
        JSON.stringify(await harness.session(id)),
        (await harness.owner.send('GET', '/api/audit/export')).text,
        harness.server.log(),
      ]
      for (const text of everything) expect(text).not.toContain(secret)
      await harness.waits(id, /Name/)
      const refused = await harness.owner.refused('POST', `/api/terminals/${id}/input`, { text: secret, secret: true })
      expect(refused).toMatchObject({ code: 'would_be_shown' })
    })
  })

  describe('history', () => {
    it('T6 source, person, time to answer, and success judged by what follows', async () => {
      const script =
        'printf "Colour? "; read a; echo "it is $a"; printf "Even number: "; read n; while [ "$n" != 2 ]; do echo "error: not even"; printf "Even number: "; read n; done; printf "Last? "; read a; exit 4'
      const { sessionId: id } = await harness.run(script)
      await harness.answer(id, /Colour/, 'red')
      await harness.answer(id, /Even number/, '1')
      await until(async () => (await harness.inputs(id)).length === 2)
      await harness.prints(id, /not even/)
      await harness.answer(id, /Even number/, '2')
      await harness.answer(id, /Last/, 'bye')
      await harness.ended(id)
      const events = await judged(harness, id, 4)
      const { ownerUserId } = await harness.get(id)
      expect(events.toReversed()).toMatchObject([
        {
          inputText: 'red',
          success: true,
          inputSource: 'user_typed',
          userId: ownerUserId,
          promptText: expect.stringContaining('Colour?'),
        },
        { inputText: '1', success: false },
        { inputText: '2', success: true },
        { inputText: 'bye', success: false, promptText: expect.stringContaining('Last?') },
      ])
      for (const { responseTimeMs } of events) {
        expect(responseTimeMs).toBeGreaterThanOrEqual(0)
        expect(responseTimeMs).toBeLessThan(30_000)
      }
      const history = await harness.owner.get<{ session_id: string; events: Record<string, unknown>[] }>(
        `/api/sessions/${id}/inputs/export`,
      )
      expect(history.session_id).toBe(id)
      expect(history.events.map((event) => [event['input_text'], event['input_source'], event['success']])).toEqual([
        ['red', 'user_typed', true],
        ['1', 'user_typed', false],
        ['2', 'user_typed', true],
        ['bye', 'user_typed', false],
      ])
    })
  })

  describe('patterns', () => {
    it('T7 two equal answers are not enough, three are; a different one is an alternative', async () => {
      const question = 'Show colours at night?'
      await answered(question, ['n', 'n'])
      expect(await infer(`${question} [y/n]`)).toMatchObject({ expected: null, occurrences: 2 })
      await answered(question, ['n'])
      expect(await infer(`${question} [y/n]`)).toMatchObject({ expected: 'n', occurrences: 3, successRate: 1 })
      const id = await answered(question, ['y'])
      const anywhere = await infer(`${question} [y/n]`)
      expect(anywhere).toMatchObject({ expected: 'n', occurrences: 4, alternatives: [{ response: 'y', count: 1 }] })
      const here = await infer(`${question} [y/n]`, { sessionId: id, program: 'sh', host: '' })
      expect(here.confidence).toBeGreaterThan(anywhere.confidence)
      expect(await infer('Nobody ever asked this?')).toMatchObject({ expected: null, occurrences: 0, confidence: 0 })
      const pattern = await patternOf('Show colours')
      expect(pattern).toMatchObject({
        totalOccurrences: 4,
        context: { program: 'sh', host: '', place: harness.base },
        responses: [
          { response: 'n', count: 3, successCount: 3 },
          { response: 'y', count: 1, successCount: 1 },
        ],
      })
      expect(pattern?.id).toMatch(/^[0-9a-f]{32}$/)
    })

    it('T7 nothing is learned from dangerous prompts', async () => {
      const { sessionId: id } = await harness.run(
        'while printf "Delete all tables? [y/n] "; read a; do echo "ok $a"; done',
      )
      for (let n = 1; n <= 3; n += 1) {
        await harness.answer(id, /Delete all tables\? \[y\/n\]$/, 'n')
        await harness.prints(id, new RegExp(`(?:ok n[^]*){${n}}`))
      }
      await until(async () => (await harness.inputs(id)).length === 3)
      expect(await patternOf('Delete all')).toBeUndefined()
      expect(await infer('Delete all tables? [y/n]')).toMatchObject({ expected: null, occurrences: 0 })
    })

    it('T8 patterns survive a crash, and can be exported, imported and forgotten', async () => {
      const question = 'Write tests first?'
      await answered(question, ['y', 'y', 'y'])
      const before = await patternOf('Write tests')
      await harness.crash()
      await harness.restart()
      expect(await patternOf('Write tests')).toEqual(before)
      const whole = await harness.owner.get<Export>('/api/patterns/export')
      expect(whole.schema_version).toBe('1.0')
      for (const { responses, total_occurrences: total, pattern_id } of whole.data.patterns) {
        expect(pattern_id).toMatch(/^[0-9a-f]{32}$/)
        const counts = Object.values(responses)
        expect(counts.reduce((sum, { count }) => sum + count, 0)).toBe(total)
        expect(counts.every(({ count, success_count }) => success_count <= count)).toBe(true)
      }
      const mine = whole.data.patterns.find(({ prompt_text }) => prompt_text.includes('Write tests'))
      expect(mine).toMatchObject({ responses: { y: { count: 3, success_count: 3 } }, total_occurrences: 3 })
      expect(await harness.owner.delete(`/api/patterns/${before?.id}`)).toMatchObject({ id: before?.id })
      expect(await patternOf('Write tests')).toBeUndefined()
      expect(await infer(`${question} [y/n]`)).toMatchObject({ expected: null, occurrences: 0 })
      expect(await harness.owner.post('/api/patterns/import', whole)).toEqual({ imported: whole.data.patterns.length })
      expect(await patternOf('Write tests')).toMatchObject({ id: before?.id, totalOccurrences: 3 })
      // Importing twice has the effect of importing once.
      await harness.owner.post('/api/patterns/import', whole)
      expect((await harness.owner.get<Export>('/api/patterns/export')).data.patterns).toHaveLength(
        whole.data.patterns.length,
      )
      await harness.owner.delete(`/api/patterns/${before?.id}`)
    })

    const row = {
      pattern_id: 'of-another-program',
      prompt_text: 'Restart services immediately?',
      responses: { no: { count: 10, success_count: 10 }, yes: { count: 2, success_count: 0 } },
      total_occurrences: 12,
      last_seen: new Date().toISOString(),
      created_at: '2025-11-01T09:00:00Z',
    }

    it('T8 the bare layout is imported too', async () => {
      expect(await harness.owner.post('/api/patterns/import', { patterns: [row] })).toEqual({ imported: 1 })
      expect(await infer('Restart services immediately?')).toMatchObject({ expected: 'no', occurrences: 12 })
      // An imported file is not evidence for a proposal.
      expect((await harness.proposals()).filter(({ promptText }) => promptText.includes('Restart'))).toEqual([])
    })

    it.each([
      ['wrong sums', { total_occurrences: 11 }],
      ['more successes than answers', { responses: { no: { count: 12, success_count: 13 } } }],
      ['a negative count', { responses: { no: { count: -1, success_count: 0 } }, total_occurrences: -1 }],
      ['an invalid time', { last_seen: 'yesterday' }],
      ['no question', { prompt_text: '' }],
      ['a secret question', { prompt_text: 'Password:' }],
      ['a dangerous question', { prompt_text: 'Delete all files? [y/n]' }],
    ])('T8 a file with %s is refused as a whole', async (_what, wrong) => {
      const good = { ...row, prompt_text: 'Good one that must not come alone?' }
      const refused = await harness.owner.refused('POST', '/api/patterns/import', {
        patterns: [good, { ...row, ...wrong }],
      })
      expect(refused.status).toBe(400)
      expect(await patternOf('Good one')).toBeUndefined()
    })
  })

  it('B3 a frequent answer is proposed, typed once a person confirms it, and revoked when it fails', async () => {
    const question = 'Send statistics?'
    const flag = harness.at('broken')
    const script = `${asking(question)}; if [ -e ${flag} ]; then echo "error: no such answer"; exit 1; fi`
    const ask = async () => (await harness.run(script, { cwd: harness.base })).sessionId
    for (let n = 1; n <= 5; n += 1) {
      expect(await harness.proposals('proposed')).toEqual([])
      const id = await ask()
      await harness.answer(id, /Send statistics/, 'n')
      await judged(harness, id, 1)
    }
    const [proposal] = await until(async () => {
      const found = await harness.proposals('proposed')
      return found.length > 0 ? found : null
    })
    expect(proposal).toMatchObject({ response: 'n', status: 'proposed', evidence: 5, why: expect.stringMatching(/5/) })
    // Nothing is typed automatically before a person confirms it.
    const unanswered = await ask()
    await harness.waits(unanswered, /Send statistics/)
    const since = Date.now()
    await until(() => Date.now() - since > 300)
    expect(await harness.inputs(unanswered)).toEqual([])
    await harness.owner.post(`/api/patterns/proposals/${proposal?.id}/confirm`)
    const answeredByRule = await ask()
    await harness.prints(answeredByRule, /you said n/)
    expect(await judged(harness, answeredByRule, 1)).toMatchObject([
      { inputText: 'n', inputSource: 'auto_injected', success: true, promptText: expect.stringContaining(question) },
    ])
    await writeFile(flag, '')
    const failing = await ask()
    await harness.prints(failing, /you said n/)
    expect(await judged(harness, failing, 1)).toMatchObject([{ success: false }])
    await until(async () => (await harness.proposals('revoked')).length === 1, { what: 'the end of the rule' })
    const asked = await ask()
    await harness.waits(asked, /Send statistics/)
    const later = Date.now()
    await until(() => Date.now() - later > 300)
    expect(await harness.inputs(asked)).toEqual([])
  })
})

describe('answers from agents', () => {
  let harness: McpHarness
  beforeAll(async () => {
    harness = await openMcpHarness({ config: '[terminal]\nask = "off"\n' })
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  it('T9 T6 a dangerous prompt is for people; an agent’s input is in the history as its suggestion', async () => {
    await using agent = await harness.connect()
    const script = 'printf "Colour? "; read c; printf "Format disk? [y/n] "; read a; echo "got $a"; sleep 600'
    const { sessionId: id } = await harness.owner.post<{ sessionId: string }>('/api/terminals', {
      sessionType: 'script',
      command: ['sh', '-c', script],
    })
    await harness.owner.post(`/api/terminals/${id}/grants`, { sessionId: agent.sessionId })
    const send = (text: string) => agent.call('send_session_input', { session_id: id, text })
    await until(async () => (await send('red'))['status'] === 'delivered')
    const said = await until(async () => {
      const reply = await send('y')
      return reply['status'] === 'refused_unreadable' ? null : reply
    })
    expect(said).toMatchObject({ isError: true, error_code: 'needs_person' })
    const [event] = await until(async () => {
      const { events } = await harness.owner.get<{ events: InputEvent[] }>(`/api/sessions/${id}/inputs`)
      return events.length > 0 ? events : null
    })
    expect(event).toMatchObject({ inputText: 'red', inputSource: 'ai_suggested', userId: null, patternId: null })
    await harness.owner.post(`/api/terminals/${id}/end`)
  })
})
