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
import { makeGround, valueOf, type Ground } from '../../../../test/support/checkpoint-ground.ts'

let ground: Ground
beforeEach(() => {
  ground = makeGround()
})
afterEach(() => ground.remove())

describe.each(['in a Git repository', 'without Git'] as const)('a checkpoint %s', (where) => {
  const inGit = where === 'in a Git repository'
  beforeEach(() => {
    if (inGit) ground.initGit()
  })

  it('says what it kept, and where', async () => {
    ground.write('src/one.ts')
    ground.write('empty', '')
    const taken = await ground.take()
    expect(taken).toMatchObject({ fileCount: 2, notKept: [] })
    expect(taken.restorePoint).toMatch(inGit ? /^git:[0-9a-f]{40}$/ : /^packs$/)
    expect(await ground.compare(taken.tree)).toEqual({ modified: [], deleted: [], added: [] })
  })

  it('of the same files is the same tree, and what is unchanged is stored once', async () => {
    for (let index = 0; index < 20; index += 1) ground.write(`d${index}/file`, `content ${index}`)
    const first = await ground.take('c1')
    expect(await ground.take('c2')).toMatchObject({ tree: first.tree, restorePoint: first.restorePoint })
    ground.write('d3/file', 'changed')
    await ground.take('c3')
    const trees = join(ground.kept(), 'trees')
    const sizes = readdirSync(trees)
      .filter((name) => name.endsWith('.index'))
      .map((name) => readFileSync(join(trees, name), 'utf8').trim().split('\n').length)
    expect(sizes.sort((a, b) => a - b)).toEqual([2, 21])
  })

  it('tells what was changed, deleted and added since, in order', async () => {
    for (const path of ['b/changed', 'a/changed', 'gone', 'mode', 'same', 'b/link']) ground.write(path)
    const { tree } = await ground.take()
    ground.write('b/changed', 'x')
    ground.write('a/changed', 'y')
    chmodSync(join(ground.root, 'mode'), 0o755)
    rmSync(join(ground.root, 'gone'))
    rmSync(join(ground.root, 'b/link'))
    symlinkSync('changed', join(ground.root, 'b/link'))
    ground.write('new/z')
    ground.write('new/a')
    expect(await ground.compare(tree)).toEqual({
      modified: ['a/changed', 'b/changed', 'b/link', 'mode'],
      deleted: ['gone'],
      added: ['new/a', 'new/z'],
    })
  })

  it('leaves out what is ignored, at every level', async () => {
    ground.write('.gitignore', 'node_modules/\n*.log\n!keep.log\n')
    ground.write('deep/.gitignore', '/only-here\n')
    for (const path of ['node_modules/x/index.js', 'a.log', 'keep.log', 'deep/only-here', 'deep/er/only-here', 'src/a'])
      ground.write(path)
    const { tree, fileCount } = await ground.take()
    expect(fileCount).toBe(5)
    rmSync(ground.root, { recursive: true })
    mkdirSync(ground.root)
    expect((await ground.compare(tree)).deleted).toEqual([
      '.gitignore',
      'deep/.gitignore',
      'deep/er/only-here',
      'keep.log',
      'src/a',
    ])
  })

  it('still knows its files when somebody ignores them later', async () => {
    ground.write('src/a', 'old')
    ground.write('src/b', 'old')
    const taken = await ground.take()
    ground.write('.gitignore', 'src/\n')
    ground.write('src/a', 'new')
    expect(await ground.compare(taken.tree)).toEqual({ modified: ['src/a'], deleted: [], added: ['.gitignore'] })
    const before = valueOf(await ground.store.take({ checkpointId: 'before', root: ground.root, also: taken.tree }))
    await ground.restore(taken)
    expect(ground.read('src/a')).toBe('old')
    await ground.restore(before)
    expect(ground.read('src/a')).toBe('new')
  })

  it('keeps what it can read, and lists the rest', async () => {
    ground.write('fine')
    ground.write('nested/.git/config')
    ground.write('nested/work.ts')
    execFileSync('mkfifo', [join(ground.root, 'pipe')])
    writeFileSync(Buffer.concat([Buffer.from(`${ground.root}/`), Buffer.from([0x66, 0xff, 0xfe])]), 'odd')
    const { notKept, fileCount } = await ground.take()
    expect(fileCount).toBe(2)
    expect(notKept.map(({ path, why }) => `${path} ${why}`).sort()).toEqual([
      'f\ufffd\ufffd not_utf8',
      'nested/.git git',
      'pipe special',
    ])
  })

  it('leaves out what a write of ours that was cut off left', async () => {
    ground.write('file')
    for (const name of [stagedName(newId()), stagedName(newId(), 12)]) {
      ground.write(name)
      ground.write(`inner/${name}`)
    }
    const taken = await ground.take()
    expect(taken).toMatchObject({ fileCount: 1, notKept: [] })
    expect(await ground.compare(taken.tree)).toEqual({ modified: [], deleted: [], added: [] })
  })

  it('never holds what is outside: links are kept as links', async () => {
    writeFileSync(join(ground.base, 'secret'), 'secret')
    symlinkSync('../secret', join(ground.root, 'way-out'))
    symlinkSync(ground.base, join(ground.root, 'directory-out'))
    const taken = await ground.take()
    expect(taken.fileCount).toBe(2)
    rmSync(join(ground.root, 'way-out'))
    rmSync(join(ground.root, 'directory-out'))
    await ground.restore(taken)
    expect([...ground.picture().values()]).toEqual([`link ${ground.base}`, 'link ../secret'])
  })

  it('puts back bytes, modes and links, and keeps what appeared since', async () => {
    ground.write('crlf.txt', 'one\r\ntwo\r\n')
    ground.write(
      'bin',
      Uint8Array.from({ length: 256 }, (_, index) => index),
      0o755,
    )
    ground.write('secret', 's', 0o600)
    symlinkSync('bin', join(ground.root, 'link'))
    const before = ground.picture()
    const taken = await ground.take()
    ground.write('crlf.txt', 'one\ntwo\n')
    chmodSync(join(ground.root, 'bin'), 0o644)
    rmSync(join(ground.root, 'secret'))
    rmSync(join(ground.root, 'link'))
    ground.write('fresh', 'new')
    expect(await ground.restore(taken)).toEqual({
      restored: ['bin', 'crlf.txt'],
      recreated: ['link', 'secret'],
      kept: ['fresh'],
      removed: [],
      failed: [],
    })
    expect(ground.read('fresh')).toBe('new')
    rmSync(join(ground.root, 'fresh'))
    expect(ground.picture()).toEqual(before)
  })

  it('removes of what appeared only what it is told to, and only while it is as it was made', async () => {
    ground.write('old')
    const taken = await ground.take()
    for (const path of ['made', 'made-and-changed', 'not-mine']) ground.write(path, 'x')
    const hash = createHash('sha256').update('x').digest('hex')
    ground.write('made-and-changed', 'y')
    const removeNew = ['made', 'made-and-changed', 'old', '../outside', 'absent'].map((path) => ({ path, hash }))
    expect(await ground.restore(taken, removeNew)).toMatchObject({
      removed: ['made'],
      kept: ['made-and-changed', 'not-mine'],
    })
    expect(readdirSync(ground.root).filter((name) => name !== '.git')).toEqual(['made-and-changed', 'not-mine', 'old'])
  })

  it('moves aside what stands in the way, and loses nothing of it', async () => {
    ground.write('file', 'a file')
    ground.write('directory/inner', 'inner')
    const taken = await ground.take()
    rmSync(join(ground.root, 'file'))
    ground.write('file/new', 'new')
    rmSync(join(ground.root, 'directory'), { recursive: true })
    ground.write('directory', 'now a file')
    const mark = taken.tree.slice(0, 8)
    expect(await ground.restore(taken)).toMatchObject({
      kept: [`directory.kept-${mark}`, `file.kept-${mark}/new`],
      failed: [],
    })
    expect(ground.read('file')).toBe('a file')
    expect(ground.read('directory/inner')).toBe('inner')
    expect(ground.read(`directory.kept-${mark}`)).toBe('now a file')
    expect(ground.read(`file.kept-${mark}/new`)).toBe('new')
  })

  it('does not follow a directory that has become a link, also not to write', async () => {
    ground.write('d/file', 'mine')
    const taken = await ground.take()
    mkdirSync(join(ground.base, 'elsewhere'))
    writeFileSync(join(ground.base, 'elsewhere', 'file'), 'theirs')
    rmSync(join(ground.root, 'd'), { recursive: true })
    symlinkSync(join(ground.base, 'elsewhere'), join(ground.root, 'd'))
    await ground.restore(taken)
    expect(readFileSync(join(ground.base, 'elsewhere', 'file'), 'utf8')).toBe('theirs')
    expect(ground.read('d/file')).toBe('mine')
  })

  it('says so where the workspace is gone', async () => {
    renameSync(ground.root, join(ground.base, 'moved'))
    expect(await ground.store.take({ checkpointId: 'c', root: ground.root })).toMatchObject({
      fault: { code: 'workspace_missing' },
    })
  })

  it('says so where its contents are gone', async () => {
    ground.write('a')
    const taken = await ground.take()
    rmSync(join(ground.base, 'data', 'checkpoints'), { recursive: true })
    ground.write('a', 'b')
    expect(await ground.store.restore({ root: ground.root, ...taken, removeNew: [] })).toMatchObject({
      fault: { code: 'checkpoint_damaged' },
    })
    expect(ground.read('a')).toBe('b')
  })

  it('is complete again where only the contents are gone and the cache is left', async () => {
    ground.write('a', 'first')
    await ground.take('c1')
    rmSync(join(ground.kept(), inGit ? 'git' : 'contents'), { recursive: true })
    const taken = await ground.take('c2')
    ground.write('a', 'second')
    await ground.restore(taken)
    expect(ground.read('a')).toBe('first')
  })
})
