import { describe, expect, it } from 'vitest'
import type { UserId } from '../user/id.ts'
import { readExchange, writeExchange, type ExchangeFault } from './exchange.ts'

const me = '0199c2d4-0000-7000-8000-000000000001' as UserId
const now = Date.parse('2025-12-01T00:00:00.000Z')

const row = (more: object = {}) => ({
  pattern_id: 'hash-restart-services',
  prompt_text: 'Restart services immediately?',
  responses: { no: { count: 10, success_count: 10 }, yes: { count: 0, success_count: 0 } },
  total_occurrences: 10,
  last_seen: '2025-11-14T10:00:00Z',
  created_at: '2025-11-01T09:00:00Z',
  ...more,
})
const read = (document: unknown) => {
  const result = readExchange(document, me, now)
  if (!result.ok) throw new Error(result.fault.message)
  return result.value
}
const faultsOf = (...rows: unknown[]): ExchangeFault[] => {
  const result = readExchange({ patterns: rows }, me, now)
  if (result.ok) throw new Error('it was not refused')
  expect(result.fault).toMatchObject({ kind: 'invalid', code: 'invalid_patterns' })
  return result.fault.details?.['faults'] as ExchangeFault[]
}

describe('a patterns file', () => {
  it('is read in the bare layout, including answers that were never given', () => {
    const [pattern] = read({ patterns: [row()] })
    expect(pattern).toMatchObject({
      userId: me,
      promptText: 'Restart services immediately?',
      promptType: 'unknown',
      lastSeen: '2025-11-14T10:00:00.000Z',
      responses: [
        { response: 'no', count: 10, successCount: 10, weight: 10, lastAt: '2025-11-14T10:00:00.000Z' },
        { response: 'yes', count: 0, successCount: 0 },
      ],
    })
    expect(pattern?.id).toMatch(/^[0-9a-f]{32}$/)
  })

  it('is written so that reading it gives the same', () => {
    const context = { program: 'svc', host: 'web1', place: '/work', prompt_type: 'yes_no' }
    const weights = { no: { weight: 3.5, at: '2025-11-10T10:00:00.000Z' } }
    const first = read({ schema_version: '1.0', data: { patterns: [row({ context: { ...context, weights } })] } })
    expect(first[0]?.responses[0]).toMatchObject({ weight: 3.5, lastAt: '2025-11-10T10:00:00.000Z' })
    const written = writeExchange(first)
    expect(written.schema_version).toBe('1.0')
    expect(written.data.patterns[0]).toMatchObject({
      prompt_text: 'Restart services immediately?',
      responses: row().responses,
      total_occurrences: 10,
      context,
    })
    expect(read(JSON.parse(JSON.stringify(written)))).toEqual(first)
  })

  it.each<[string, object, string]>([
    ['a total that is not the sum', { total_occurrences: 11 }, 'total_occurrences'],
    [
      'more successes than answers',
      { responses: { no: { count: 10, success_count: 11 } } },
      'responses["no"].success_count',
    ],
    ['a negative count', { responses: { no: { count: -1, success_count: 0 } } }, 'responses["no"].count'],
    ['a broken number', { responses: { no: { count: 1.5, success_count: 0 } } }, 'responses["no"].count'],
    ['no answers', { responses: [] }, 'responses'],
    ['an empty question', { prompt_text: ' ' }, 'prompt_text'],
    ['a secret question', { prompt_text: 'Password:' }, 'prompt_text'],
    ['a dangerous question', { prompt_text: 'Delete 3 tables? (yes/no)' }, 'prompt_text'],
    ['no time', { last_seen: 'yesterday' }, 'last_seen'],
    ['a time that does not exist', { last_seen: '2025-13-40T10:00:00Z' }, 'last_seen'],
    ['a time in the future', { last_seen: '2031-01-01T00:00:00Z' }, 'last_seen'],
    ['times in the wrong order', { created_at: '2025-11-15T10:00:00Z' }, 'created_at'],
    ['an unknown type', { context: { prompt_type: 'riddle' } }, 'context.prompt_type'],
    ['a program that is not text', { context: { program: 7 } }, 'context.program'],
  ])('is refused for %s', (_what, more, field) => {
    const faults = faultsOf(row(), row({ pattern_id: 'other', prompt_text: 'Continue?', ...more }))
    expect(faults.map((fault) => [fault.index, fault.field])).toContainEqual([1, field])
  })

  it('is refused with all its faults at once', () => {
    const faults = faultsOf(row({ total_occurrences: 1 }), 'no object', row({ pattern_id: 'x', last_seen: 0 }))
    expect(faults.map(({ index }) => index)).toEqual([0, 1, 2])
  })

  it('is refused if it contains a secret, without repeating it', () => {
    const secret = `ghp_${'a1B2'.repeat(9)}`
    const responses = { [secret]: { count: 10, success_count: 1 } }
    const result = readExchange({ patterns: [row({ responses })] }, me, now)
    expect(result.ok).toBe(false)
    expect(JSON.stringify(result)).not.toContain(secret)
    expect(JSON.stringify(result)).toContain('looks like a secret')
  })

  it('is refused if two rows are the same prompt, or have the same id', () => {
    const other = { pattern_id: 'other', prompt_text: ' Restart  services immediately? ' }
    expect(faultsOf(row(), row(other))).toMatchObject([{ index: 1, field: 'prompt_text' }])
    expect(faultsOf(row(), row({ prompt_text: 'Continue?' }))).toMatchObject([{ index: 1, field: 'pattern_id' }])
  })

  it.each([[[]], ['text'], [null], [{}], [{ patterns: {} }], [{ schema_version: '2.0', data: { patterns: [] } }]])(
    'is not %j',
    (document) => {
      expect(readExchange(document, me, now)).toMatchObject({ ok: false, fault: { code: 'invalid_patterns' } })
    },
  )

  it('may be empty', () => {
    expect(read({ schema_version: '1.0', data: { patterns: [] } })).toEqual([])
  })

  it('keeps odd answers as they are', () => {
    const document = JSON.parse(
      JSON.stringify(row({ total_occurrences: 3 })).replace(
        /"responses":\{.*?\}\}/,
        '"responses":{"__proto__":{"count":2,"success_count":2},"":{"count":1,"success_count":1}}',
      ),
    )
    const found = read({ patterns: [document] })
    expect(found[0]?.responses.map(({ response }) => response)).toEqual(['__proto__', ''])
    expect(read(JSON.parse(JSON.stringify(writeExchange(found))))).toEqual(found)
  })
})
