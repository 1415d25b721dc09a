import { chmod, mkdir, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { newId } from '../../../src/lib/id.ts'
import { sha256 } from '../../../src/lib/secret.ts'
import { codeOf, openChangesHarness, sessionId, type ChangesHarness } from './harness.ts'

const two = 'one\ntwo\nthree\n'
const edit = '--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n'
const other = '--- a/g\n+++ b/g\n@@ -1 +1 @@\n-g\n+G\n'
const journals = (harness: ChangesHarness) => readdir(join(harness.dataDir, 'journal')).catch(() => [])

/** Checks now, and returns a function that applies it later. */
async function asked(harness: ChangesHarness, filePath: string, diff: string) {
  const looked = await harness.changes.look({ root: harness.root, filePath, diff })
  if (!looked.ok) throw new Error(looked.fault.message)
  const { files } = looked.value
  const askId = newId<string>()
  return {
    askId,
    files,
    apply: (force = false) =>
      harness.changes.apply({ askId, sessionId, root: harness.root, filePath, diff, files, force }),
  }
}

describe('checking a diff', () => {
  it('returns the hash of every file in it, by its real path', async () => {
    await using harness = await openChangesHarness()
    await harness.write('src/f', two)
    await symlink('src', join(harness.root, 'link'))
    const diff = `${edit.replaceAll('/f', '/link/f')}--- /dev/null\n+++ b/new/x\n@@ -0,0 +1 @@\n+x\n`
    expect(await harness.changes.look({ root: harness.root, filePath: './src/f', diff })).toEqual({
      ok: true,
      value: {
        files: [
          { path: 'src/f', hash: sha256(two) },
          { path: 'new/x', hash: 'new_file' },
        ],
        preview: null,
      },
    })
    const other = await harness.changes.look({ root: harness.root, filePath: join(harness.root, 'new/x'), diff })
    expect(other.ok && other.value.files.map(({ path }) => path)).toEqual(['new/x', 'src/f'])
    expect(await readdir(harness.root)).toEqual(['link', 'src'])
  })

  it('shows whole content as a diff', async () => {
    await using harness = await openChangesHarness()
    await harness.write('f', 'one\ntwo\nthree\n')
    const look = (filePath: string, diff: string) => harness.changes.look({ root: harness.root, filePath, diff })
    const changed = await look('f', 'one\nthree\n')
    expect(changed.ok && changed.value.preview).toBe('--- a/f\n+++ b/f\n@@ -1,3 +1,2 @@\n one\n-two\n three\n')
    const made = await look('new', 'x\n')
    expect(made.ok && made.value.preview).toBe('--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+x\n')
  })

  it('refuses a diff that does not apply, and names the file', async () => {
    await using harness = await openChangesHarness()
    await harness.write('f', 'one\nzwei\nthree\n')
    const look = (filePath: string, diff: string) => harness.changes.look({ root: harness.root, filePath, diff })
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
    await using harness = await openChangesHarness()
    await harness.write('f', two)
    await harness.write('g', 'g\n')
    await chmod(join(harness.root, 'f'), 0o640)
    const ask = await asked(harness, 'f', edit + other)
    expect(await ask.apply()).toEqual({
      ok: true,
      value: { filesWritten: [{ path: 'f', bytes: 12 }, { path: 'g', bytes: 2 }], forced: false }, // prettier-ignore
    })
    expect([await harness.read('f'), await harness.read('g')]).toEqual(['one\n2\nthree\n', 'G\n'])
    expect((await stat(join(harness.root, 'f'))).mode & 0o777).toBe(0o640)
    expect(await harness.undo.get(ask.askId)).toMatchObject({
      exact: true,
      files: [{ expected: sha256('one\n2\nthree\n') }, {}],
    })
    expect(await harness.changes.unfinished()).toEqual([ask.askId])
    await harness.changes.settle(ask.askId)
    expect(await journals(harness)).toEqual([])
    expect((await readdir(harness.root)).toSorted()).toEqual(['f', 'g'])
  })

  it('accepts whole content for a new, an empty and an existing file', async () => {
    await using harness = await openChangesHarness()
    await harness.write('empty', '')
    await harness.write('full', 'a\r\nb\r\n')
    for (const path of ['deep/er/new', 'empty', 'full'])
      expect(codeOf(await harness.approve(path, 'x\ny\n'))).toBe('ok')
    expect(await harness.read('deep/er/new')).toBe('x\ny\n')
    expect(await harness.read('empty')).toBe('x\ny\n')
    expect(await harness.read('full')).toBe('x\r\ny\r\n')
    expect(codeOf(await harness.approve('empty', ''))).toBe('ok')
    expect(await harness.read('empty')).toBe('')
  })

  it('distinguishes an emptied file from a deleted one', async () => {
    await using harness = await openChangesHarness()
    for (const name of ['f', 'g']) await harness.write(name, 'g\n')
    expect(codeOf(await harness.approve('g', '--- a/g\n+++ b/g\n@@ -1 +0,0 @@\n-g\n'))).toBe('ok')
    expect(codeOf(await harness.approve('f', '--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-g\n'))).toBe('ok')
    expect(await readdir(harness.root)).toEqual(['g'])
    expect(await harness.read('g')).toBe('')
  })

  it('renames in a cycle, copies, and sets the execute bit', async () => {
    await using harness = await openChangesHarness()
    for (const name of ['a', 'b', 'c']) await harness.write(name, `${name}\n`)
    const move = (from: string, to: string) =>
      `diff --git a/${from} b/${to}\nsimilarity index 100%\nrename from ${from}\nrename to ${to}\n`
    const copy = 'diff --git a/c b/d\nold mode 100644\nnew mode 100755\nsimilarity index 100%\ncopy from c\ncopy to d\n'
    expect(codeOf(await harness.approve('a', move('a', 'b') + move('b', 'a') + copy))).toBe('ok')
    expect(await Promise.all(['a', 'b', 'c', 'd'].map(harness.read))).toEqual(['b\n', 'a\n', 'c\n', 'c\n'])
    expect((await stat(join(harness.root, 'd'))).mode & 0o111).toBe(0o111)
    expect((await stat(join(harness.root, 'c'))).mode & 0o111).toBe(0)
    expect(codeOf(await harness.approve('a', move('a', 'c')))).toBe('patch_conflict')
    expect(codeOf(await harness.approve('a', move('a', 'x') + move('a', 'y')))).toBe('invalid_diff')
  })

  it('finds a file whose directory is called a or b', async () => {
    await using harness = await openChangesHarness()
    await harness.write('a/f', two)
    expect(codeOf(await harness.approve('a/f', edit.replaceAll(/[ab]\/f/g, 'a/f')))).toBe('ok')
    expect(codeOf(await harness.approve('b/new', '--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+x\n'))).toBe('ok')
    expect(await harness.read('b/new')).toBe('x\n')
  })

  it('refuses a file that changed after the ask, unless forced, and then says so', async () => {
    await using harness = await openChangesHarness()
    await harness.write('f', two)
    await harness.write('g', 'g\n')
    const ask = await asked(harness, 'f', edit + other)
    await harness.write('f', `zero\n${two}`)
    expect(await ask.apply()).toMatchObject({
      fault: {
        code: 'patch_conflict',
        details: { files: [{ path: 'f', why: 'was changed after the ask' }] },
      },
    })
    expect(await harness.read('g')).toBe('g\n')
    expect([await journals(harness), await harness.undo.get(ask.askId)]).toEqual([[], null])
    expect(await ask.apply(true)).toMatchObject({ ok: true, value: { forced: true } })
    expect(await harness.read('f')).toBe('zero\none\n2\nthree\n')
  })

  it('does not report force if it was not needed', async () => {
    await using harness = await openChangesHarness()
    await harness.write('f', two)
    expect(await (await asked(harness, 'f', edit)).apply(true)).toMatchObject({ ok: true, value: { forced: false } })
  })

  it('never writes to a file nobody was asked about, even if forced', async () => {
    await using harness = await openChangesHarness()
    await harness.write('x/f', two)
    await harness.write('y/f', two)
    await symlink('x', join(harness.root, 'link'))
    const ask = await asked(harness, 'link/f', edit.replaceAll('/f', '/link/f'))
    await rm(join(harness.root, 'link'))
    await symlink('y', join(harness.root, 'link'))
    expect(codeOf(await ask.apply(true))).toBe('patch_conflict')
    expect(await harness.read('y/f')).toBe(two)
  })

  it('twice at once is done once', async () => {
    await using harness = await openChangesHarness()
    await harness.write('f', two)
    const ask = await asked(harness, 'f', edit)
    const [first, second] = await Promise.all([ask.apply(), ask.apply()])
    expect(first).toMatchObject({ ok: true })
    expect(second).toEqual(first)
    expect(await harness.read('f')).toBe('one\n2\nthree\n')
  })

  it('that fails halfway is rolled back', async () => {
    let hook: (name: string) => Promise<void> = () => Promise.resolve()
    await using harness = await openChangesHarness({ step: (name) => hook(name) })
    await harness.write('f', two)
    await harness.write('g', 'g\n')
    const ask = await asked(harness, 'f', `${edit}--- /dev/null\n+++ b/new/dir/x\n@@ -0,0 +1 @@\n+x\n${other}`)
    const before = harness.tree()
    hook = async (name) => {
      if (name !== 'moved:1') return
      hook = () => Promise.resolve()
      await rm(join(harness.root, 'g'))
      await mkdir(join(harness.root, 'g'))
    }
    expect(codeOf(await ask.apply())).toBe('path_violation')
    await rm(join(harness.root, 'g'), { recursive: true })
    await harness.write('g', 'g\n')
    expect(harness.tree()).toEqual(before)
    expect([await journals(harness), await harness.undo.get(ask.askId)]).toEqual([[], null])
  })

  it('notices a change at the last moment', async () => {
    let hook: (name: string) => Promise<void> = () => Promise.resolve()
    await using harness = await openChangesHarness({ step: (name) => hook(name) })
    await harness.write('f', two)
    await harness.write('g', 'g\n')
    const ask = await asked(harness, 'f', edit + other)
    hook = async (name) => {
      if (name === 'moved:0') await writeFile(join(harness.root, 'g'), 'mine\n')
    }
    expect(await ask.apply()).toMatchObject({ fault: { code: 'patch_conflict', details: { files: [{ path: 'g' }] } } })
    expect([await harness.read('f'), await harness.read('g')]).toEqual([two, 'mine\n'])
  })
})
