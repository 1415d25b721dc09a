import { randomBytes } from 'node:crypto'
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { codeOf, openChangesHarness } from '../edges/changes/harness.ts'
import { smallDisk } from '../support/broken-disk.ts'

const megabyte = 1024 * 1024

const move = (name: string) =>
  `diff --git a/${name} b/new/${name}\nsimilarity index 100%\nrename from ${name}\nrename to new/${name}\n`

/** Takes all the space but this much, in blocks of 64 KiB. */
function leave(free: number, path: string): void {
  writeFileSync(path, '')
  try {
    for (;;) writeFileSync(path, Buffer.alloc(65_536), { flag: 'a' })
  } catch {
    const spare = join(path, '..', 'spare')
    rmSync(path)
    writeFileSync(spare, Buffer.alloc(free))
    try {
      for (;;) writeFileSync(path, Buffer.alloc(65_536), { flag: 'a' })
    } catch {
      rmSync(spare)
    }
  }
}

it('a disk that fills up in the middle of a change leaves every file as it was, and nothing behind', async (context) => {
  using disk = smallDisk(16, context)
  await using harness = await openChangesHarness({ base: disk.path })
  for (const name of ['big', 'other']) writeFileSync(join(harness.root, name), randomBytes(megabyte))
  const before = harness.tree()
  const filler = join(disk.path, 'filler')
  const codes: string[] = []
  for (let free = 0; free < 12; free += 0.5) {
    leave(free * megabyte, filler)
    const result = await harness.approve('big', move('big') + move('other'))
    const left = [harness.tree(), readdirSync(join(harness.dataDir, 'journal'))]
    rmSync(filler)
    codes.push(codeOf(result))
    const undone = result.ok ? await harness.changes.undo({ askId: result.value.askId, root: harness.root }) : null
    expect(undone?.ok ?? true).toBe(true)
    if (result.ok) await harness.changes.settle(result.value.askId)
    expect(result.ok ? harness.tree() : left[0], `${free} MB free`).toEqual(before)
    expect(left[1], `${free} MB free`).toEqual([])
    rmSync(join(harness.dataDir, 'undo'), { recursive: true, force: true })
  }
  expect(new Set(codes)).toEqual(new Set(['disk_full', 'ok']))
})
