import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readUntil, shell, startCommand, waiting, type Found } from './mcp-terminal-helpers.ts'
import { approve, openMcpHarness, reject, type McpHarness } from './mcp-harness.ts'

const nobody = '3b241101-e2bb-4255-8caf-4136c566a962'

describe('terminal tools that answer', () => {
  let harness: McpHarness
  beforeAll(async () => {
    harness = await openMcpHarness()
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  describe('detect_input_prompt', () => {
    it('T3 the whole prompt, its type, what decided it, and a pattern that matches it', async () => {
      await using agent = await harness.connect()
      const script = 'echo Building; printf "Install 3 packages? [Y/n] "; read a; sleep 600'
      const id = await startCommand(harness, agent, shell(script))
      const found = await waiting(agent, id, /Install/)
      expect(found).toMatchObject({ prompt_type: 'yes_no', is_dangerous: false, decided_by: 'kernel' })
      expect(found.prompt_text).toContain('Install 3 packages? [Y/n]')
      expect(new RegExp(found.matched_pattern).test(found.prompt_text)).toBe(true)
      expect(found.confidence).toBeGreaterThan(0.7)
      expect(found.confidence).toBeLessThanOrEqual(1)
      expect(found.suggested_inputs.length).toBeGreaterThan(0)
      expect(found.explanation).toBeUndefined()
      const why = await agent.call('detect_input_prompt', { session_id: id, explain: true })
      const { explanation = [] } = why['detection'] as Found
      expect(explanation).toContainEqual(expect.objectContaining({ signal: 'kernel', says: 'waiting' }))
    })

    it('T3 a dangerous one says why; an answered one is no longer a prompt', async () => {
      await using agent = await harness.connect()
      const script = 'printf "Delete 3 tables? (yes/no): "; read a; echo "answered $a"; sleep 600'
      const id = await startCommand(harness, agent, shell(script))
      const found = await waiting(agent, id, /Delete/)
      expect(found).toMatchObject({ is_dangerous: true, danger_reason: expect.stringMatching(/\w/) })
      const refused = await agent.call('send_session_input', { session_id: id, text: 'yes' })
      expect(refused).toMatchObject({ isError: true, error_code: 'needs_person' })
      const path = `/api/terminals/${id}/input`
      const no = { text: 'no', expectPrompt: found.prompt_id }
      expect(await harness.owner.refused('POST', path, no)).toMatchObject({ code: 'danger_not_confirmed' })
      const unnamed = { text: 'no', confirmed: true }
      expect(await harness.owner.refused('POST', path, unnamed)).toMatchObject({ code: 'danger_not_confirmed' })
      await harness.owner.post(path, { ...no, confirmed: true })
      await readUntil(agent, id, /answered no/)
      const now = await agent.call('detect_input_prompt', { session_id: id, explain: true })
      expect(now).toMatchObject({ waiting: false, explanation: expect.any(Array) })
      expect(now['detection']).toBeUndefined()
    })

    it.each([-0.1, 1.1])('T3 min_confidence can’t be %d', async (min_confidence) => {
      await using agent = await harness.connect({ place: null })
      const said = await agent.call('detect_input_prompt', { session_id: nobody, min_confidence })
      expect(said).toMatchObject({ isError: true, error_code: 'invalid_confidence' })
    })

    it('T3 an unknown terminal', async () => {
      await using agent = await harness.connect({ place: null })
      for (const session_id of [nobody, 'x'])
        expect(await agent.call('detect_input_prompt', { session_id })).toMatchObject({
          error_code: 'session_not_found',
        })
    })
  })

  describe('send_session_input', () => {
    it('T9 is typed at the prompt it is for, and refused if that has changed', async () => {
      await using agent = await harness.connect()
      const script = 'printf "First? "; read a; echo "1=$a"; printf "Second? "; read b; echo "2=$b"; sleep 600'
      const id = await startCommand(harness, agent, shell(script))
      const first = await waiting(agent, id, /First/)
      const answer = { session_id: id, text: 'one', expect_prompt: first.prompt_id }
      const sent = await agent.call('send_session_input', answer)
      expect(sent).toMatchObject({ status: 'delivered', isError: false })
      expect(sent['screen_after']).toContain('1=one')
      await waiting(agent, id, /Second/)
      expect(await agent.call('send_session_input', { ...answer, text: 'wrong' })).toMatchObject({
        status: 'refused_stale',
      })
      const second = await waiting(agent, id, /Second/)
      await agent.call('send_session_input', { session_id: id, text: 'two', expect_prompt: second.prompt_id })
      const { text } = await readUntil(agent, id, /2=two/)
      expect(text).not.toContain('wrong')
    })

    it('T9 a secret can only be typed by people', async () => {
      await using agent = await harness.connect()
      const id = await startCommand(
        harness,
        agent,
        shell('printf "Password: "; stty -echo; read p; stty echo; sleep 600'),
      )
      const found = await waiting(agent, id, /Password/)
      expect(found.prompt_type).toBe('password')
      const said = await agent.call('send_session_input', { session_id: id, text: 'guess' })
      expect(said).toMatchObject({ isError: true, error_code: 'needs_person' })
    })

    it('T1 T9 input at a shell prompt is asked about first, and typed once', async () => {
      await using agent = await harness.connect()
      const id = await startCommand(harness, agent, ['env', 'PS1=ready$ ', 'sh', '-i'])
      expect(await waiting(agent, id, /ready/)).toMatchObject({ prompt_type: 'command' })
      const { ask, done } = await agent.begin('send_session_input', { session_id: id, text: 'echo $((6*7))' })
      expect(ask).toMatchObject({ kind: 'command', subject: { command: 'echo $((6*7))' } })
      await harness.answer(ask, approve)
      expect(await done).toMatchObject({ status: 'delivered', isError: false })
      await readUntil(agent, id, /^42/m)
      const again = await agent.call('send_session_input', { request_id: ask.id })
      expect(again).toMatchObject({ status: 'refused_stale' })
      await waiting(agent, id, /ready/)
      const other = await agent.begin('send_session_input', { session_id: id, text: 'echo no' })
      await harness.answer(other.ask, reject('not that'))
      expect(await other.done).toMatchObject({ isError: true, error_code: 'not_permitted' })
    })

    it('T9 an unknown terminal', async () => {
      await using agent = await harness.connect({ place: null })
      const said = await agent.call('send_session_input', { session_id: nobody, text: 'y' })
      expect(said).toMatchObject({ isError: true, error_code: 'session_not_found' })
    })
  })

  describe('track_input_event and infer_expected_input', () => {
    it('T6 an event with its fields; a secret is redacted', async () => {
      await using agent = await harness.connect()
      const id = await startCommand(harness, agent, ['cat'])
      const event = {
        session_id: id,
        prompt_text: 'Restart services? (y/n)',
        input_text: 'n',
        input_source: 'user_typed',
      }
      const more = { success: true, response_time_ms: 1200, timestamp: '2026-01-02T03:04:05Z' }
      expect(await agent.call('track_input_event', { ...event, ...more })).toEqual({
        ...event,
        ...more,
        timestamp: '2026-01-02T03:04:05.000Z',
        event_id: expect.any(String),
        prompt_type: 'yes_no',
        isError: false,
      })
      const secret = { ...event, prompt_text: '[sudo] password for me: ', input_text: 'hunter2' }
      expect(await agent.call('track_input_event', secret)).toMatchObject({ input_text: '[REDACTED]' })
      expect(await agent.call('track_input_event', { ...event, response_time_ms: -1 })).toMatchObject({
        error_code: 'invalid_input',
      })
      expect(await agent.call('track_input_event', { ...event, session_id: nobody })).toMatchObject({
        error_code: 'session_not_found',
      })
    })

    it('T7 what was answered three times is expected; dangerous prompts never are', async () => {
      await using agent = await harness.connect()
      const id = await startCommand(harness, agent, ['cat'])
      const told = (prompt_text: string, input_text: string) => {
        const input_source = 'user_typed'
        return agent.call('track_input_event', { session_id: id, prompt_text, input_text, input_source, success: true })
      }
      const ask = 'Show colours? (y/n)'
      for (const input of ['n', 'n', 'n', 'y']) await told(ask, input)
      const here = await agent.call('infer_expected_input', { prompt_text: ask, session_id: id })
      expect(here).toMatchObject({ expected: 'n', occurrences: 4, success_rate: 1, alternatives: [{ input: 'y' }] })
      const anywhere = await agent.call('infer_expected_input', { prompt_text: ask })
      expect(anywhere).toMatchObject({ expected: 'n' })
      expect(Number(anywhere['confidence'])).toBeLessThan(Number(here['confidence']))
      for (let n = 0; n < 3; n += 1) await told('Delete 3 tables? (yes/no)', 'yes')
      const never = await agent.call('infer_expected_input', { prompt_text: 'Delete 3 tables? (yes/no)' })
      expect(never).toMatchObject({ confidence: 0, occurrences: 0 })
      expect(never['expected']).toBeUndefined()
      const unknown = await agent.call('infer_expected_input', { prompt_text: 'Never asked before?' })
      expect(unknown).toMatchObject({ confidence: 0, occurrences: 0, alternatives: [] })
    })
  })

  describe('search_session_history', () => {
    it('T11 text and regular expressions with context, newest first, and how the query was read', async () => {
      await using agent = await harness.connect()
      const id = await startCommand(
        harness,
        agent,
        shell('for n in 1 2 3 4 5 6 7; do echo "station $n"; done; sleep 600'),
      )
      await readUntil(agent, id, /station 7/)
      const found = await agent.call('search_session_history', { query: 'STATION 4', context_lines: 2 })
      expect(found['matches']).toMatchObject([
        {
          session_id: id,
          line: 'station 4',
          context_before: ['station 2', 'station 3'],
          context_after: ['station 5', 'station 6'],
        },
      ])
      const regex = await agent.call('search_session_history', {
        query: 'station [5-7]',
        regex: true,
        session_id: id,
        max_results: 2,
        context_lines: 0,
      })
      expect(regex['matches']).toMatchObject([{ line: 'station 7' }, { line: 'station 6' }])
      const none = await agent.call('search_session_history', { query: 'statoin' })
      expect(none).toMatchObject({ matches: [], did_you_mean: expect.arrayContaining(['station']) })
      const later = await agent.call('search_session_history', { query: 'station', since: '2100-01-01T00:00:00Z' })
      expect(later).toMatchObject({ matches: [] })
    })

    it('T11 an invalid regular expression is explained; limits apply', async () => {
      await using agent = await harness.connect({ place: null })
      const search = (input: Record<string, unknown>) => agent.call('search_session_history', { query: 'a', ...input })
      expect(await search({ query: '(', regex: true })).toMatchObject({ isError: true, error_code: 'invalid_regex' })
      for (const wrong of [{ context_lines: 11 }, { max_results: 0 }, { max_results: 101 }, { since: 'yesterday' }])
        expect(await search(wrong)).toMatchObject({ isError: true, error_code: 'invalid_input' })
    })
  })
})
