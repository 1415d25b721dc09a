import { describe, expect, it } from 'vitest'
import { findId, shortId, shortener } from './ids.ts'

const one = { id: '0199c2d4-1111-7000-8000-000000000001', name: 'shop' }
const two = { id: '0199c2d4-1122-7000-8000-000000000002', name: 'dead beef' }
const old = { id: 'aaaa0000-1111-4000-8000-000000000003', name: 'old' }

async function* pages() {
  yield [one, two]
  yield [one, two, old]
}
const find = (text: string) =>
  findId(text, { what: 'repo', list: 'signalbox repos', pages: pages(), alsoCalled: ({ name }) => [name] })
const findByIdAlone = (text: string) => findId(text, { what: 'ask', list: 'signalbox asks', pages: pages() })

describe('an id', () => {
  it('is used as is if complete', async () => {
    expect(await find('FFFFFFFF-1111-7000-8000-000000000001')).toBe('ffffffff-1111-7000-8000-000000000001')
  })

  it('is found by the beginning of exactly one, or by name', async () => {
    expect(await find('0199c2d4-111')).toBe(one.id)
    expect(await find('AAAA')).toBe(old.id)
    expect(await find('Shop')).toBe(one.id)
  })

  it('that matches several is refused, with enough of each to choose', async () => {
    await expect(find('0199c2d4')).rejects.toMatchObject({
      exit: 2,
      message: '"0199c2d4" could be 2 repos.',
      hint: 'Give more of it: 0199c2d4-111, 0199c2d4-112',
    })
  })

  it('that does not exist is not found', async () => {
    await expect(find('ffff')).rejects.toMatchObject({ exit: 5, code: 'repo_not_found' })
  })

  it('needs four characters', async () => {
    await expect(findByIdAlone('019')).rejects.toMatchObject({ exit: 2 })
    await expect(findByIdAlone('nonsense')).rejects.toMatchObject({
      exit: 2,
      message: '"nonsense" is not the id of an ask.',
    })
  })

  it('is shown as short as possible while unique', () => {
    expect(shortener([old.id, one.id])(one.id)).toBe('0199c2d4')
    expect(shortener([one.id, two.id])(one.id)).toBe('0199c2d4-111')
    expect([shortId(one.id), shortId(old.id)]).toEqual(['0199c2d4-1111', 'aaaa0000'])
  })
})
