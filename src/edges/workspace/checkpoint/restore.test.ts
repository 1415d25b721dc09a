import { fork } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { stagedName } from '../staged-name.ts'
import { hashOfText, type Difference, type TreeLeaf } from './tree.ts'
import { openPacks } from './packs.ts'
import { restoreFiles, type RestoreResult } from './restore.ts'

let base = ''
let root = ''
let directory = ''
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'signalbox-restore-')))
  root = join(base, 'workspace')
  directory = join(base, 'kept')
  mkdirSync(root)
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

const fileOf = (text: string): TreeLeaf => ({ kind: 'file', mode: 0o644, hash: hashOfText(text), size: text.length })

function keep(...texts: string[]): void {
  const writer = openPacks(join(directory, 'contents')).add()
  for (const text of texts) writer.put(hashOfText(text), Buffer.from(text))
  writer.finish()
}

const deleted = (files: Record<string, string>): Difference => ({
  modified: [],
  added: [],
  deleted: Object.entries(files).map(([path, text]) => ({ path, leaf: fileOf(text) })),
})

const restore = (difference: Difference): Promise<RestoreResult> =>
  restoreFiles({
    note: () => {},
    root,
    hold: 'descriptor',
    directory,
    restorePoint: 'packs',
    difference,
    removeNew: [],
    mark: '01234567',
  })

describe('restoring files', () => {
  it('continues with the others if one can’t be read any more, and says which', async () => {
    keep('a', 'c')
    const done = await restore(deleted({ a: 'a', b: 'b', c: 'c' }))
    expect(done).toMatchObject({ recreated: ['a', 'c'], failed: [{ path: 'b' }] })
    expect(readdirSync(root)).toEqual(['a', 'c'])
  })

  it('never installs a file that differs from the kept copy', async () => {
    const writer = openPacks(join(directory, 'contents')).add()
    writer.put(hashOfText('right'), Buffer.from('wrong'))
    writer.finish()
    expect(await restore(deleted({ a: 'right' }))).toMatchObject({ recreated: [], failed: [{ path: 'a' }] })
    expect(readdirSync(root)).toEqual([])
  })

  it('never leaves the workspace, however often a directory is swapped for a link meanwhile', async () => {
    mkdirSync(join(base, 'outside'))
    const files = Object.fromEntries(Array.from({ length: 25 }, (_, index) => [`d/${index}`, `${index}`]))
    keep(...Object.values(files))
    const swap = join(base, 'swap.mjs')
    writeFileSync(swap, swapper)
    const child = fork(swap, [root, join(base, 'outside')], { execArgv: [] })
    await new Promise((resolve) => void child.once('message', resolve))
    for (let round = 0; round < 2; round += 1) await restore(deleted(files))
    const over = new Promise((resolve) => void child.once('exit', resolve))
    child.kill('SIGKILL')
    await over
    expect(readdirSync(join(base, 'outside'))).toEqual([])
    const done = await restore(deleted(files))
    expect(done.failed).toEqual([])
    for (const [path, text] of Object.entries(files)) expect(readFileSync(join(root, path), 'utf8')).toBe(text)
  })

  it.each([1, 2, 3, 5, 8, 13])('killed midway, it ends the same when it is run again: %i', async (kill) => {
    const files = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`d${index % 3}/${index}`, `${index}`]))
    keep(...Object.values(files))
    mkdirSync(join(root, 'd0'))
    writeFileSync(join(root, 'd0/0'), 'in the way')
    mkdirSync(join(base, 'outside'))
    symlinkSync(join(base, 'outside'), join(root, 'd1'))
    // The state at the kill: some files are restored, one is staged.
    for (const [path, text] of Object.entries(files).slice(0, kill)) await restore(deleted({ [path]: text }))
    const left = stagedName(hashOfText(Object.keys(files)[kill] ?? '').slice(0, 32))
    if (kill % 3 !== 1 || kill > 1) {
      mkdirSync(join(root, `d${kill % 3}`), { recursive: true })
      writeFileSync(join(root, `d${kill % 3}`, left), 'half')
    }
    expect(await restore(deleted(files))).toMatchObject({ failed: [] })
    for (const [path, text] of Object.entries(files)) expect(readFileSync(join(root, path), 'utf8')).toBe(text)
    expect(readdirSync(root, { recursive: true }).filter((name) => String(name).includes('.tmp'))).toEqual([])
    expect(readdirSync(join(base, 'outside'))).toEqual([])
  })

  it('reports that the workspace was moved meanwhile', async () => {
    keep('a')
    renameSync(root, join(base, 'away'))
    await expect(restore(deleted({ a: 'a' }))).rejects.toThrow('ENOENT')
    expect(readdirSync(join(base, 'away'))).toEqual([])
  })
})

/** Swaps a directory and a link to outside, until it is ended. */
const swapper = `
import { mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
const [root, outside] = process.argv.slice(2)
const attempt = (act) => { try { act() } catch {} }
process.send('ready')
for (let round = 0; ; round += 1) {
  attempt(() => symlinkSync(outside, root + '/link-' + round))
  attempt(() => renameSync(root + '/d', root + '/away-' + round))
  attempt(() => renameSync(root + '/link-' + round, root + '/d'))
  attempt(() => rmSync(root + '/d'))
  attempt(() => renameSync(root + '/away-' + round, root + '/d'))
}
`
