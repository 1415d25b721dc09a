import fc from 'fast-check'
import { expect, it } from 'vitest'
import { newId } from '../../lib/id.ts'
import { nextPage, pageStart } from './page-cursor.ts'

const row = { createdAt: '2030-01-01T00:00:00.000Z', id: newId<string>() }

it('a full page names where the next one begins, a short one is the last', () => {
  const next = nextPage([row, row], 2)
  expect(pageStart(next ?? undefined)).toEqual({ ok: true, value: row })
  expect(nextPage([row], 2)).toBe(null)
  expect(nextPage([], 0)).toBe(null)
})

it('an invalid page cursor is refused with a message, never with an exception', () => {
  expect(pageStart(undefined)).toEqual({ ok: true, value: undefined })
  for (const wrong of ['', 'x', '%%%', Buffer.from('yesterday x').toString('base64url')])
    expect(pageStart(wrong)).toMatchObject({ ok: false, fault: { code: 'bad_cursor' } })
  fc.assert(fc.property(fc.string(), (text) => void pageStart(text)))
})
