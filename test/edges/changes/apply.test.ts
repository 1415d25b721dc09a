import { chmod, mkdir, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { newId } from '../../../src/lib/id.ts'
import { sha256 } from '../../../src/lib/secret.ts'
import { codeOf, openYard, sessionId, type Yard } from './harness.ts'

const two = 'one\ntwo\nthree\n'
const edit = '--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n'
const other = '--- a/g\n+++ b/g\n@@ -1 +1 @@\n-g\n+G\n'
const journals = (yard: Yard) => readdir(join(yard.dataDir, 'journal')).catch(() => [])

/** Checks now, and returns a function that applies it later. */
async function asked(yard: Yard, filePath: string, diff: string) {
  const looked = await yard.changes.look({ root: yard.root, filePath, diff })
  if (!looked.ok) throw new Error(looked.fault.message)
  const { files } = looked.value
  const askId = newId<string>()
  return {
    askId,
    files,
    apply: (force = false) => yard.changes.apply({ askId, sessionId, root: yard.root, filePath, diff, files, force }),
  }
}

describe('checking a diff', () => {
  it('returns the hash of every file in it, by its real path', async () => {
    await using yard = await openYard()
    await yard.write('src/f', two)
    await symlink('src', join(yard.root, 'link'))
    const diff = `${edit.replaceAll('/f', '/link/f')}--- /dev/null\n+++ b/new/x\n@@ -0,0 +1 @@\n+x\n`
    expect(await yard.changes.look({ root: yard.root, filePath: './src/f', diff })).toEqual({
      ok: true,
      value: {
        files: [
          { path: 'src/f', hash: sha256(two) },
          { path: 'new/x', hash: 'new_file' },
        ],
        preview: null,
      },
    })
    const other = await yard.changes.look({ root: yard.root, filePath: join(yard.root, 'new/x'), diff })
    expect(other.ok && other.value.files.map(({ path }) => path)).toEqual(['new/x', 'src/f'])
    expect(await readdir(yard.root)).toEqual(['link', 'src'])
  })

  it('shows whole content as a diff', async () => {
    await using yard = await openYard()
    await yard.write('f', 'one\ntwo\nthree\n')
    const look = (filePath: string, diff: string) => yard.changes.look({ root: yard.root, filePath, diff })
    const changed = await look('f', 'one\nthree\n')
    expect(changed.ok && changed.value.preview).toBe('--- a/f\n+++ b/f\n@@ -1,3 +1,2 @@\n one\n-two\n three\n')
    const made = await look('new', 'x\n')
    expect(made.ok && made.value.preview).toBe('--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+x\n')
  })

  it('refuses a diff that does not apply, and names the file', async () => {
    await using yard = await openYard()
    await yard.write('f', 'one\nzwei\nthree\n')
    const look = (filePath: string, diff: string) => yard.changes.look({ root: yard.root, filePath, diff })
    expect(await look('f', edit)).toMatchObject({
      ok: false,
      fault: { kind: 'conflict', code: 'patch_conflict', details: { files: [{ path: 'f' }] } },
    })
    expect(codeOf(await look('g', edit))).toBe('invalid_diff')
    expect(codeOf(await look('f', '--- a/none\n+++ b/none\n@@ -1 +1 @@\n-a\n+b\n'))).toBe('invalid_diff')
    expect(codeOf(await look('none', '--- a/none\n+++ b/none\n@@ -1 +1 @@\n-a\n+b\n'))).toBe('patch_conflict')
    expect(codeOf(await look('f', '--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+x\n'))).toBe('patch_conflict')
    expect(codeOf(await look('f', '--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n'))).toBe('patch_conflict')
    expect(codeOf(await look('f', `${edit}${edit}`))).toBe('invalid_diff')
    expect(codeOf(await look('f', '--- a/f\n+++ b/f\n@@ -1 +1 @@\n-\uD800\n+b\n'))).toBe('invalid_diff')
  })
})

describe('applying', () => {
  it('writes all files, and leaves an undo point but no journal once it is settled', async () => {
    await using yard = await openYard()
    await yard.write('f', two)
    await yard.write('g', 'g\n')
    await chmod(join(yard.root, 'f'), 0o640)
    const ask = await asked(yard, 'f', edit + other)
    expect(await ask.apply()).toEqual({
      ok: true,
      value: { filesWritten: [{ path: 'f', bytes: 12 }, { path: 'g', bytes: 2 }], forced: false }, // prettier-ignore
    })
    expect([await yard.read('f'), await yard.read('g')]).toEqual(['one\n2\nthree\n', 'G\n'])
    expect((await stat(join(yard.root, 'f'))).mode & 0o777).toBe(0o640)
    expect(await yard.undo.get(ask.askId)).toMatchObject({
      exact: true,
      files: [{ expected: sha256('one\n2\nthree\n') }, {}],
    })
    expect(await yard.changes.unfinished()).toEqual([ask.askId])
    await yard.changes.settle(ask.askId)
    expect(await journals(yard)).toEqual([])
    expect((await readdir(yard.root)).toSorted()).toEqual(['f', 'g'])
  })

  it('accepts whole content for a new, an empty and an existing file', async () => {
    await using yard = await openYard()
    await yard.write('empty', '')
    await yard.write('full', 'a\r\nb\r\n')
    for (const path of ['deep/er/new', 'empty', 'full']) expect(codeOf(await yard.approve(path, 'x\ny\n'))).toBe('ok')
    expect(await yard.read('deep/er/new')).toBe('x\ny\n')
    expect(await yard.read('empty')).toBe('x\ny\n')
    expect(await yard.read('full')).toBe('x\r\ny\r\n')
    expect(codeOf(await yard.approve('empty', ''))).toBe('ok')
    expect(await yard.read('empty')).toBe('')
  })

  it('distinguishes an emptied file from a deleted one', async () => {
    await using yard = await openYard()
    for (const name of ['f', 'g']) await yard.write(name, 'g\n')
    expect(codeOf(await yard.approve('g', '--- a/g\n+++ b/g\n@@ -1 +0,0 @@\n-g\n'))).toBe('ok')
    expect(codeOf(await yard.approve('f', '--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-g\n'))).toBe('ok')
    expect(await readdir(yard.root)).toEqual(['g'])
    expect(await yard.read('g')).toBe('')
  })

  it('renames in a cycle, copies, and sets the execute bit', async () => {
    await using yard = await openYard()
    for (const name of ['a', 'b', 'c']) await yard.write(name, `${name}\n`)
    const move = (from: string, to: string) =>
      `diff --git a/${from} b/${to}\nsimilarity index 100%\nrename from ${from}\nrename to ${to}\n`
    const copy = 'diff --git a/c b/d\nold mode 100644\nnew mode 100755\nsimilarity index 100%\ncopy from c\ncopy to d\n'
    expect(codeOf(await yard.approve('a', move('a', 'b') + move('b', 'a') + copy))).toBe('ok')
    expect(await Promise.all(['a', 'b', 'c', 'd'].map(yard.read))).toEqual(['b\n', 'a\n', 'c\n', 'c\n'])
    expect((await stat(join(yard.root, 'd'))).mode & 0o111).toBe(0o111)
    expect((await stat(join(yard.root, 'c'))).mode & 0o111).toBe(0)
    expect(codeOf(await yard.approve('a', move('a', 'c')))).toBe('patch_conflict')
    expect(codeOf(await yard.approve('a', move('a', 'x') + move('a', 'y')))).toBe('invalid_diff')
  })

  it('finds a file whose directory is called a or b', async () => {
    await using yard = await openYard()
    await yard.write('a/f', two)
    expect(codeOf(await yard.approve('a/f', edit.replaceAll(/[ab]\/f/g, 'a/f')))).toBe('ok')
    expect(codeOf(await yard.approve('b/new', '--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+x\n'))).toBe('ok')
    expect(await yard.read('b/new')).toBe('x\n')
  })

  it('refuses a file that changed after the ask, unless forced, and then says so', async () => {
    await using yard = await openYard()
    await yard.write('f', two)
    await yard.write('g', 'g\n')
    const ask = await asked(yard, 'f', edit + other)
    await yard.write('f', `zero\n${two}`)
    expect(await ask.apply()).toMatchObject({
      fault: {
        code: 'patch_conflict',
        details: { files: [{ path: 'f', why: 'was changed after the ask' }] },
      },
    })
    expect(await yard.read('g')).toBe('g\n')
    expect([await journals(yard), await yard.undo.get(ask.askId)]).toEqual([[], null])
    expect(await ask.apply(true)).toMatchObject({ ok: true, value: { forced: true } })
    expect(await yard.read('f')).toBe('zero\none\n2\nthree\n')
  })

  it('does not report force if it was not needed', async () => {
    await using yard = await openYard()
    await yard.write('f', two)
    expect(await (await asked(yard, 'f', edit)).apply(true)).toMatchObject({ ok: true, value: { forced: false } })
  })

  it('never writes to a file nobody was asked about, even if forced', async () => {
    await using yard = await openYard()
    await yard.write('x/f', two)
    await yard.write('y/f', two)
    await symlink('x', join(yard.root, 'link'))
    const ask = await asked(yard, 'link/f', edit.replaceAll('/f', '/link/f'))
    await rm(join(yard.root, 'link'))
    await symlink('y', join(yard.root, 'link'))
    expect(codeOf(await ask.apply(true))).toBe('patch_conflict')
    expect(await yard.read('y/f')).toBe(two)
  })

  it('twice at once is done once', async () => {
    await using yard = await openYard()
    await yard.write('f', two)
    const ask = await asked(yard, 'f', edit)
    const [first, second] = await Promise.all([ask.apply(), ask.apply()])
    expect(first).toMatchObject({ ok: true })
    expect(second).toEqual(first)
    expect(await yard.read('f')).toBe('one\n2\nthree\n')
  })

  it('that fails halfway is rolled back', async () => {
    let hook: (name: string) => Promise<void> = () => Promise.resolve()
    await using yard = await openYard({ step: (name) => hook(name) })
    await yard.write('f', two)
    await yard.write('g', 'g\n')
    const ask = await asked(yard, 'f', `${edit}--- /dev/null\n+++ b/new/dir/x\n@@ -0,0 +1 @@\n+x\n${other}`)
    const before = yard.tree()
    hook = async (name) => {
      if (name !== 'moved:1') return
      hook = () => Promise.resolve()
      await rm(join(yard.root, 'g'))
      await mkdir(join(yard.root, 'g'))
    }
    expect(codeOf(await ask.apply())).toBe('path_violation')
    await rm(join(yard.root, 'g'), { recursive: true })
    await yard.write('g', 'g\n')
    expect(yard.tree()).toEqual(before)
    expect([await journals(yard), await yard.undo.get(ask.askId)]).toEqual([[], null])
  })

  it('notices a change at the last moment', async () => {
    let hook: (name: string) => Promise<void> = () => Promise.resolve()
    await using yard = await openYard({ step: (name) => hook(name) })
    await yard.write('f', two)
    await yard.write('g', 'g\n')
    const ask = await asked(yard, 'f', edit + other)
    hook = async (name) => {
      if (name === 'moved:0') await writeFile(join(yard.root, 'g'), 'mine\n')
    }
    expect(await ask.apply()).toMatchObject({ fault: { code: 'patch_conflict', details: { files: [{ path: 'g' }] } } })
    expect([await yard.read('f'), await yard.read('g')]).toEqual([two, 'mine\n'])
  })
})
