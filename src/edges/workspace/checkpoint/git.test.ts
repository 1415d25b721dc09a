import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { silentLogger } from '../../../lib/log.ts'
import { openCheckpointHarness, valueOf, type CheckpointHarness } from '../../../../test/support/checkpoint-harness.ts'
import { runJob } from './job.ts'
import { createCheckpointStore } from './store.ts'

let harness: CheckpointHarness
beforeEach(() => {
  harness = openCheckpointHarness()
})
afterEach(() => harness.remove())

describe('the repository of the workspace', () => {
  beforeEach(() => harness.initGit())

  it('is not touched: index, branches, stash, configuration', async () => {
    harness.write('tracked', '1')
    harness.write('staged', '1')
    harness.write('binary.bin', 'x\r\n')
    harness.git('add', '-A')
    harness.git('commit', '--quiet', '-m', 'one')
    harness.write('tracked', 'stashed')
    harness.git('stash', 'push', '--quiet')
    harness.git('branch', 'other')
    harness.write('staged', '2')
    harness.git('add', 'staged')
    harness.write('staged', '3')
    harness.write('untracked')
    harness.git('status')
    const state = () => ({
      status: harness.git('status', '--porcelain=v2', '--branch'),
      refs: harness.git('for-each-ref'),
      stash: harness.git('stash', 'list', '-p'),
      head: harness.read('.git/HEAD'),
      index: readFileSync(join(harness.root, '.git/index')).toString('hex'),
      config: harness.read('.git/config'),
      objects: harness.git('count-objects', '-v'),
    })
    const before = state()
    const taken = await harness.take()
    expect(state()).toEqual(before)
    harness.write('tracked', 'x')
    rmSync(join(harness.root, 'untracked'))
    const index = readFileSync(join(harness.root, '.git/index'))
    await harness.restore(taken)
    expect(readFileSync(join(harness.root, '.git/index')).equals(index)).toBe(true)
    expect(state()).toMatchObject({
      refs: before.refs,
      stash: before.stash,
      head: before.head,
      objects: before.objects,
    })
    expect(harness.git('status', '--porcelain=v2', '--branch')).toBe(before.status)
  })

  it('does not affect how contents are stored: no filters, line ends or attributes', async () => {
    const marker = join(harness.base, 'ran')
    harness.git('config', 'filter.bad.clean', `touch ${marker}; tr a-z A-Z`)
    harness.git('config', 'filter.bad.smudge', `touch ${marker}; tr A-Z a-z`)
    harness.git('config', 'core.autocrlf', 'true')
    harness.git('config', 'core.fsmonitor', `touch ${marker}`)
    harness.write('.gitattributes', '* text=auto eol=crlf filter=bad ident working-tree-encoding=UTF-16\n')
    harness.write('file', 'small $Id$\nwith\r\nboth\n')
    const before = harness.picture()
    const taken = await harness.take()
    harness.write('file', 'x')
    await harness.restore(taken)
    expect(harness.picture()).toEqual(before)
    expect(readdirSync(harness.base)).not.toContain('ran')
  })

  it('keeps files that are tracked although they are ignored', async () => {
    harness.write('.gitignore', 'dist/\n')
    harness.write('dist/kept', '1')
    harness.git('add', '-f', 'dist/kept')
    harness.write('dist/left-out', '1')
    const { tree } = await harness.take()
    rmSync(join(harness.root, 'dist'), { recursive: true })
    expect((await harness.compare(tree)).deleted).toEqual(['dist/kept'])
  })

  it('also decides for a workspace inside it', async () => {
    harness.write('.gitignore', 'node_modules\n')
    harness.write('packages/app/node_modules/x/index.js')
    harness.write('packages/app/main.ts')
    const inner = join(harness.root, 'packages/app')
    const taken = valueOf(await harness.store.take({ checkpointId: 'c1', root: inner }))
    expect(taken.fileCount).toBe(1)
    expect(taken.restorePoint).toMatch(/^git:/)
  })

  it('is not used for a workspace that it ignores', async () => {
    harness.write('.gitignore', 'scratch/\n')
    harness.write('scratch/a')
    const taken = valueOf(await harness.store.take({ checkpointId: 'c1', root: join(harness.root, 'scratch') }))
    expect(taken).toMatchObject({ fileCount: 1, restorePoint: 'packs' })
  })

  it('may contain repositories, whose ignore files apply', async () => {
    mkdirSync(join(harness.root, 'inner'))
    execFileSync('git', ['init', '--quiet'], { cwd: join(harness.root, 'inner') })
    harness.write('inner/.gitignore', 'out\n')
    harness.write('inner/out')
    harness.write('inner/in', 'in')
    const taken = await harness.take()
    expect(taken).toMatchObject({ fileCount: 2, notKept: [{ path: 'inner/.git', why: 'git' }] })
    harness.write('inner/in', 'x')
    await harness.restore(taken)
    expect(harness.read('inner/in')).toBe('in')
  })

  it('leaves out our own data if it is inside', async () => {
    const store = createCheckpointStore({ directory: join(harness.root, 'data', 'checkpoints'), log: silentLogger })
    const take = (checkpointId: string) => store.take({ checkpointId, root: harness.root })
    harness.write('data/signalbox.db')
    harness.write('a')
    expect(await take('c1')).toMatchObject({ value: { fileCount: 1 } })
    expect(await take('c2')).toMatchObject({ value: { fileCount: 1 } })
  })

  it('has a commit for each state, with few or many changed files', async () => {
    const states = []
    for (let round = 0; round < 25; round += 1) {
      harness.write(`d${round % 4}/file`, `round ${round}`)
      if (round % 5 === 0) rmSync(join(harness.root, 'd1'), { recursive: true, force: true })
      if (round % 7 === 3) {
        rmSync(join(harness.root, 'd2'), { recursive: true, force: true })
        harness.write('d2', 'a file now')
      }
      // Without a worker thread, which would take most of the time.
      const place = { root: harness.root, directory: join(harness.base, 'data', 'checkpoints', 'one'), skip: [] }
      const taken = await runJob({ ...place, kind: 'take', checkpointId: `round-${round}`, also: null })
      if (taken.kind === 'take') states.push({ taken, picture: harness.picture() })
      if (round % 7 === 3) rmSync(join(harness.root, 'd2'))
    }
    const gitDir = join(harness.kept(), 'git')
    const inGit = (...args: string[]) => execFileSync('git', [`--git-dir=${gitDir}`, ...args], { encoding: 'utf8' })
    expect(inGit('fsck', '--full', '--strict')).toBe('')
    for (const { taken, picture: expected } of states) {
      const list = inGit('ls-tree', '-r', '--name-only', taken.restorePoint.slice('git:'.length)).trim().split('\n')
      expect(list).toEqual([...expected.keys()])
    }
    expect(readdirSync(join(gitDir, 'objects', 'pack')).filter((name) => name.endsWith('.pack')).length).toBeLessThan(
      22,
    )
  })

  it('that Git can’t store is stored in packs', async () => {
    harness.write('a', 'one')
    mkdirSync(join(harness.base, 'bin'))
    const real = execFileSync('which', ['git'], { encoding: 'utf8' }).trim()
    const refusing = `#!/bin/sh\ncase " $* " in *" fast-import "*) echo "fatal: no" >&2; exit 128;; esac\nexec ${real} "$@"\n`
    writeFileSync(join(harness.base, 'bin', 'git'), refusing, { mode: 0o755 })
    const path = process.env['PATH']
    process.env['PATH'] = `${join(harness.base, 'bin')}:${path}`
    const taken = await harness.take().finally(() => (process.env['PATH'] = path))
    expect(taken.restorePoint).toBe('packs')
    harness.write('a', 'two')
    await harness.restore(taken)
    expect(harness.read('a')).toBe('one')
  })

  it('runs two at once one after the other', async () => {
    for (let index = 0; index < 50; index += 1) harness.write(`f${index}`)
    const all = await Promise.all(['c1', 'c2', 'c3'].map((id) => harness.take(id)))
    expect(new Set(all.map(({ tree }) => tree)).size).toBe(1)
  })
})
