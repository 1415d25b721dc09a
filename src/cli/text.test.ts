import { describe, expect, it } from 'vitest'
import { cleanLine, cleanText } from './clean-text.ts'
import { renderFields, renderTable } from './columns.ts'
import { Failure, wrongUsage } from './failure.ts'
import { coloured, formatJson, plain } from './output.ts'
import { renderError } from './render-error.ts'
import { fit, textWidth } from './text-width.ts'
import { relativeTime, timeAhead, timeBack } from './times.ts'

describe('clean text', () => {
  it.each([
    ['\u001b[31mred\u001b[0m', 'red'],
    ['\u001b]0;title\u0007after', 'after'],
    ['\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\', 'link'],
    ['\u009b2Jgone', 'gone'],
    ['a\u0008b\u0000c\rd', 'abcd'],
    ['tab\tand\r\nline', 'tab\tand\nline'],
    ['\u202eabc\u2066', 'abc'],
    ['\u001b\u001b[2J[2J', '[2J'],
    ['日本 👍', '日本 👍'],
  ])('of %j is %j', (dirty, clean) => expect(cleanText(dirty)).toBe(clean))

  it('on one line has no line breaks', () => expect(cleanLine(' a\n\n b\t c ')).toBe('a b c'))

  it('stays escaped in JSON', () => {
    expect(formatJson({ a: '\u009b\u202e\u001b' }, false)).toBe('{"a":"\\u009b\\u202e\\u001b"}')
  })
})

describe('a table', () => {
  const rows = [
    { id: '1f0c3a7e', what: 'Add a checkout page', more: '' },
    { id: '2', what: '日本', more: '' },
  ]
  const columns = [
    { title: 'ID', cell: (row: (typeof rows)[number]) => row.id },
    { title: 'WHAT', cell: (row: (typeof rows)[number]) => row.what, shrinks: true as const },
    { title: 'MORE', cell: (row: (typeof rows)[number]) => row.more },
    { title: 'N', cell: () => ({ text: '1', colour: 'red' as const }) },
  ]

  it('is aligned and leaves empty columns out', () => {
    expect(renderTable(rows, columns, { width: 80, paint: plain }).split('\n')).toEqual([
      'ID        WHAT                 N',
      '1f0c3a7e  Add a checkout page  1',
      '2         日本                 1',
    ])
  })

  it('fits the terminal', () => {
    const lines = renderTable(rows, columns, { width: 24, paint: plain }).split('\n')
    expect(lines[1]).toBe('1f0c3a7e  Add a chec…  1')
    expect(Math.max(...lines.map(textWidth))).toBeLessThanOrEqual(24)
  })

  it('fits even if no column can shrink', () => {
    const one = { id: '1f0c3a7e', what: 'session.status_changed', more: 'revoked 1m ago' }
    for (const width of [40, 30, 20])
      for (const line of renderTable([one], columns, { width, paint: plain }).split('\n'))
        expect(textWidth(line)).toBeLessThanOrEqual(width)
    expect(renderTable([one], columns, { width: 30, paint: plain })).toContain('1f0c3a7e  ')
  })

  it('of fields breaks long values between words, indented', () => {
    expect(renderFields([['Name', { text: 'one two three', colour: 'red' }]], { paint: plain, width: 14 })).toBe(
      'Name  one two\n      three',
    )
  })

  it('measures columns without colours', () => {
    const text = renderTable(rows, columns, { width: 80, paint: coloured })
    expect(cleanText(text)).toBe(renderTable(rows, columns, { width: 80, paint: plain }))
  })

  it('never passes on control sequences from a value', () => {
    const table = renderTable([{ id: '\u001b[2Jx\ny', what: '', more: '' }], columns, { width: 80, paint: plain })
    expect(table).toBe('ID   N\nx y  1')
  })

  it('of fields leaves out those without a value', () => {
    expect(
      renderFields(
        [
          ['A', 'x'],
          ['Long', null],
          ['Bcd', 'y'],
        ],
        { paint: plain },
      ),
    ).toBe('A    x\nBcd  y')
  })

  it('never splits wide characters', () => expect(fit('日本語', 4)).toBe('日…'))
})

describe('times', () => {
  const now = Date.parse('2026-06-15T12:00:00.000Z')
  it.each([
    [0, 'just now'],
    [-5_000, '5s ago'],
    [-59_999, '59s ago'],
    [-60_000, '1m ago'],
    [-3_600_000, '1h ago'],
    [-47 * 3_600_000, '47h ago'],
    [-3 * 86_400_000, '3d ago'],
    [-90 * 86_400_000, '2026-03-17'],
    [599_000, 'in 10m'],
    [3_599_000, 'in 1h'],
  ])('%i ms from now are %s', (offset, words) => {
    expect(relativeTime(new Date(now + offset).toISOString(), now)).toBe(words)
  })

  it('that are missing are empty', () => expect(relativeTime(null, now)).toBe(''))

  it('are read as durations and as dates', () => {
    expect(timeAhead('expires', '90d', now)).toBe('2026-09-13T12:00:00.000Z')
    expect(timeBack('since', '2h', now)).toBe('2026-06-15T10:00:00.000Z')
    // A day is that of the person, not of UTC.
    expect(timeBack('since', '2026-01-31', now)).toBe(new Date(2026, 0, 31).toISOString())
  })

  it.each(['soon', '12', '', '2026', '99-99-99', '2026-13-45'])('refuse %j', (text) => {
    expect(() => timeAhead('expires', text, now)).toThrow(/Invalid --expires/)
  })
})

describe('an error', () => {
  const form = { json: false, debug: false }
  const failure = new Failure({ exit: 5, code: 'ask_not_found', message: 'There is no ask\u001b[2J x.', hint: 'Look.' })

  it('says what is wrong and what to do', () => {
    expect(renderError(failure, form)).toEqual({ exit: 5, text: 'signalbox: There is no ask x.\n  Look.' })
  })

  it('is JSON for programs', () => {
    const { text } = renderError(wrongUsage('No.', 'Yes.'), { ...form, json: true })
    expect(JSON.parse(text)).toEqual({ error: { code: 'usage', message: 'No.', hint: 'Yes.' } })
  })

  it('shows its stack only when asked', () => {
    expect(renderError(new Error('a bug'), form).text).not.toContain('text.test.ts')
    expect(renderError(new Error('a bug'), { ...form, debug: true }).text).toContain('text.test.ts')
  })

  it.each([
    [400, 2],
    [401, 4],
    [403, 4],
    [404, 5],
    [409, 6],
    [429, 7],
    [500, 1],
  ])('of the API with status %i exits with %i', (status, code) => {
    const error = Object.assign(new Error('no'), { name: 'ApiError', status, code: 'x', hint: undefined })
    expect(renderError(error, form).exit).toBe(code)
  })
})
