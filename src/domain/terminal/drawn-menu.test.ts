import { describe, expect, it } from 'vitest'
import { drawnEntries, isNamed, type DrawnScreen } from './drawn-menu.ts'
import { noLooks } from './looks.ts'
import { flipped, isConfirmLit, nextKey, tickKey, type MenuState } from './menu-keys.ts'

const choices = (...labels: string[]) =>
  labels.map((label) => ({ key: label, label, selected: false, isDefault: false }))
const colours = choices('red', 'green', 'blue')

/** `looks`: a letter for how each character is drawn. */
const drawn = (rows: string[], more: Partial<DrawnScreen> = {}): DrawnScreen => ({
  rows,
  looks: noLooks,
  cursorRow: null,
  ...more,
})
const marks = (screen: DrawnScreen, of = colours) =>
  drawnEntries(screen, of).map(({ pointed, ticked }) => `${pointed ? '>' : ' '}${ticked ? 'x' : ''}`)

describe('the mark of a menu', () => {
  it('is where the cursor is, or what is drawn unlike all others', () => {
    const rows = ['Colour', '  red', '  green', '  blue']
    expect(marks(drawn(rows, { cursorRow: 2 }))).toEqual([' ', '>', ' '])
    const looks = { rows: ['aaaaaa', 'aabbb', 'aaaaaaa', 'aaaaaa'], styles: {} }
    expect(marks(drawn(rows, { looks }))).toEqual(['>', ' ', ' '])
    expect(marks(drawn(rows, { looks: { ...looks, rows: ['', 'bbbbb', 'aaccccc', 'aadddd'] } }))).toEqual([
      ' ',
      ' ',
      ' ',
    ])
    expect(marks(drawn(rows))).toEqual([' ', ' ', ' '])
  })

  it('may be a lit box', () => {
    const rows = ['[ ] red', '[*] green', '[ ] blue']
    const looks = { rows: ['aaaaaaa', 'abaaaaaaa', 'aaaaaaaa'], styles: {} }
    expect(marks(drawn(rows, { looks }))).toEqual([' ', '>x', ' '])
  })

  it('a check is a tick unless it is faint', () => {
    const rows = ['✔ red', '✔ green', '✔ blue']
    const looks = { rows: ['g  ccc', 'w  aaaaa', 'g  aaaa'], styles: { g: 'dim 0:0 0:0', w: '16777216:2 0:0' } }
    expect(marks(drawn(rows, { looks }))).toEqual(['>', ' x', ' '])
  })

  it('belongs to an entry, and not to the same word in a sentence above', () => {
    const rows = ['Filtered by red', '( ) red    Rot', '(*) green  Gruen']
    expect(drawnEntries(drawn(rows), choices('red Rot', 'green Gruen')).map(({ row }) => row)).toEqual([1, 2])
  })
})

describe('the next key', () => {
  const list = (...ticked: boolean[]): MenuState['entries'] =>
    colours.map(({ label }, row) => ({ label, row, pointed: row === 0, ticked: ticked[row] ?? false }))
  const state = (entries: MenuState['entries'], wanted: string[], more: Partial<MenuState> = {}): MenuState => ({
    entries,
    wanted,
    place: null,
    along: new Set(),
    ...more,
  })

  it('ticks what is missing before it clears what is too much, as radio buttons clear themselves', () => {
    expect(nextKey(state(list(true), ['blue']))).toEqual({ key: 'down', moves: 1 })
    expect(nextKey(state(list(true, false, true), ['blue']))).toEqual({ key: 'tick', moves: 0 })
    expect(nextKey(state(list(false, false, true), ['blue']))).toEqual({ key: 'enter', moves: 0 })
  })

  it('leaves the head of a group that was ticked along with its entries', () => {
    const entries = list(true, true)
    expect(nextKey(state(entries, ['green']))).toEqual({ key: 'tick', moves: 0 })
    expect(nextKey(state(entries, ['green'], { along: new Set(['red']) }))).toEqual({ key: 'enter', moves: 0 })
  })

  it('is unknown if nothing tells where the mark is', () => {
    const hidden = list().map(({ label, row }) => ({ label, row, pointed: false, ticked: null }))
    expect(nextKey(state(hidden, ['blue']))).toBeNull()
    expect(nextKey(state(hidden, ['blue'], { place: 1 }))).toEqual({ key: 'down', moves: 1 })
  })

  it('a changed box tells where the mark is; boxes that change in both directions do not', () => {
    expect(flipped(list(), list(false, true))).toBe(1)
    expect(flipped(list(), list(true, true))).toBe(0)
    expect(flipped(list(true), list(false, true))).toBeNull()
    expect(flipped(list(), list())).toBeNull()
  })

  it('ticks with the tab key where space is a letter', () => {
    expect(tickKey(drawn(['↑/↓ to navigate • Tab: select • Enter: confirm • Type: to search']))).toBe('tab')
    expect(tickKey(drawn(['↑/↓ to navigate • Space: select • Enter: confirm']))).toBe('space')
    expect(tickKey(drawn(['↑/↓ to select • Tab: complete • Enter: confirm']))).toBe('space')
  })
})

it('the button that Enter presses is drawn unlike the others', () => {
  const rows = ['(*) red', '', '   <Ok>      <Cancel>']
  const looks = (last: string) => ({ rows: ['', '', last], styles: {} })
  expect(isConfirmLit(drawn(rows, { looks: looks('aaabbbbaaaaaacccccccc') }), 0)).toBe(true)
  expect(isConfirmLit(drawn(rows, { looks: looks('aaaaaaaaaaaaaaaaaaaaa') }), 0)).toBe(false)
  expect(isConfirmLit(drawn(rows, { looks: looks('aaaaaaaaaaaaaaaaaaaaa') }), 2)).toBeNull()
  expect(isConfirmLit(drawn(['> red', '  blue']), 0)).toBeNull()
})

it('an entry is named by its whole name', () => {
  expect(isNamed('/tmp/x', '/tmp')).toBe(false)
  expect(isNamed('2. Blue (the sea)', 'blue')).toBe(true)
  expect(isNamed('blue Blue', 'blue')).toBe(true)
})
