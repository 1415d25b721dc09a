import { chmod, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openWorkspace } from '../../../src/edges/workspace/workspace-files.ts'
import { newId } from '../../../src/lib/id.ts'
import { codeOf, openChangesHarness, sessionId, type ChangesHarness } from './harness.ts'

const diff = [
  '--- a/f\n+++ b/f\n@@ -1 +1 @@\n-one\n+1\n',
  '--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-bye\n',
  '--- /dev/null\n+++ b/new/dir/x\n@@ -0,0 +1 @@\n+x\n',
  'diff --git a/tool b/tool\nold mode 100644\nnew mode 100755\n',
].join('')

async function approved(harness: ChangesHarness): Promise<{ askId: string; before: string[] }> {
  await harness.write('f', 'one\n')
  await harness.write('gone', 'bye\n')
  await harness.write('tool', 'run\n')
  await chmod(join(harness.root, 'gone'), 0o600)
  const before = harness.tree()
  const result = await harness.approve('f', diff)
  if (!result.ok) throw new Error(result.fault.message)
  return { askId: result.value.askId, before }
}

const undo = (harness: ChangesHarness, askId: string) => harness.changes.undo({ askId, root: harness.root })

describe('undoing an approval', () => {
  it('restores bytes, modes and deleted files, and removes new files', async () => {
    await using harness = await openChangesHarness()
    const { askId, before } = await approved(harness)
    expect((await stat(join(harness.root, 'tool'))).mode & 0o111).toBe(0o111)
    expect(await undo(harness, askId)).toEqual({
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
    expect(harness.tree()).toEqual(before)
  })

  it('returns the same result until it is settled, then that there is nothing to undo', async () => {
    await using harness = await openChangesHarness()
    const { askId } = await approved(harness)
    const first = await undo(harness, askId)
    await harness.write('f', 'later\n')
    expect(await undo(harness, askId)).toEqual(first)
    expect(await harness.read('f')).toBe('later\n')
    expect(await harness.changes.unfinishedUndos()).toEqual([askId])
    await harness.changes.settle(askId)
    expect(await harness.changes.unfinishedUndos()).toEqual([])
    expect(codeOf(await undo(harness, askId))).toBe('nothing_to_undo')
    expect(codeOf(await undo(harness, newId()))).toBe('nothing_to_undo')
    expect(codeOf(await undo(harness, '../x'))).toBe('invalid_id')
  })

  it('keeps directories that contain something else now', async () => {
    await using harness = await openChangesHarness()
    const { askId } = await approved(harness)
    await harness.write('new/other', 'mine')
    expect(codeOf(await undo(harness, askId))).toBe('ok')
    expect(await readdir(join(harness.root, 'new'))).toEqual(['other'])
  })

  const later: [what: string, path: string, why: string, work: (root: string) => Promise<void>][] = [
    ['changed', 'f', 'was changed since', (root) => writeFile(join(root, 'f'), 'mine\n')],
    ['deleted', 'f', 'was deleted since', (root) => rm(join(root, 'f'))],
    ['created again', 'gone', 'was created again since', (root) => writeFile(join(root, 'gone'), 'bye\n')],
    ['deleted although it was new', 'new/dir/x', 'was deleted since', (root) => rm(join(root, 'new/dir/x'))],
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
    await using harness = await openChangesHarness()
    const { askId } = await approved(harness)
    await work(harness.root)
    const now = harness.tree()
    const result = await undo(harness, askId)
    expect(result).toMatchObject({ fault: { kind: 'conflict', code: 'undo_conflict', details: { files: [{ path }] } } })
    expect(JSON.stringify(result)).toContain(why)
    expect(harness.tree()).toEqual(now)
    expect(await harness.changes.unfinishedUndos()).toEqual([])
  })

  it('names every file that is in the way', async () => {
    await using harness = await openChangesHarness()
    const { askId } = await approved(harness)
    await writeFile(join(harness.root, 'f'), 'mine\n')
    await rm(join(harness.root, 'tool'))
    const result = await undo(harness, askId)
    expect(!result.ok && result.fault.details?.['files']).toEqual([
      { path: 'f', why: 'was changed since' },
      { path: 'tool', why: 'was deleted since' },
    ])
  })

  it('notices a change at the last moment, and rolls back', async () => {
    let hook: (name: string) => Promise<void> = () => Promise.resolve()
    await using harness = await openChangesHarness({ step: (name) => hook(name) })
    const { askId } = await approved(harness)
    hook = async (name) => {
      if (name === 'moved:1') await writeFile(join(harness.root, 'new/dir/x'), 'mine\n')
    }
    expect(await undo(harness, askId)).toMatchObject({ fault: { code: 'undo_conflict' } })
    expect(await harness.read('f')).toBe('1\n')
    expect(await harness.read('new/dir/x')).toBe('mine\n')
    expect((await readdir(harness.root)).includes('gone')).toBe(false)
  })
})

describe('undoing what an agent was allowed to write itself', () => {
  async function allowed(harness: ChangesHarness): Promise<string> {
    await harness.write('f', 'one\ntwo\n')
    const files = openWorkspace({ root: harness.root, refused: () => Promise.resolve() })
    const askId = newId<string>()
    const edits = [
      { path: 'f', oldText: 'two', newText: '2' },
      { path: 'made/x', oldText: null, newText: 'x\n' },
    ]
    expect(codeOf(await harness.undo.keep({ askId, sessionId, files, edits, paths: [] }))).toBe('ok')
    return askId
  }

  it('restores it, even if the agent changed line ends', async () => {
    await using harness = await openChangesHarness()
    const askId = await allowed(harness)
    await harness.write('f', 'one\n2')
    await harness.write('made/x', 'x\n')
    expect(codeOf(await undo(harness, askId))).toBe('ok')
    expect(await harness.read('f')).toBe('one\ntwo\n')
    expect(await readdir(harness.root)).toEqual(['f'])
  })

  it('leaves out files that it never wrote', async () => {
    await using harness = await openChangesHarness()
    const askId = await allowed(harness)
    expect(codeOf(await undo(harness, askId))).toBe('nothing_to_undo')
    await harness.write('f', 'one\n2\n')
    expect(await undo(harness, askId)).toEqual({ ok: true, value: { restored: [{ path: 'f', outcome: 'restored' }] } })
  })

  it('refuses if something else was written', async () => {
    await using harness = await openChangesHarness()
    const askId = await allowed(harness)
    await harness.write('f', 'something else\n')
    expect(codeOf(await undo(harness, askId))).toBe('undo_conflict')
  })
})
