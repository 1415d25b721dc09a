import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { common, createLowlight } from 'lowlight'
import { highlightedLines } from './highlighted-lines.ts'
import { fileOf, firstOf } from './fixtures.ts'
import { createHighlighter, type HighlightAnswer, type HighlightRequest } from './highlighter.ts'
import { languageOf } from './language.ts'
import { tokensByLine } from './tokens.ts'

describe('requesting colours', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  function workers() {
    const asked: HighlightRequest[] = []
    const heard: ((answer: HighlightAnswer) => void)[] = []
    const ended: number[] = []
    const highlighter = createHighlighter({
      start: ({ answer }) => {
        const number = heard.push(answer)
        return { post: (request) => asked.push(request), end: () => ended.push(number) }
      },
      patienceMs: 100,
      mostFailures: 2,
    })
    return { asked, heard, ended, highlighter }
  }

  it('requests one text at a time, the newest first', async () => {
    const { asked, heard, highlighter } = workers()
    const first = highlighter.highlight('json', ['1'])
    void highlighter.highlight('json', ['2'])
    void highlighter.highlight('json', ['3'])
    expect(asked.map(({ lines }) => lines)).toEqual([['1']])
    heard[0]?.({ id: firstOf(asked).id, tokens: [[[1, 'number']]] })
    expect(await first).toEqual([[[1, 'number']]])
    expect(asked.map(({ lines }) => lines)).toEqual([['1'], ['3']])
  })
  it('gives up on a slow text, and continues with a new worker', async () => {
    const { asked, heard, ended, highlighter } = workers()
    const stuck = highlighter.highlight('json', ['stuck'])
    const next = highlighter.highlight('json', ['next'])
    vi.advanceTimersByTime(100)
    expect(await stuck).toBeNull()
    expect(ended).toEqual([1])
    heard[1]?.({ id: firstOf(asked.slice(1)).id, tokens: [] })
    expect(await next).toEqual([])
  })
  it('stays plain if workers keep failing', async () => {
    const { asked, highlighter } = workers()
    for (const text of ['one', 'two', 'three']) {
      const answer = highlighter.highlight('json', [text])
      vi.advanceTimersByTime(100)
      expect(await answer).toBeNull()
    }
    expect(asked).toHaveLength(2)
  })
})

describe('colours', () => {
  it('are cut into lines, and a comment over several lines colours them all', () => {
    const lines = tokensByLine(createLowlight(common).highlight('typescript', '/* a\nb */\nconst x = 1'))
    expect(lines.slice(0, 2)).toEqual([[[4, 'comment']], [[4, 'comment']]])
    expect(lines[2]?.[0]).toEqual([5, 'keyword'])
    expect(lines[2]?.reduce((sum, [length]) => sum + length, 0)).toBe('const x = 1'.length)
  })
  it('are requested once for each side of a hunk, and only when visible', async () => {
    const file = fileOf('--- a/f.ts', '+++ b/f.ts', '@@ -1,2 +1,2 @@', ' a', '-b', '+c')
    const asked: string[][] = []
    const highlight = (_language: string, lines: string[]) => {
      asked.push(lines)
      return Promise.resolve(lines.map((line) => [[line.length, `${asked.length}`] as const]))
    }
    const colours = highlightedLines(file.hunks, 'typescript', () => ({ highlight }))
    expect(asked).toEqual([])
    const { lines } = firstOf(file.hunks)
    const colour = (at: number) => colours.of(firstOf(lines.slice(at)))
    await new Promise<void>((done) => {
      colours.want(lines.slice(2), done)
    })
    expect(asked).toEqual([['a', 'c']])
    expect([colour(0), colour(1)]).toEqual([[[1, '1']], null])
    await new Promise<void>((done) => {
      colours.want(lines, done)
    })
    expect(asked).toEqual([
      ['a', 'c'],
      ['a', 'b'],
    ])
    expect(colour(1)).toEqual([[1, '2']])
  })
  it('follow the file name', () => {
    const registered = createLowlight(common)
    for (const path of ['a.ts', 'b/c.tsx', 'x.py', 'Makefile', 'y.yml', 'z.H', 'q.svelte', 'w.toml'])
      expect(registered.registered(languageOf(path) ?? '')).toBe(true)
    for (const path of ['LICENSE', 'a.unknown', 'constructor', 'x.__proto__']) expect(languageOf(path)).toBeNull()
  })
})
