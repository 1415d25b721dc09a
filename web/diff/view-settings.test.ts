import { describe, expect, it } from 'vitest'
import { guardedStorage } from '../app/browser-storage.ts'
import { chunksOf, columnsOf, heightOf } from './chunks.ts'
import { fileOf, firstOf } from './fixtures.ts'
import { factsOf } from './file-view.tsx'
import { readDiff } from './read-diff.ts'
import { rowsOf } from './rows.ts'
import { keepChoice, readChoice, widthClassOf } from './view-settings.ts'

describe('how a diff is shown', () => {
  const store = new Map<string, string>()
  const keeper = {
    getItem: (key: string) => store.get(key) ?? null,
    setItem: (key: string, value: string) => void store.set(key, value),
  }
  it('is one column below 900 pixels and two from there on, unless someone chooses', () => {
    expect([widthClassOf(899), widthClassOf(900)]).toEqual(['narrow', 'wide'])
    expect(readChoice('narrow', keeper).layout).toBe('unified')
    expect(readChoice('wide', keeper).layout).toBe('split')
    keepChoice('wide', { layout: 'unified', wrap: false }, keeper)
    expect(readChoice('wide', keeper)).toEqual({ layout: 'unified', wrap: false })
    expect(readChoice('narrow', keeper)).toEqual({ layout: 'unified', wrap: true })
  })
  it('uses defaults if storage is missing or broken', () => {
    const closed = guardedStorage(() => {
      throw new Error('closed')
    })
    keepChoice('wide', { layout: 'unified', wrap: false }, closed)
    expect(readChoice('wide', closed).layout).toBe('split')
    expect(readChoice('wide', { getItem: () => '{"layout":7', setItem: () => {} }).layout).toBe('split')
    expect(readChoice('wide', { getItem: () => '{"layout":7}', setItem: () => {} }).layout).toBe('split')
  })
})

describe('notes about a file', () => {
  const facts = (text: string) => {
    const file = firstOf(readDiff(text, 'f').files)
    return factsOf(file, file.hunks)
  }
  const change = (...lines: string[]) => `--- a/f\n+++ b/f\n@@ -1 +1 @@\n${lines.join('\n')}\n`

  it('are its mode, its line ends and its hidden characters', () => {
    expect(facts('diff --git a/f b/f\nold mode 100644\nnew mode 100755\n').notes).toEqual(['made executable'])
    expect(facts(change('-a\r', '+b\r'))).toMatchObject({ notes: ['CRLF'], markReturns: false })
    expect(facts(change('-a\r', '+b'))).toMatchObject({ notes: ['mixed line ends'], markReturns: true })
    expect(facts(change('-a', '+b\u202e')).warnings).toEqual(['1 hidden character'])
    expect(facts(change('-a\u202e', '+b')).warnings).toEqual([])
  })
})

describe('the height of rows that are not rendered', () => {
  it('is exact without wrapping and follows the length of lines with it', () => {
    const { hunks } = fileOf('x'.repeat(100), 'y')
    const rows = rowsOf(hunks, { layout: 'unified', unfolded: new Set() })
    expect(heightOf(rows, { lineHeight: 20, barHeight: 32, columns: null })).toBe(40)
    expect(heightOf(rows, { lineHeight: 20, barHeight: 32, columns: 30 })).toBe(100)
    expect(chunksOf(rows)).toHaveLength(1)
    expect([columnsOf('\tab'), columnsOf('你好')]).toEqual([6, 4])
  })
})
