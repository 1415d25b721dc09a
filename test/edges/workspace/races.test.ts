import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it } from 'vitest'
import { bestHold } from '../../../src/edges/workspace/held-directory.ts'
import { codeOf, freshPlace, secret, type TestPlace } from './harness.ts'

// As fast as possible: a directory, a link to outside, a directory …; the same with a file. Prints how often.
const swapper = `
const fs = require('node:fs')
const [root, outside] = process.argv.slice(1)
let rounds = 0, over = false
process.stdin.once('end', () => { over = true }).resume()
const dir = root + '/d', file = root + '/src/a.txt'
console.log('ready')
// The writer may create the directory again while it is gone: then start again.
const clear = (path) => { try { fs.rmSync(path, { recursive: true, force: true }) } catch {} }
const attempt = (step) => { try { step() } catch { clear(dir) } }
const work = () => {
  for (let n = 0; n < 50; n += 1, rounds += 1) {
    attempt(() => { fs.mkdirSync(dir, { recursive: true }); fs.renameSync(dir, root + '/aside-' + rounds) })
    attempt(() => fs.symlinkSync(outside, dir))
    attempt(() => { fs.unlinkSync(dir); fs.renameSync(root + '/aside-' + rounds, dir) })
    clear(root + '/aside-' + rounds)
    fs.symlinkSync(outside + '/secret', file + '.next'); fs.renameSync(file + '.next', file)
    fs.writeFileSync(file + '.next', 'inside'); fs.renameSync(file + '.next', file)
  }
  if (over) console.log(rounds); else setImmediate(work)
}
work()
`

const known = ['ok', 'path_violation', 'file_not_found', 'path_changed', 'not_a_directory']

async function swapping(place: TestPlace, work: () => Promise<void>): Promise<number> {
  const child = spawn(process.execPath, ['--eval', swapper, place.root, place.outside], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const closed = once(child, 'close')
  const lines: string[] = []
  const output = createInterface(child.stdout).on('line', (line) => lines.push(line))
  try {
    await once(output, 'line')
    await work()
    child.stdin.end()
    await closed
    return Number(lines.at(-1))
  } finally {
    child.kill('SIGKILL')
  }
}

describe.skipIf(bestHold() !== 'descriptor')('while a directory and a file are swapped for links to outside', () => {
  it('nothing outside is read, written, created or deleted', async () => {
    await using place = await freshPlace()
    const { files, root, outside } = place
    await mkdir(join(root, 'd'))
    await writeFile(join(root, 'd/secret'), 'inside')
    await writeFile(join(root, 'src/a.txt'), 'inside')
    const seen = new Map<string, number>()
    const leaks: string[] = []
    const note = (result: Parameters<typeof codeOf>[0]) => seen.set(codeOf(result), (seen.get(codeOf(result)) ?? 0) + 1)
    const end = Date.now() + 2000
    const keepAt = async (work: (round: number) => Promise<unknown>) => {
      for (let round = 0; Date.now() < end; round += 1) await work(round)
    }
    const rounds = await swapping(place, async () => {
      await Promise.all([
        keepAt(async (round) => {
          const read = await files.readText(round % 2 === 0 ? 'd/secret' : 'src/a.txt')
          note(read)
          if (read.ok && read.value.text.includes('nobody')) leaks.push(read.value.text)
        }),
        keepAt(async () => note(await files.writeText('d/secret', 'inside'))),
        keepAt(async (round) => note(await files.writeText(`d/new-${round % 10}/x`, 'inside'))),
        keepAt(async () => note(await files.writeText('src/a.txt', 'inside'))),
        keepAt(async () => note(await files.hash('d/secret'))),
      ])
    })
    expect(leaks).toEqual([])
    expect(await readdir(outside)).toEqual(['secret'])
    expect(await readFile(join(outside, 'secret'), 'utf8')).toBe(secret)
    // Both states occurred, and only documented results came back.
    expect([...seen.keys()].filter((code) => !known.includes(code))).toEqual([])
    expect(seen.get('ok')).toBeGreaterThan(0)
    expect(seen.get('path_violation')).toBe(place.refusals.length)
    expect(place.refusals.length).toBeGreaterThan(0)
    expect(rounds).toBeGreaterThan(100)
    const left = await readdir(root, { recursive: true })
    expect(left.filter((name) => name.endsWith('.tmp'))).toEqual([])
  })
})
