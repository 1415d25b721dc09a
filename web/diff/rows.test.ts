import { describe, expect, it } from 'vitest'
import type { ShownHunk, Op } from './diff-model.ts'
import { rowsOf, type Layout, type DiffRow } from './rows.ts'

function hunk(start: number, lines: readonly string[]): ShownHunk {
  let [oldNumber, newNumber] = [start, start]
  const read = lines.map((line) => {
    const op = line[0] as Op
    return {
      op,
      text: line.slice(1),
      oldNumber: op === '+' ? null : oldNumber++,
      newNumber: op === '-' ? null : newNumber++,
      ended: true,
    }
  })
  return {
    oldStart: start,
    newStart: start,
    oldLines: oldNumber - start,
    newLines: newNumber - start,
    heading: '',
    lines: read,
  }
}
const same = (count: number): string[] => Array.from({ length: count }, (_, index) => ` same ${index}`)
const rows = (hunks: ShownHunk[], layout: Layout = 'unified', unfolded = new Set<string>()): DiffRow[] =>
  rowsOf(hunks, { layout, unfolded })
const words = (row: DiffRow): string => {
  if (row.kind === 'line') return row.line.op + row.line.text
  if (row.kind === 'pair') return `${row.pair.left?.text ?? ''}|${row.pair.right?.text ?? ''}`
  return row.kind === 'gap' ? `gap ${row.count}` : `${row.open ? 'open' : 'fold'} ${row.count}`
}

describe('the rows of a file', () => {
  it('say how many lines the diff leaves out before and between its hunks', () => {
    expect(rows([hunk(5, ['-a', '+b']), hunk(20, ['-c', '+d'])]).map(words)).toEqual([
      'gap 4',
      '-a',
      '+b',
      'gap 14',
      '-c',
      '+d',
    ])
  })
  it('say nothing about omitted lines at the beginning of a file', () => {
    expect(rows([hunk(1, ['-a', '+b'])]).map(words)).toEqual(['-a', '+b'])
  })
  it('fold long unchanged parts except for three lines next to a change', () => {
    const lines = ['-a', ...same(20), '+b', ...same(20)]
    expect(rows([hunk(1, lines)]).map(words)).toEqual([
      '-a',
      ' same 0',
      ' same 1',
      ' same 2',
      'fold 14',
      ' same 17',
      ' same 18',
      ' same 19',
      '+b',
      ' same 0',
      ' same 1',
      ' same 2',
      'fold 17',
    ])
  })
  it('show a folded part again when it is unfolded', () => {
    const hunks = [hunk(1, ['-a', ...same(20), '+b'])]
    const fold = rows(hunks).find(({ kind }) => kind === 'fold')
    const key = fold?.kind === 'fold' ? fold.key : ''
    const shown = rows(hunks, 'unified', new Set([key]))
    expect(shown.map(words)).toContain('open 14')
    expect(shown.filter(({ kind }) => kind === 'line')).toHaveLength(22)
  })
  it('align old and new lines side by side', () => {
    const lines = ['-const limit = 10', '-return open', '+// why', '+const limit = 20', '+return closed']
    expect(rows([hunk(1, lines)], 'split').map(words)).toEqual([
      '|// why',
      'const limit = 10|const limit = 20',
      'return open|return closed',
    ])
  })
  it('also pair old and new lines in one column', () => {
    const [first, , third] = rows([hunk(1, ['-const limit = 10', '+// why', '+const limit = 20'])])
    expect(first?.kind === 'line' && first.mate?.()?.text).toBe('const limit = 20')
    expect(third?.kind === 'line' && third.mate?.()?.text).toBe('const limit = 10')
  })
  it('are made of 100,000 lines quickly', () => {
    const lines = [
      ...Array.from({ length: 50_000 }, (_, at) => `-a ${at}`),
      ...Array.from({ length: 50_000 }, (_, at) => `+b ${at}`),
    ]
    const started = performance.now()
    expect(rows([hunk(1, lines)], 'split')).toHaveLength(50_000)
    expect(performance.now() - started).toBeLessThan(10_000)
  })
})
