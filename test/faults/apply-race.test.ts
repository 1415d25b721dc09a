import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it } from 'vitest'
import { bestHold } from '../../src/edges/workspace/held-directory.ts'
import { codeOf, openChangesHarness, treeOf, type ChangesHarness } from '../edges/changes/harness.ts'
import { figure, scale } from '../support/scale.ts'

const rounds = scale({ test: 1000, long: 10_000 })

// As fast as a process can: a directory becomes a link to outside and back, a file a link, a parent moves out.
const swapper = `
const fs = require('node:fs')
const [root, outside, most] = process.argv.slice(1)
const attempt = (step) => { try { step() } catch {} }
const clear = (path) => attempt(() => fs.rmSync(path, { recursive: true, force: true }))
const [dir, file] = [root + '/d', root + '/src/f']
console.log('ready')
for (let round = 0; round < Number(most); round += 1) {
  attempt(() => fs.renameSync(dir, root + '/aside'))
  attempt(() => fs.symlinkSync(outside, dir))
  attempt(() => fs.unlinkSync(dir))
  if (round % 3 === 0) {
    attempt(() => fs.renameSync(root + '/aside', root + '/../aside'))
    attempt(() => fs.renameSync(root + '/../aside', root + '/aside'))
  }
  clear(dir)
  attempt(() => fs.renameSync(root + '/aside', dir))
  attempt(() => fs.mkdirSync(dir + '/deep', { recursive: true }))
  attempt(() => { fs.symlinkSync(outside + '/secret', file + '.next'); fs.renameSync(file + '.next', file) })
  attempt(() => { fs.writeFileSync(file + '.next', 'inside\\n'); fs.renameSync(file + '.next', file) })
}
console.log('over')
`

const whole = (name: string) => `--- a/${name}\n+++ b/${name}\n@@ -1 +1 @@\n-inside\n+changed\n`
const made = (name: string) => `--- /dev/null\n+++ b/${name}\n@@ -0,0 +1 @@\n+made\n`
const gone = (name: string) => `--- a/${name}\n+++ /dev/null\n@@ -1 +0,0 @@\n-outside\n`
const moved = 'diff --git a/d/secret b/got\nsimilarity index 100%\nrename from d/secret\nrename to got\n'

const known = [
  'ok',
  'path_violation',
  'patch_conflict',
  'undo_conflict',
  'nothing_to_undo',
  'apply_unfinished',
  'invalid_diff',
]

async function work({ approve, changes, root }: ChangesHarness, isOver: () => boolean): Promise<Map<string, number>> {
  const seen = new Map<string, number>()
  const note = (code: string) => seen.set(code, (seen.get(code) ?? 0) + 1)
  const tries: [string, (round: number) => string][] = [
    ['src/f', () => whole('src/f')],
    ['d/deep/x', () => made('d/deep/x') + whole('src/f')],
    ['d/secret', () => gone('d/secret')],
    ['d/secret', () => moved],
    ['d/secret', (round) => `content ${round}\n`],
    ['src/f', (round) => made(`d/new-${round % 5}/x`) + whole('src/f')],
    ['d/a.txt', (round) => `content ${round}\n`],
  ]
  await Promise.all(
    tries.map(async ([filePath, diff]) => {
      for (let round = 0; !isOver(); round += 1) {
        const result = await approve(filePath, diff(round), round % 2 === 0)
        note(codeOf(result))
        if (result.ok) note(codeOf(await changes.undo({ askId: result.value.askId, root })))
      }
    }),
  )
  return seen
}

describe.skipIf(bestHold() !== 'descriptor')('while directories and files are swapped for links to outside', () => {
  it(`nothing outside is changed by applying and undoing, for ${rounds} rounds`, async () => {
    await using harness = await openChangesHarness()
    mkdirSync(join(harness.root, 'd/deep'), { recursive: true })
    mkdirSync(join(harness.root, 'src'))
    writeFileSync(join(harness.root, 'src/f'), 'inside\n')
    writeFileSync(join(harness.root, 'd/secret'), 'outside\n')
    const before = treeOf(harness.outside)
    const beside = readdirSync(join(harness.root, '..')).toSorted()
    const child = spawn(process.execPath, ['--eval', swapper, harness.root, harness.outside, String(rounds)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const closed = once(child, 'close')
    let isOver = false
    const lines = createInterface(child.stdout)
    lines.on('line', (line) => {
      isOver = line === 'over'
    })
    try {
      await once(lines, 'line')
      const seen = await work(harness, () => isOver || child.exitCode !== null)
      await closed
      figure(
        'apply while links are swapped',
        `${rounds} rounds: ${[...seen].map(([code, count]) => `${code} ${count}`).join(', ')}`,
      )
      expect(isOver).toBe(true)
      expect(treeOf(harness.outside)).toEqual(before)
      expect(readdirSync(join(harness.root, '..')).toSorted()).toEqual(beside)
      expect([...seen.keys()].filter((code) => !known.includes(code))).toEqual([])
      expect(seen.get('ok')).toBeGreaterThan(0)
      expect(seen.get('path_violation')).toBeGreaterThan(0)
    } finally {
      child.kill('SIGKILL')
    }
  })
})
