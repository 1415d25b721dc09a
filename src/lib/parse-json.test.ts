import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import {
  anyJson,
  isListOf,
  isRecord,
  isTaggedBy,
  isTextList,
  jsonColumn,
  jsonOrNull,
  ownJson,
  parseJson,
} from './parse-json.ts'

const Named = z.object({ name: z.string(), size: z.number().default(1) })

describe('JSON that is checked', () => {
  it('is what its schema makes of it', () => {
    expect(parseJson('{"name":"a","more":1}', Named)).toEqual({ ok: true, value: { name: 'a', size: 1 } })
  })

  it('is returned unchanged by a guard', () => {
    expect(parseJson('{"name":"a","more":1}', isRecord)).toEqual({ ok: true, value: { name: 'a', more: 1 } })
    expect(parseJson('[1,null]', anyJson)).toEqual({ ok: true, value: [1, null] })
  })

  it('is refused with a reason if it is malformed or something else', () => {
    expect(parseJson('{"name":', Named)).toMatchObject({ ok: false, fault: { code: 'malformed_json' } })
    expect(parseJson('{"name":1}', Named)).toMatchObject({ ok: false, fault: { code: 'unexpected_json' } })
    expect(parseJson('[]', isRecord)).toMatchObject({ ok: false, fault: { code: 'unexpected_json' } })
  })

  it('is null for callers that ignore faults', () => {
    expect([jsonOrNull('{', Named), jsonOrNull('3', Named), jsonOrNull('["a"]', isTextList)]).toEqual([
      null,
      null,
      ['a'],
    ])
  })

  it('is refused if it is nested too deep for its schema', () => {
    const text = '['.repeat(20_000) + ']'.repeat(20_000)
    expect(parseJson(text, z.json())).toMatchObject({ ok: false, fault: { code: 'unexpected_json' } })
  })

  it('throws if it is our own and damaged, and names what it was', () => {
    expect(() => ownJson('{', 'The plan', isRecord)).toThrow(/^The plan can't be read: /)
    const column = jsonColumn('asks.subject', isTaggedBy<{ kind: 'a' }>('kind'))
    expect(column('{"kind":"a"}')).toEqual({ kind: 'a' })
    expect(column(null)).toBeNull()
    for (const damaged of ['', '{"kind":"a"', '{}', '[]', 'null', '{"kind":3}'])
      expect(() => column(damaged)).toThrow(/^The column asks\.subject can't be read: /)
  })
})

describe('guards', () => {
  it('tell records, lists and unions apart', () => {
    const values = [null, [], {}, ['a'], [1], [{}], { type: 'x' }, 'a']
    expect(values.map(isRecord)).toEqual([false, false, true, false, false, false, true, false])
    expect(values.map(isTextList)).toEqual([false, true, false, true, false, false, false, false])
    expect(values.map(isListOf(isRecord))).toEqual([false, true, false, false, false, true, false, false])
    expect(values.map(isTaggedBy<{ type: string }>('type')).indexOf(true)).toBe(6)
  })
})
