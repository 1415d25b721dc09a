import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { systemClock } from '../../../lib/clock.ts'
import { rendered } from './plain-lines.ts'
import { openRecording } from './recording.ts'
import { searchRecordings, type SearchInput } from './search.ts'
import { scale } from '../../../../test/support/scale.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'sb-search-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

async function record(name: string, texts: readonly string[], startedAt = Date.now()): Promise<string> {
  const directory = join(root, name)
  const header = { cols: 80, rows: 24, title: null, env: {}, startedAt }
  const recording = await openRecording({ directory, header, clock: systemClock })
  for (const [index, text] of texts.entries()) {
    if (!recording.write(text, startedAt + index)) await recording.room()
  }
  await recording.close()
  return directory
}

const search = async (directories: string[], query: string, more: Partial<SearchInput> = {}) => {
  const input = { query, regex: false, contextLines: 1, maxResults: 10, ...more }
  const found = await searchRecordings(directories, input)
  if (!found.ok) throw new Error(found.fault.message)
  return found.value
}

describe('search', () => {
  it('finds text ignoring case, with its position and the lines around it, newest first', async () => {
    const now = Date.now()
    const one = await record('one', ['alpha\r\n', 'Error: disk\r\n', 'beta\r\n'], now - 1000)
    const two = await record('two', ['gamma\r\nfatal ', '\x1b[31mERROR\x1b[0m here\r\ndelta\r\n'], now)
    const { matches, truncated } = await search([one, two], 'error')
    expect(matches).toMatchObject([
      { directory: two, line: 'fatal ERROR here', offset: 7, before: ['gamma'], after: ['delta'], epoch: 0 },
      { directory: one, line: 'Error: disk', offset: 7, before: ['alpha'], after: ['beta'], atMs: now - 999 },
    ])
    expect(truncated).toBe(false)
  })

  it('respects a time range, a number of results and a number of context lines', async () => {
    const now = Date.now()
    const lines = Array.from({ length: 50 }, (_, index) => `match ${index}\r\n`)
    const one = await record('one', lines, now - 1000)
    const { matches, truncated } = await search([one], 'match', {
      since: now - 990,
      until: now - 971,
      maxResults: 2,
      contextLines: 0,
    })
    expect(matches.map(({ line, before }) => [line, before])).toEqual([
      ['match 29', []],
      ['match 28', []],
    ])
    expect(truncated).toBe(true)
  })

  it('reads what a person would have read', () => {
    expect(rendered('10%\r20%\r\x1b[Kdone\r')).toEqual(['done'])
    expect(rendered('abc\b\bXY')).toEqual(['aXY'])
    expect(rendered('\x1b[2J\x1b[1;1Htop\x1b[5;1Hbelow')).toEqual(['top', 'below'])
    expect(rendered('\x1b]0;title\x07$ ls')).toEqual(['$ ls'])
  })

  it('accepts regular expressions, in linear time even those designed to explode', async () => {
    const one = await record('one', [`${'a'.repeat(30_000)}!\r\n`, 'id=4711\r\n'])
    const before = performance.now()
    expect((await search([one], '(a+)+$', { regex: true })).matches).toEqual([])
    expect((await search([one], '^(([a-z])+.)+[A-Z]([a-z])+$', { regex: true })).matches).toEqual([])
    expect((await search([one], String.raw`id=\d{4}$`, { regex: true })).matches).toHaveLength(1)
    expect(performance.now() - before).toBeLessThan(5000)
  })

  it('explains an invalid regular expression, with the position', async () => {
    const found = await searchRecordings([], { query: 'ab(c', regex: true, contextLines: 0, maxResults: 1 })
    expect(found).toMatchObject({ ok: false, fault: { kind: 'invalid', code: 'invalid_regex' } })
    const classed = await searchRecordings([], { query: 'ab[z-a]', regex: true, contextLines: 0, maxResults: 1 })
    expect(classed).toMatchObject({ ok: false, fault: { details: { position: 3 } } })
  })

  it('suggests words that occur if nothing matched', async () => {
    const one = await record('one', ['installing dependencies\r\n', 'connection refused\r\n'])
    expect((await search([one], 'conection')).didYouMean).toEqual(['connection'])
    expect((await search([one], 'dependencise')).didYouMean).toEqual(['dependencies'])
    expect((await search([one], 'zebra')).didYouMean).toEqual([])
  })

  it('stops when its budget is used up, or nobody is waiting any more', async () => {
    const one = await record('one', ['needle\r\n'])
    const two = await record('two', ['needle\r\n'])
    const little = await search([one, two], 'needle', { budget: { ms: 5000, bytes: 1 } })
    expect(little.truncated).toBe(true)
    const gone = await search([one, two], 'needle', { signal: AbortSignal.abort() })
    expect(gone.truncated).toBe(true)
  })

  const many = scale({ test: 12, long: 50 })
  it(`searches ${many} recordings of 10,000 lines within its time`, async () => {
    const block = Array.from({ length: 500 }, (_, index) => `line ${index} of a build that goes on and on\r\n`).join('')
    const directories: string[] = []
    for (let i = 0; i < many; i++) {
      const texts = Array.from({ length: 20 }, (_, at) => (i === 7 && at === 9 ? `${block}the needle\r\n` : block))
      directories.push(await record(`r${i}`, texts))
    }
    const budget = { ms: 20_000, bytes: 1e9 }
    for (const regex of [false, true]) {
      const found = await search(directories, regex ? 'nee+dle$' : 'needle', { regex, budget })
      expect(found).toMatchObject({ matches: [{ directory: directories[7] }], truncated: false })
    }
  })
})
