import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { scale } from '../../../../test/support/scale.ts'
import { runJob, type TakenCheckpoint } from './job.ts'
import { changedDirectories } from './unchanged.ts'
import { readState } from './workspace-state.ts'

let base = ''
let root = ''
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'signalbox-unchanged-')))
  root = join(base, 'workspace')
  mkdirSync(root)
  execFileSync('git', ['init', '--quiet', root])
})
afterEach(() => rmSync(base, { recursive: true, force: true }))

const write = (path: string, content: string) => {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), content)
}
/** By this clock everything was changed long ago. */
const later = () => Date.now() + 10_000

let taken = 0
async function take(directory: string, now = later): Promise<TakenCheckpoint> {
  taken += 1
  const job = { root, directory: join(base, directory), skip: [], also: null } as const
  const done = await runJob({ ...job, kind: 'take', checkpointId: `c${taken}` }, now)
  if (done.kind !== 'take') throw new Error('not taken')
  return done
}

/** What Git has of a checkpoint; the name of the other store if Git can't keep it, as with a directory called .gitignore. */
const stored = (directory: string, { restorePoint }: TakenCheckpoint): string => {
  const [, commit] = /^git:(.*)$/.exec(restorePoint) ?? []
  if (commit === undefined) return restorePoint
  return execFileSync('git', ['--git-dir', join(base, directory, 'git'), 'ls-tree', '-r', '-z', commit]).toString()
}

/** The same as a checkpoint that knows nothing of the workspace. */
async function expectSame(): Promise<void> {
  const [quick, whole] = [await take('known'), await take('fresh')]
  const { restorePoint: _quick, ...one } = quick
  const { restorePoint: _whole, ...other } = whole
  expect(one).toEqual(other)
  expect(stored('known', quick)).toBe(stored('fresh', whole))
  rmSync(join(base, 'fresh'), { recursive: true })
}

const changedNow = async (): Promise<string[] | null> => {
  const state = readState(join(base, 'known'))
  const changed = state && (await changedDirectories(root, state))
  return changed && [...changed].toSorted()
}

const names = ['a', 'b', 'c/d', 'c/e', 'c/f/g', 'h/i', 'h/j/k', 'l/.gitignore', 'l/m', '.gitignore', 'n/o/p/q']
const contents = ['one', 'two', 'three', '', 'a\nm\n', 'f/\n', '*\n', '!a\n']
const path = fc.constantFrom(...names)
const step = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(fc.constant('write'), path, fc.constantFrom(...contents)) },
  ...['remove', 'mode', 'link', 'hard', 'mkdir', 'nested', 'track', 'pipe', 'exclude'].map((kind) =>
    fc.tuple(fc.constant(kind), path, fc.constantFrom(...contents)),
  ),
  fc.tuple(fc.constant('move'), path, path),
)

function apply([kind, at, other]: [string, string, string]): void {
  const own = join(root, at)
  try {
    if (kind === 'write') write(at, other)
    else if (kind === 'remove') rmSync(other === '' ? dirname(own) : own, { recursive: true })
    else if (kind === 'mode') chmodSync(own, other === 'one' ? 0o755 : 0o640)
    else if (kind === 'link') symlinkSync(`to ${other}`, own)
    else if (kind === 'hard') linkSync(own, join(root, `hard-${other.length}`))
    else if (kind === 'mkdir') mkdirSync(join(root, at), { recursive: true })
    else if (kind === 'nested') execFileSync('git', ['init', '--quiet', dirname(own)])
    else if (kind === 'track') execFileSync('git', ['add', '--force', '--', at], { cwd: root, stdio: 'ignore' })
    else if (kind === 'pipe') execFileSync('mkfifo', [`${own}.pipe`], { stdio: 'ignore' })
    else if (kind === 'exclude') writeFileSync(join(root, '.git/info/exclude'), other)
    else renameSync(own, join(root, other))
  } catch {
    // It can't be done now: nothing is changed.
  }
  if (!existsSync(root)) mkdirSync(root)
  if (!existsSync(join(root, '.git'))) execFileSync('git', ['init', '--quiet', root])
}

describe('a checkpoint after another', () => {
  const runs = scale({ test: 5, long: 150 })
  it(`is what a first one would be, over ${runs} histories`, { timeout: 900_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { minLength: 3, maxLength: 6 }),
        async (history) => {
          rmSync(root, { recursive: true, force: true })
          rmSync(join(base, 'known'), { recursive: true, force: true })
          for (const name of names.slice(0, 7)) write(name, `content of ${name}`)
          execFileSync('git', ['init', '--quiet', root])
          await take('known')
          for (const steps of history) {
            for (const one of steps) apply(one)
            await expectSame()
          }
        },
      ),
      { numRuns: runs },
    )
  })

  it('reads only directories in which something changed', async () => {
    for (const name of names.slice(0, 7)) write(name, name)
    mkdirSync(join(root, 'empty'))
    await take('known')
    expect(await changedNow()).toEqual([])
    write('c/d', 'changed')
    write('empty/new', 'new')
    expect(await changedNow()).toEqual(['', 'c', 'empty'])
    await expectSame()
    expect(await changedNow()).toEqual([])
  })

  it('sees a change in the same tick of the clock, with the same size and times', async () => {
    write('a/b', 'old')
    let { tree } = await take('known', Date.now)
    for (let round = 0; round < 10; round++) {
      const { atime, mtime } = statSync(join(root, 'a/b'))
      write('a/b', String(100 + round))
      utimesSync(join(root, 'a/b'), atime, mtime)
      const next = await take('known', Date.now)
      expect(next.tree).not.toBe(tree)
      tree = next.tree
    }
  })

  it('sees a directory in which something came and went at once', async () => {
    write('a/b', 'old')
    await take('known', Date.now)
    for (let round = 0; round < 5; round++) {
      write(`a/${round}`, 'new')
      expect((await take('known', Date.now)).fileCount).toBe(2)
      rmSync(join(root, `a/${round}`))
      expect((await take('known', Date.now)).fileCount).toBe(1)
    }
  })

  it('reads everything if what is stored is lost', async () => {
    for (const name of names.slice(0, 7)) write(name, name)
    await take('known')
    for (const part of ['trees', 'git', 'known.state']) {
      rmSync(join(base, 'known', part), { recursive: true })
      await expectSame()
    }
    expect(readdirSync(join(base, 'known')).toSorted()).toEqual(['git', 'known.state', 'trees'])
  })
})
