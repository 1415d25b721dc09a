import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { infer } from '../../src/domain/pattern/infer.ts'
import { openRecording } from '../../src/edges/terminal/recording/recording.ts'
import { searchRecordings } from '../../src/edges/terminal/recording/search.ts'
import { systemClock } from '../../src/lib/clock.ts'
import { atMost, forInformation, type Line } from '../lib/line.ts'
import { installed } from '../peers/installed.ts'
import { ratioOf, sampleOf } from '../lib/sample.ts'
import { linesOf, throughTerminal } from './text.ts'

const patterns = 1000
const recordings = 50
const lines = 10_000

export const terminalLookup: Line = {
  name: 'terminals-lookup',
  measured: `"Expected answer": what people answered before, merged from ${patterns.toLocaleString('en')} patterns with
five answers each: the mean of 100. "Search": one word that occurs nowhere, one that every line contains, and a regular
expression, over ${recordings} recordings of ${lines.toLocaleString('en')} lines each. The peer is ripgrep (npm, @vscode/ripgrep)
on the same text in ${recordings} files, including its start. "First": no recording was searched before, so the search text
is made on the way.`,
  async run({ folder, quick }) {
    const rounds = Array.from({ length: quick ? 2 : 5 })
    const inferring = sampleOf(rounds.map(() => inferMs()))
    const directories = await makeRecordings(folder, quick ? 10 : recordings)
    const search = async (query: string, regex: boolean, isCommon = false) => {
      const started = performance.now()
      const input = { query, regex, contextLines: 3, maxResults: 10, budget: { ms: 60_000, bytes: 1e12 } }
      const found = await searchRecordings(directories, input)
      if (!found.ok || found.value.truncated !== isCommon) throw new Error(`"${query}" was not looked for everywhere`)
      return performance.now() - started
    }
    const [first, word, common, regex, peer]: [number[], number[], number[], number[], number[]] = [[], [], [], [], []]
    const ripgrep = await installed('ripgrep')
    if ('missing' in ripgrep) process.stderr.write(`  ripgrep is left out: ${ripgrep.missing}\n`)
    for (const _ of rounds) {
      forget(directories)
      first.push(await search('segmentation fault', false))
    }
    for (const _ of rounds) {
      if ('file' in ripgrep) peer.push(await ripgrepMs(ripgrep.file, join(folder, 'text')))
      word.push(await search('segmentation fault', false))
      common.push(await search('✓', false, true))
      regex.push(await search('fatal(: [a-z]+){2} in [0-9]+s$', true))
    }
    const figure = (name: string, title: string, ours: readonly number[]) =>
      forInformation({ name: `terminals-lookup/${name}`, title, unit: 'ms', ours: sampleOf(ours) })
    const wordTitle = `A word in ${recordings} recordings of ${lines.toLocaleString('en')} lines`
    return [
      {
        ...forInformation({
          name: 'terminals-lookup/infer',
          title: `Expected answer from ${patterns.toLocaleString('en')} patterns`,
          unit: 'ms',
          ours: inferring,
        }),
        bar: '< 10 ms',
        holds: inferring.median < 10,
      },
      peer.length === 0
        ? figure('word', wordTitle, word)
        : atMost(3, {
            name: 'terminals-lookup/word',
            title: `${wordTitle}, compared with ripgrep`,
            unit: 'ms',
            ours: sampleOf(word),
            peer: sampleOf(peer),
            ratio: ratioOf(word, peer),
          }),
      figure('first', 'The same for the first time', first),
      figure('common', 'What every line contains in the same', common),
      figure('regex', `A regular expression in the same`, regex),
    ]
  },
}

/** Removes what searches have kept. */
function forget(directories: readonly string[]): void {
  for (const directory of directories)
    for (const name of readdirSync(directory)) if (/\.(?:text|words)$/.test(name)) rmSync(join(directory, name))
}

/** The same word in the same text, in one file for each recording. */
async function ripgrepMs(program: string, folder: string): Promise<number> {
  const started = performance.now()
  const args = ['--fixed-strings', '--ignore-case', '--context', '3', 'segmentation fault', folder]
  // It exits 1 if nothing is found.
  await promisify(execFile)(program, args).catch((error: { code?: number }) => {
    if (error.code !== 1) throw error
  })
  return performance.now() - started
}

function inferMs(): number {
  const now = Date.now()
  const lastAt = new Date(now - 86_400_000).toISOString()
  const kept = Array.from({ length: patterns }, (_, pattern) => ({
    responses: Array.from({ length: 5 }, (_response, index) => ({
      response: `answer ${(pattern + index) % 40}`,
      count: 3 + index,
      successCount: 2 + index,
      weight: 1.5 + index,
      lastAt,
      recent: '11101',
    })),
  }))
  const started = performance.now()
  for (let count = 0; count < 100; count += 1) infer({ patterns: kept, merged: true, never: null }, now)
  return (performance.now() - started) / 100
}

async function makeRecordings(folder: string, count: number): Promise<string[]> {
  const text = throughTerminal(linesOf('coloured', lines * 200))
    .toString()
    .split('\r\n')
    .slice(0, lines)
    .join('\r\n')
  const directories = Array.from({ length: count }, (_, index) => join(folder, `recording-${index}`))
  mkdirSync(join(folder, 'text'))
  for (const [index, directory] of directories.entries()) {
    writeFileSync(join(folder, 'text', `${index}.txt`), text)
    const header = { cols: 80, rows: 24, title: 'bench', env: {}, startedAt: Date.now() }
    const recording = await openRecording({ directory, header, clock: systemClock })
    recording.write(text, Date.now())
    await recording.close()
  }
  return directories
}
