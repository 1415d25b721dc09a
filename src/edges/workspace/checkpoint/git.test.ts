import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { silentLogger } from '../../../lib/log.ts'
import { makeGround, valueOf, type Ground } from '../../../../test/support/checkpoint-ground.ts'
import { runJob } from './job.ts'
import { createCheckpointStore } from './store.ts'

let ground: Ground
beforeEach(() => {
  ground = makeGround()
})
afterEach(() => ground.remove())

describe('the repository of the workspace', () => {
  beforeEach(() => ground.initGit())

  it('is not touched: index, branches, stash, configuration', async () => {
    ground.write('tracked', '1')
    ground.write('staged', '1')
    ground.write('binary.bin', 'x\r\n')
    ground.git('add', '-A')
    ground.git('commit', '--quiet', '-m', 'one')
    ground.write('tracked', 'stashed')
    ground.git('stash', 'push', '--quiet')
    ground.git('branch', 'other')
    ground.write('staged', '2')
    ground.git('add', 'staged')
    ground.write('staged', '3')
    ground.write('untracked')
    ground.git('status')
    const state = () => ({
      status: ground.git('status', '--porcelain=v2', '--branch'),
      refs: ground.git('for-each-ref'),
      stash: ground.git('stash', 'list', '-p'),
      head: ground.read('.git/HEAD'),
      index: readFileSync(join(ground.root, '.git/index')).toString('hex'),
      config: ground.read('.git/config'),
      objects: ground.git('count-objects', '-v'),
    })
    const before = state()
    const taken = await ground.take()
    expect(state()).toEqual(before)
    ground.write('tracked', 'x')
    rmSync(join(ground.root, 'untracked'))
    const index = readFileSync(join(ground.root, '.git/index'))
    await ground.restore(taken)
    expect(readFileSync(join(ground.root, '.git/index')).equals(index)).toBe(true)
    expect(state()).toMatchObject({
      refs: before.refs,
      stash: before.stash,
      head: before.head,
      objects: before.objects,
    })
    expect(ground.git('status', '--porcelain=v2', '--branch')).toBe(before.status)
  })

  it('has no say in how contents are kept: no filter, no line ends, no attributes', async () => {
    const marker = join(ground.base, 'ran')
    ground.git('config', 'filter.bad.clean', `touch ${marker}; tr a-z A-Z`)
    ground.git('config', 'filter.bad.smudge', `touch ${marker}; tr A-Z a-z`)
    ground.git('config', 'core.autocrlf', 'true')
    ground.git('config', 'core.fsmonitor', `touch ${marker}`)
    ground.write('.gitattributes', '* text=auto eol=crlf filter=bad ident working-tree-encoding=UTF-16\n')
    ground.write('file', 'small $Id$\nwith\r\nboth\n')
    const before = ground.picture()
    const taken = await ground.take()
    ground.write('file', 'x')
    await ground.restore(taken)
    expect(ground.picture()).toEqual(before)
    expect(readdirSync(ground.base)).not.toContain('ran')
  })

  it('keeps files that are tracked although they are ignored', async () => {
    ground.write('.gitignore', 'dist/\n')
    ground.write('dist/kept', '1')
    ground.git('add', '-f', 'dist/kept')
    ground.write('dist/left-out', '1')
    const { tree } = await ground.take()
    rmSync(join(ground.root, 'dist'), { recursive: true })
    expect((await ground.compare(tree)).deleted).toEqual(['dist/kept'])
  })

  it('decides for a workspace in the middle of it too', async () => {
    ground.write('.gitignore', 'node_modules\n')
    ground.write('packages/app/node_modules/x/index.js')
    ground.write('packages/app/main.ts')
    const inner = join(ground.root, 'packages/app')
    const taken = valueOf(await ground.store.take({ checkpointId: 'c1', root: inner }))
    expect(taken.fileCount).toBe(1)
    expect(taken.restorePoint).toMatch(/^git:/)
  })

  it('is not asked by a workspace that it ignores', async () => {
    ground.write('.gitignore', 'scratch/\n')
    ground.write('scratch/a')
    const taken = valueOf(await ground.store.take({ checkpointId: 'c1', root: join(ground.root, 'scratch') }))
    expect(taken).toMatchObject({ fileCount: 1, restorePoint: 'packs' })
  })

  it('may hold repositories of its own, whose ignore files count', async () => {
    mkdirSync(join(ground.root, 'inner'))
    execFileSync('git', ['init', '--quiet'], { cwd: join(ground.root, 'inner') })
    ground.write('inner/.gitignore', 'out\n')
    ground.write('inner/out')
    ground.write('inner/in', 'in')
    const taken = await ground.take()
    expect(taken).toMatchObject({ fileCount: 2, notKept: [{ path: 'inner/.git', why: 'git' }] })
    ground.write('inner/in', 'x')
    await ground.restore(taken)
    expect(ground.read('inner/in')).toBe('in')
  })

  it('leaves out our own data where it lies within', async () => {
    const store = createCheckpointStore({ directory: join(ground.root, 'data', 'checkpoints'), log: silentLogger })
    const take = (checkpointId: string) => store.take({ checkpointId, root: ground.root })
    ground.write('data/signalbox.db')
    ground.write('a')
    expect(await take('c1')).toMatchObject({ value: { fileCount: 1 } })
    expect(await take('c2')).toMatchObject({ value: { fileCount: 1 } })
  })

  it('has a commit of each state, with a few changed files or many', async () => {
    const states = []
    for (let round = 0; round < 25; round += 1) {
      ground.write(`d${round % 4}/file`, `round ${round}`)
      if (round % 5 === 0) rmSync(join(ground.root, 'd1'), { recursive: true, force: true })
      if (round % 7 === 3) {
        rmSync(join(ground.root, 'd2'), { recursive: true, force: true })
        ground.write('d2', 'a file now')
      }
      // Without a thread of its own, which would take most of the time.
      const place = { root: ground.root, directory: join(ground.base, 'data', 'checkpoints', 'one'), skip: [] }
      const taken = await runJob({ ...place, kind: 'take', checkpointId: `round-${round}`, also: null })
      if (taken.kind === 'take') states.push({ taken, picture: ground.picture() })
      if (round % 7 === 3) rmSync(join(ground.root, 'd2'))
    }
    const gitDir = join(ground.kept(), 'git')
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

  it('that Git will not keep is kept in our own files', async () => {
    ground.write('a', 'one')
    mkdirSync(join(ground.base, 'bin'))
    const real = execFileSync('which', ['git'], { encoding: 'utf8' }).trim()
    const refusing = `#!/bin/sh\ncase " $* " in *" fast-import "*) echo "fatal: no" >&2; exit 128;; esac\nexec ${real} "$@"\n`
    writeFileSync(join(ground.base, 'bin', 'git'), refusing, { mode: 0o755 })
    const path = process.env['PATH']
    process.env['PATH'] = `${join(ground.base, 'bin')}:${path}`
    const taken = await ground.take().finally(() => (process.env['PATH'] = path))
    expect(taken.restorePoint).toBe('packs')
    ground.write('a', 'two')
    await ground.restore(taken)
    expect(ground.read('a')).toBe('one')
  })

  it('takes two at once one after the other', async () => {
    for (let index = 0; index < 50; index += 1) ground.write(`f${index}`)
    const all = await Promise.all(['c1', 'c2', 'c3'].map((id) => ground.take(id)))
    expect(new Set(all.map(({ tree }) => tree)).size).toBe(1)
  })
})
