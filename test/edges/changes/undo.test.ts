import { chmod, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openWorkspace } from '../../../src/edges/workspace/workspace-files.ts'
import { newId } from '../../../src/lib/id.ts'
import { codeOf, openYard, sessionId, type Yard } from './harness.ts'

const diff = [
  '--- a/f\n+++ b/f\n@@ -1 +1 @@\n-one\n+1\n',
  '--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-bye\n',
  '--- /dev/null\n+++ b/new/dir/x\n@@ -0,0 +1 @@\n+x\n',
  'diff --git a/tool b/tool\nold mode 100644\nnew mode 100755\n',
].join('')

async function approved(yard: Yard): Promise<{ askId: string; before: string[] }> {
  await yard.write('f', 'one\n')
  await yard.write('gone', 'bye\n')
  await yard.write('tool', 'run\n')
  await chmod(join(yard.root, 'gone'), 0o600)
  const before = yard.tree()
  const result = await yard.approve('f', diff)
  if (!result.ok) throw new Error(result.fault.message)
  return { askId: result.value.askId, before }
}

const undo = (yard: Yard, askId: string) => yard.changes.undo({ askId, root: yard.root })

describe('undoing an approval', () => {
  it('restores bytes, modes and deleted files, and removes new files', async () => {
    await using yard = await openYard()
    const { askId, before } = await approved(yard)
    expect((await stat(join(yard.root, 'tool'))).mode & 0o111).toBe(0o111)
    expect(await undo(yard, askId)).toEqual({
      ok: true,
      value: {
        restored: [
          { path: 'gone', outcome: 'restored' },
          { path: 'f', outcome: 'restored' },
          { path: 'new/dir/x', outcome: 'removed' },
          { path: 'tool', outcome: 'restored' },
        ],
      },
    })
    expect(yard.tree()).toEqual(before)
  })

  it('returns the same result until it is settled, then that there is nothing to undo', async () => {
    await using yard = await openYard()
    const { askId } = await approved(yard)
    const first = await undo(yard, askId)
    await yard.write('f', 'later\n')
    expect(await undo(yard, askId)).toEqual(first)
    expect(await yard.read('f')).toBe('later\n')
    expect(await yard.changes.unfinishedUndos()).toEqual([askId])
    await yard.changes.settle(askId)
    expect(await yard.changes.unfinishedUndos()).toEqual([])
    expect(codeOf(await undo(yard, askId))).toBe('nothing_to_undo')
    expect(codeOf(await undo(yard, newId()))).toBe('nothing_to_undo')
    expect(codeOf(await undo(yard, '../x'))).toBe('invalid_id')
  })

  it('keeps directories that contain something else now', async () => {
    await using yard = await openYard()
    const { askId } = await approved(yard)
    await yard.write('new/other', 'mine')
    expect(codeOf(await undo(yard, askId))).toBe('ok')
    expect(await readdir(join(yard.root, 'new'))).toEqual(['other'])
  })

  const later: [what: string, path: string, why: string, work: (root: string) => Promise<void>][] = [
    ['changed', 'f', 'was changed since', (root) => writeFile(join(root, 'f'), 'mine\n')],
    ['deleted', 'f', 'was deleted since', (root) => rm(join(root, 'f'))],
    ['made anew', 'gone', 'was created again since', (root) => writeFile(join(root, 'gone'), 'bye\n')],
    ['deleted where it was new', 'new/dir/x', 'was deleted since', (root) => rm(join(root, 'new/dir/x'))],
    ['given another mode', 'tool', 'has a different mode since', (root) => chmod(join(root, 'tool'), 0o600)],
    [
      'turned into a directory',
      'f',
      'is a directory',
      async (root) => {
        await rm(join(root, 'f'))
        await mkdir(join(root, 'f'))
      },
    ],
  ]
  it.each(later)('writes nothing if a file was %s since, and names it', async (_what, path, why, work) => {
    await using yard = await openYard()
    const { askId } = await approved(yard)
    await work(yard.root)
    const now = yard.tree()
    const result = await undo(yard, askId)
    expect(result).toMatchObject({ fault: { kind: 'conflict', code: 'undo_conflict', details: { files: [{ path }] } } })
    expect(JSON.stringify(result)).toContain(why)
    expect(yard.tree()).toEqual(now)
    expect(await yard.changes.unfinishedUndos()).toEqual([])
  })

  it('names every file that is in the way', async () => {
    await using yard = await openYard()
    const { askId } = await approved(yard)
    await writeFile(join(yard.root, 'f'), 'mine\n')
    await rm(join(yard.root, 'tool'))
    const result = await undo(yard, askId)
    expect(!result.ok && result.fault.details?.['files']).toEqual([
      { path: 'f', why: 'was changed since' },
      { path: 'tool', why: 'was deleted since' },
    ])
  })

  it('notices a change at the last moment, and rolls back', async () => {
    let hook: (name: string) => Promise<void> = () => Promise.resolve()
    await using yard = await openYard({ step: (name) => hook(name) })
    const { askId } = await approved(yard)
    hook = async (name) => {
      if (name === 'moved:1') await writeFile(join(yard.root, 'new/dir/x'), 'mine\n')
    }
    expect(await undo(yard, askId)).toMatchObject({ fault: { code: 'undo_conflict' } })
    expect(await yard.read('f')).toBe('1\n')
    expect(await yard.read('new/dir/x')).toBe('mine\n')
    expect((await readdir(yard.root)).includes('gone')).toBe(false)
  })
})

describe('undoing what an agent was allowed to write itself', () => {
  async function allowed(yard: Yard): Promise<string> {
    await yard.write('f', 'one\ntwo\n')
    const files = openWorkspace({ root: yard.root, refused: () => Promise.resolve() })
    const askId = newId<string>()
    const edits = [
      { path: 'f', oldText: 'two', newText: '2' },
      { path: 'made/x', oldText: null, newText: 'x\n' },
    ]
    expect(codeOf(await yard.undo.keep({ askId, sessionId, files, edits, paths: [] }))).toBe('ok')
    return askId
  }

  it('restores it, even if the agent changed line ends', async () => {
    await using yard = await openYard()
    const askId = await allowed(yard)
    await yard.write('f', 'one\n2')
    await yard.write('made/x', 'x\n')
    expect(codeOf(await undo(yard, askId))).toBe('ok')
    expect(await yard.read('f')).toBe('one\ntwo\n')
    expect(await readdir(yard.root)).toEqual(['f'])
  })

  it('leaves out files that it never wrote', async () => {
    await using yard = await openYard()
    const askId = await allowed(yard)
    expect(codeOf(await undo(yard, askId))).toBe('nothing_to_undo')
    await yard.write('f', 'one\n2\n')
    expect(await undo(yard, askId)).toEqual({ ok: true, value: { restored: [{ path: 'f', outcome: 'restored' }] } })
  })

  it('refuses if something else was written', async () => {
    await using yard = await openYard()
    const askId = await allowed(yard)
    await yard.write('f', 'something else\n')
    expect(codeOf(await undo(yard, askId))).toBe('undo_conflict')
  })
})
