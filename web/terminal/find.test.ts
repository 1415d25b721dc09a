import { Terminal } from '@xterm/headless'
import { expect, it } from 'vitest'
import { createFinder } from './find.ts'

/** A terminal in which these lines were printed, and what is selected and shown there. */
async function printed(text: string, { cols = 20, rows = 4 } = {}) {
  const terminal = new Terminal({ cols, rows, allowProposedApi: true, convertEol: true })
  await new Promise<void>((resolve) => terminal.write(text, resolve))
  const seen = { selected: [0, 0, 0], top: 0 }
  const finder = createFinder({
    cols,
    rows,
    buffer: terminal.buffer,
    select: (...place) => (seen.selected = place),
    clearSelection: () => (seen.selected = []),
    scrollToLine: (line) => (seen.top = line),
  })
  return { ...finder, seen }
}

it('finds the last match first, then those above and below it, around the ends', async () => {
  const { find, seen } = await printed('one Needle\ntwo\nneedle needle\nthree\nfour\nfive')
  expect(find('needle', 0)).toEqual({ count: 3, at: 3 })
  expect(seen).toEqual({ selected: [7, 2, 6], top: 0 })
  expect(find('needle', -1)).toEqual({ count: 3, at: 2 })
  expect(find('needle', -1)).toEqual({ count: 3, at: 1 })
  expect(find('needle', -1)).toEqual({ count: 3, at: 3 })
  expect(find('needle', 1)).toEqual({ count: 3, at: 1 })
  expect(seen.selected).toEqual([4, 0, 6])
})

it('finds what wraps, and what stands behind wide characters', async () => {
  const { find, seen } = await printed('0123456789 wrapped around\n密码 needle', { cols: 14 })
  expect(find('wrapped', 0)).toEqual({ count: 1, at: 1 })
  expect(seen.selected).toEqual([11, 0, 7])
  find('needle', 0)
  expect(seen.selected).toEqual([5, 2, 6])
})

it('finds nothing, and then has nothing selected', async () => {
  const { find, seen } = await printed('one')
  find('one', 0)
  expect(find('two', 0)).toEqual({ count: 0, at: 0 })
  expect(seen.selected).toEqual([])
  expect(find('', 1)).toEqual({ count: 0, at: 0 })
})

it('gives the text of all lines, wrapped ones whole', async () => {
  const { text } = await printed('one\n0123456789 wrapped around\n\n密码\n\n', { cols: 14 })
  expect(text()).toBe('one\n0123456789 wrapped around\n\n密码')
})
