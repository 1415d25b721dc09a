import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { newId } from '../../../lib/id.ts'
import { stagedName } from '../staged-name.ts'
import { openCheckpointHarness, valueOf, type CheckpointHarness } from '../../../../test/support/checkpoint-harness.ts'

let harness: CheckpointHarness
beforeEach(() => {
  harness = openCheckpointHarness()
})
afterEach(() => harness.remove())

describe.each(['in a Git repository', 'without Git'] as const)('a checkpoint %s', (where) => {
  const inGit = where === 'in a Git repository'
  beforeEach(() => {
    if (inGit) harness.initGit()
  })

  it('says what it kept, and where', async () => {
    harness.write('src/one.ts')
    harness.write('empty', '')
    const taken = await harness.take()
    expect(taken).toMatchObject({ fileCount: 2, notKept: [] })
    expect(taken.restorePoint).toMatch(inGit ? /^git:[0-9a-f]{40}$/ : /^packs$/)
    expect(await harness.compare(taken.tree)).toEqual({ modified: [], deleted: [], added: [] })
  })

  it('of the same files is the same tree, and unchanged contents are stored once', async () => {
    for (let index = 0; index < 20; index += 1) harness.write(`d${index}/file`, `content ${index}`)
    const first = await harness.take('c1')
    expect(await harness.take('c2')).toMatchObject({ tree: first.tree, restorePoint: first.restorePoint })
    harness.write('d3/file', 'changed')
    await harness.take('c3')
    const trees = join(harness.kept(), 'trees')
    const sizes = readdirSync(trees)
      .filter((name) => name.endsWith('.index'))
      .map((name) => readFileSync(join(trees, name), 'utf8').trim().split('\n').length)
    expect(sizes.sort((a, b) => a - b)).toEqual([2, 21])
  })

  it('lists what was changed, deleted and added since, in order', async () => {
    for (const path of ['b/changed', 'a/changed', 'gone', 'mode', 'same', 'b/link']) harness.write(path)
    const { tree } = await harness.take()
    harness.write('b/changed', 'x')
    harness.write('a/changed', 'y')
    chmodSync(join(harness.root, 'mode'), 0o755)
    rmSync(join(harness.root, 'gone'))
    rmSync(join(harness.root, 'b/link'))
    symlinkSync('changed', join(harness.root, 'b/link'))
    harness.write('new/z')
    harness.write('new/a')
    expect(await harness.compare(tree)).toEqual({
      modified: ['a/changed', 'b/changed', 'b/link', 'mode'],
      deleted: ['gone'],
      added: ['new/a', 'new/z'],
    })
  })

  it('leaves out what is ignored, at every level', async () => {
    harness.write('.gitignore', 'node_modules/\n*.log\n!keep.log\n')
    harness.write('deep/.gitignore', '/only-here\n')
    for (const path of ['node_modules/x/index.js', 'a.log', 'keep.log', 'deep/only-here', 'deep/er/only-here', 'src/a'])
      harness.write(path)
    const { tree, fileCount } = await harness.take()
    expect(fileCount).toBe(5)
    rmSync(harness.root, { recursive: true })
    mkdirSync(harness.root)
    expect((await harness.compare(tree)).deleted).toEqual([
      '.gitignore',
      'deep/.gitignore',
      'deep/er/only-here',
      'keep.log',
      'src/a',
    ])
  })

  it('still knows its files when they are ignored later', async () => {
    harness.write('src/a', 'old')
    harness.write('src/b', 'old')
    const taken = await harness.take()
    harness.write('.gitignore', 'src/\n')
    harness.write('src/a', 'new')
    expect(await harness.compare(taken.tree)).toEqual({ modified: ['src/a'], deleted: [], added: ['.gitignore'] })
    const before = valueOf(await harness.store.take({ checkpointId: 'before', root: harness.root, also: taken.tree }))
    await harness.restore(taken)
    expect(harness.read('src/a')).toBe('old')
    await harness.restore(before)
    expect(harness.read('src/a')).toBe('new')
  })

  it('keeps what it can read, and lists the rest', async () => {
    harness.write('fine')
    harness.write('nested/.git/config')
    harness.write('nested/work.ts')
    execFileSync('mkfifo', [join(harness.root, 'pipe')])
    writeFileSync(Buffer.concat([Buffer.from(`${harness.root}/`), Buffer.from([0x66, 0xff, 0xfe])]), 'odd')
    const { notKept, fileCount } = await harness.take()
    expect(fileCount).toBe(2)
    expect(notKept.map(({ path, why }) => `${path} ${why}`).sort()).toEqual([
      'f\ufffd\ufffd not_utf8',
      'nested/.git git',
      'pipe special',
    ])
  })

  it('leaves out staged files of interrupted writes', async () => {
    harness.write('file')
    for (const name of [stagedName(newId()), stagedName(newId(), 12)]) {
      harness.write(name)
      harness.write(`inner/${name}`)
    }
    const taken = await harness.take()
    expect(taken).toMatchObject({ fileCount: 1, notKept: [] })
    expect(await harness.compare(taken.tree)).toEqual({ modified: [], deleted: [], added: [] })
  })

  it('never contains files outside: links are kept as links', async () => {
    writeFileSync(join(harness.base, 'secret'), 'secret')
    symlinkSync('../secret', join(harness.root, 'way-out'))
    symlinkSync(harness.base, join(harness.root, 'directory-out'))
    const taken = await harness.take()
    expect(taken.fileCount).toBe(2)
    rmSync(join(harness.root, 'way-out'))
    rmSync(join(harness.root, 'directory-out'))
    await harness.restore(taken)
    expect([...harness.picture().values()]).toEqual([`link ${harness.base}`, 'link ../secret'])
  })

  it('restores bytes, modes and links, and keeps new files', async () => {
    harness.write('crlf.txt', 'one\r\ntwo\r\n')
    harness.write(
      'bin',
      Uint8Array.from({ length: 256 }, (_, index) => index),
      0o755,
    )
    harness.write('secret', 's', 0o600)
    symlinkSync('bin', join(harness.root, 'link'))
    const before = harness.picture()
    const taken = await harness.take()
    harness.write('crlf.txt', 'one\ntwo\n')
    chmodSync(join(harness.root, 'bin'), 0o644)
    rmSync(join(harness.root, 'secret'))
    rmSync(join(harness.root, 'link'))
    harness.write('fresh', 'new')
    expect(await harness.restore(taken)).toEqual({
      restored: ['bin', 'crlf.txt'],
      recreated: ['link', 'secret'],
      kept: ['fresh'],
      removed: [],
      failed: [],
    })
    expect(harness.read('fresh')).toBe('new')
    rmSync(join(harness.root, 'fresh'))
    expect(harness.picture()).toEqual(before)
  })

  it('removes only the new files it is told to, and only if they are unchanged', async () => {
    harness.write('old')
    const taken = await harness.take()
    for (const path of ['made', 'made-and-changed', 'not-mine']) harness.write(path, 'x')
    const hash = createHash('sha256').update('x').digest('hex')
    harness.write('made-and-changed', 'y')
    const removeNew = ['made', 'made-and-changed', 'old', '../outside', 'absent'].map((path) => ({ path, hash }))
    expect(await harness.restore(taken, removeNew)).toMatchObject({
      removed: ['made'],
      kept: ['made-and-changed', 'not-mine'],
    })
    expect(readdirSync(harness.root).filter((name) => name !== '.git')).toEqual(['made-and-changed', 'not-mine', 'old'])
  })

  it('moves aside what is in the way, and loses nothing', async () => {
    harness.write('file', 'a file')
    harness.write('directory/inner', 'inner')
    const taken = await harness.take()
    rmSync(join(harness.root, 'file'))
    harness.write('file/new', 'new')
    rmSync(join(harness.root, 'directory'), { recursive: true })
    harness.write('directory', 'now a file')
    const mark = taken.tree.slice(0, 8)
    expect(await harness.restore(taken)).toMatchObject({
      kept: [`directory.kept-${mark}`, `file.kept-${mark}/new`],
      failed: [],
    })
    expect(harness.read('file')).toBe('a file')
    expect(harness.read('directory/inner')).toBe('inner')
    expect(harness.read(`directory.kept-${mark}`)).toBe('now a file')
    expect(harness.read(`file.kept-${mark}/new`)).toBe('new')
  })

  it('does not follow a directory that has become a link, not even to write', async () => {
    harness.write('d/file', 'mine')
    const taken = await harness.take()
    mkdirSync(join(harness.base, 'elsewhere'))
    writeFileSync(join(harness.base, 'elsewhere', 'file'), 'theirs')
    rmSync(join(harness.root, 'd'), { recursive: true })
    symlinkSync(join(harness.base, 'elsewhere'), join(harness.root, 'd'))
    await harness.restore(taken)
    expect(readFileSync(join(harness.base, 'elsewhere', 'file'), 'utf8')).toBe('theirs')
    expect(harness.read('d/file')).toBe('mine')
  })

  it('reports that the workspace is missing', async () => {
    renameSync(harness.root, join(harness.base, 'moved'))
    expect(await harness.store.take({ checkpointId: 'c', root: harness.root })).toMatchObject({
      fault: { code: 'workspace_missing' },
    })
  })

  it('reports that its contents are missing', async () => {
    harness.write('a')
    const taken = await harness.take()
    rmSync(join(harness.base, 'data', 'checkpoints'), { recursive: true })
    harness.write('a', 'b')
    expect(
      await harness.store.restore({
        root: harness.root,
        ...taken,
        removeNew: [],
        checkpointId: 'none',
        before: 'none',
      }),
    ).toMatchObject({
      fault: { code: 'checkpoint_damaged' },
    })
    expect(harness.read('a')).toBe('b')
  })

  it('is complete again if only the contents are missing and the cache is left', async () => {
    harness.write('a', 'first')
    await harness.take('c1')
    rmSync(join(harness.kept(), inGit ? 'git' : 'contents'), { recursive: true })
    const taken = await harness.take('c2')
    harness.write('a', 'second')
    await harness.restore(taken)
    expect(harness.read('a')).toBe('first')
  })
})
