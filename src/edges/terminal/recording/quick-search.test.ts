import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { systemClock } from '../../../lib/clock.ts'
import { scale } from '../../../../test/support/scale.ts'
import { lineTest, requiredText } from './line-test.ts'
import { openRecording } from './recording.ts'
import { quickSearch } from './quick-search.ts'
import { readSearchText } from './search-text.ts'
import { listSegments } from './segment.ts'
import { createSidecarReader } from './sidecar.ts'
import { searchRecordings, type SearchInput } from './search.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'sb-quick-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const header = { cols: 80, rows: 24, title: null, env: {}, startedAt: 1000 }

async function record(
  directory: string,
  events: readonly string[],
  from = 2000,
  segmentBytes = 16_000_000,
): Promise<void> {
  const limits = { segmentBytes, totalBytes: 1e9 }
  const recording = await openRecording({ directory, header, clock: systemClock, limits })
  for (const [index, text] of events.entries()) if (!recording.write(text, from + index)) await recording.room()
  await recording.close()
}

const sidecars = (directory: string): string[] =>
  readdirSync(directory).filter((name) => /\.(?:text|words)$/.test(name))
const forget = (directory: string): void => {
  for (const name of sidecars(directory)) rmSync(join(directory, name))
}

async function search(directory: string, query: string, more: Partial<SearchInput> = {}) {
  const found = await searchRecordings([directory], { query, regex: false, contextLines: 2, maxResults: 5, ...more })
  if (!found.ok) throw new Error(found.fault.message)
  return found.value
}

/** Finds the same with what is kept as without, and what is kept is not touched by looking without. */
async function expectSame(directory: string, query: string, more: Partial<SearchInput> = {}): Promise<void> {
  const quick = await search(directory, query, more)
  const without = join(root, 'without')
  rmSync(without, { recursive: true, force: true })
  cpSync(directory, without, { recursive: true, preserveTimestamps: true })
  forget(without)
  const slow = await search(without, query, more)
  for (const { directory: from } of slow.matches) expect(from).toBe(without)
  const placeless = ({ matches, ...rest }: typeof slow) => ({
    ...rest,
    matches: matches.map(({ directory: _directory, ...match }) => match),
  })
  expect(placeless(quick)).toEqual(placeless(slow))
}

/** What is kept is of use: a mistake in it would only make searches slow. */
async function expectUsable(directory: string): Promise<void> {
  const reader = createSidecarReader()
  for (const segment of await listSegments(directory)) {
    const place = { ...segment, bytes: statSync(segment.path).size }
    const text = readSearchText(reader, place)
    if (text === null) continue
    const test = { needle: Buffer.from('e'), matches: (line: string) => line.toLowerCase().includes('e') }
    const range = { since: -Infinity, until: Infinity, contextLines: 2, maxResults: 1e9, isOver: () => false }
    expect((await quickSearch(place, text, { test, ...range }))?.truncated).toBe(false)
  }
}

/** What terminals print: text in many scripts, colours, overwritten lines, cursors that move, lines in pieces. */
const atoms = [
  'error',
  'Error:',
  'ERROR',
  'İstanbul',
  '\u212a',
  'ΟΔΟΣ',
  'οδος',
  'straße',
  'STRASSE',
  '😀',
  'naïve',
  'warning',
  ' ',
  '\t',
  '\r\n',
  '\n',
  '\r\n',
  '\r',
  '\b\b',
  '\u001b[31m',
  '\u001b[0m',
  '\u001b[2K',
  '\u001b[A',
  '\u001b[5;1H',
  '\u001b[3D',
  '\u001b[K',
  '\u001b]0;title\u0007',
  '\u001b[P',
  '\u0085',
  '\ufffd',
  '100 %',
  'id=4711',
  'x'.repeat(300),
]
const filler = Array.from({ length: 400 }, (_, index) => `line ${index} of a build that prints a lot\r\n`).join('')
const longLine = 'y'.repeat(70_000)

function textOf(seed: number, length: number): string[] {
  let state = seed >>> 0
  const next = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
  return Array.from({ length }, () => {
    const kind = next(40)
    if (kind === 0) return filler
    if (kind === 1) return longLine
    return Array.from({ length: 1 + next(30) }, () => atoms[next(atoms.length)] ?? '').join('')
  })
}

const queries = [
  'error',
  'ERROR: ',
  'i̇stanbul',
  'İ',
  'k',
  'οδος',
  'Σ',
  'ß',
  '😀',
  '\ud83d',
  'a\nb',
  ' ',
  'line 399 of',
  'eror',
  'yyyy',
]
const patterns = [
  'Error: *[A-Z]',
  'id=\\d{4}',
  '^line 39+',
  '[Ee]rror',
  'warning$',
  '\\x41|b',
  'of a (build|test)+ that',
  'ab?c*',
]

describe('a search by what is kept', () => {
  const runs = scale({ test: 8, long: 400 })
  it(`finds what reading everything finds, over ${runs} recordings that grow`, { timeout: 600_000 }, async () => {
    const input = fc.record({
      seed: fc.integer(),
      length: fc.integer({ min: 1, max: 300 }),
      more: fc.integer({ min: 0, max: 60 }),
      segmentBytes: fc.constantFrom(16_000_000, 120_000),
      contextLines: fc.constantFrom(0, 1, 3, 200),
      maxResults: fc.constantFrom(1, 3, 50),
      since: fc.constantFrom(undefined, 2050, 2200),
      until: fc.constantFrom(undefined, 2060, 2250),
      asked: fc.shuffledSubarray([...queries, ...patterns], { minLength: 5, maxLength: 9 }),
    })
    let wasKept = 0
    await fc.assert(
      fc.asyncProperty(input, async ({ seed, length, more, segmentBytes, asked, since, until, ...rest }) => {
        const directory = join(root, 'recording')
        rmSync(directory, { recursive: true, force: true })
        await record(directory, textOf(seed, length), 2000, segmentBytes)
        const range = { ...rest, ...(since !== undefined && { since }), ...(until !== undefined && { until }) }
        // A query that occurs nowhere: it makes what is kept.
        await search(directory, 'segmentation fault')
        wasKept += sidecars(directory).length
        for (const query of asked) await expectSame(directory, query, { ...range, regex: patterns.includes(query) })
        await record(directory, textOf(seed + 1, more), 2000 + length, segmentBytes)
        for (const query of asked) await expectSame(directory, query, { ...range, regex: patterns.includes(query) })
        await expectUsable(directory)
      }),
      { numRuns: runs },
    )
    expect(wasKept).toBeGreaterThan(0)
  })

  it('is kept with the mode of the recording, and not made again while it fits', async () => {
    const directory = join(root, 'one')
    await record(
      directory,
      Array.from({ length: 10 }, () => filler),
    )
    await search(directory, 'nothing like it')
    expect(sidecars(directory)).toEqual(['000000000000.text', '000000000000.words'])
    const path = join(directory, '000000000000.text')
    expect(statSync(path).mode & 0o777).toBe(0o600)
    const { ino } = statSync(path)
    await search(directory, 'line 7 of')
    expect(statSync(path).ino).toBe(ino)
  })

  it('takes in what a recording has grown by', async () => {
    const directory = join(root, 'grown')
    await record(
      directory,
      Array.from({ length: 10 }, () => filler),
    )
    await search(directory, 'nothing like it')
    await record(directory, [...Array.from({ length: 120 }, () => filler), 'the needle\r\n'], 3000)
    const path = join(directory, '000000000000.text')
    const before = statSync(path).size
    await expectSame(directory, 'needle')
    expect(statSync(path).size).toBeGreaterThan(before * 5)
    await expectSame(directory, 'line 399 of')
    await expectSame(directory, 'nothing like it')
  })

  it('is made again if it is torn, changed, or not of this segment', async () => {
    const directory = join(root, 'torn')
    await record(directory, [...Array.from({ length: 10 }, () => filler), 'the needle\r\n'])
    await search(directory, 'nothing like it')
    const path = join(directory, '000000000000.text')
    const whole = readFileSync(path)
    const damages = [
      () => truncateSync(path, whole.length / 2),
      () => truncateSync(path, 0),
      () => writeFileSync(path, Buffer.alloc(whole.length)),
      () => {
        const changed = Buffer.from(whole)
        changed.write('nothing', changed.indexOf('needle') - 4)
        writeFileSync(path, changed)
      },
    ]
    for (const damage of damages) {
      damage()
      expect((await search(directory, 'needle')).matches).toHaveLength(1)
      expect(readFileSync(path).equals(whole)).toBe(true)
    }
    // Another recording in its place, as after a restored backup.
    const other = join(root, 'other')
    await record(other, [...Array.from({ length: 10 }, () => filler), 'a noodle!!\r\n'])
    cpSync(path, join(other, '000000000000.text'))
    expect((await search(other, 'needle')).matches).toEqual([])
    expect((await search(other, 'noodle')).matches).toHaveLength(1)
  })

  it('goes with its segment', async () => {
    const directory = join(root, 'trimmed')
    await record(
      directory,
      Array.from({ length: 20 }, () => filler),
      2000,
      100_000,
    )
    await search(directory, 'nothing like it')
    expect(existsSync(join(directory, '000000000000.text'))).toBe(true)
    const limits = { segmentBytes: 100_000, totalBytes: 150_000 }
    const recording = await openRecording({ directory, header, clock: systemClock, limits })
    recording.write(filler, 9000)
    await recording.close()
    const starts = (end: string) =>
      readdirSync(directory)
        .filter((name) => name.endsWith(end))
        .map((name) => name.slice(0, 12))
    expect(starts('.cast')).not.toContain('000000000000')
    expect(starts('.cast')).toEqual(expect.arrayContaining([...starts('.text'), ...starts('.words')]))
  })
})

describe('the text that a regular expression requires', () => {
  it.each([
    ['fatal(: [a-z]+){2} in [0-9]+s$', 'fatal'],
    ['id=\\d{4}$', 'id='],
    ['a\\.b\\*c', 'a.b*c'],
    ['colou?r is it', 'r is it'],
    ['abc*', 'ab'],
    ['abc+d', 'abc'],
    ['abc{0,2}de', 'ab'],
    ['(?i)Error', ''],
    ['error|warning', ''],
    ['x(yes|no)y', ''],
    ['x(abc)*y', 'x'],
    ['[abc]def[^]]gh', 'def'],
    ['[[:alpha:]]x', 'x'],
    ['\\x41bc\\p{Greek}d', 'bc'],
    ['\\pLab', 'ab'],
    ['ÄBC', 'bc'],
  ])('%s: %s', (pattern, text) => expect(requiredText(pattern)).toBe(text))

  it('is in every line that matches', () => {
    const piece = fc.constantFrom(
      ...'abS1 .*+?^$(){}[]\\d-é=:'.split(''),
      '\\.',
      '\\d',
      '[ab]',
      '[^b]',
      'b{0,2}',
      '(ab)',
      'ab',
    )
    const line = fc.array(fc.constantFrom('a', 'b', 'S', 's', '1', ' ', '.', 'd', '-', 'é', '=', ':', 'ſ', 'K'), {
      maxLength: 12,
    })
    let matched = 0
    fc.assert(
      fc.property(
        fc.array(piece, { minLength: 1, maxLength: 6 }),
        fc.array(line, { minLength: 20, maxLength: 40 }),
        (pieces, lines) => {
          const test = lineTest(pieces.join(''), true)
          if (!test.ok || test.value.needle === null) return
          for (const shown of lines.map((one) => one.join(''))) {
            if (!test.value.matches(shown)) continue
            matched += 1
            expect(shown.toLowerCase()).toContain(test.value.needle.toString())
          }
        },
      ),
      { numRuns: scale({ test: 2000, long: 50_000 }) },
    )
    expect(matched).toBeGreaterThan(100)
  })
})
