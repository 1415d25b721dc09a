import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, rmSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { textOf } from '../../src/edges/workspace/workspace-files.ts'
import { createFiles, createRandom } from '../edges/changes/random.ts'
import { openChangesHarness, treeOf } from '../edges/changes/harness.ts'
import { figure, scale } from '../support/scale.ts'

const rounds = scale({ test: 60, long: 250 })
// In memory if possible: this tests the diffs, not the disk.
const base = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null', LC_ALL: 'C' }
const ways = ['-M', '-C -C', '--no-renames', '-M -U0', '-M -U1', '-M --no-prefix', '-B -M', '-M -U10'] as const

const shell = (cwd: string, script: string): Buffer => execFileSync('/bin/sh', ['-ec', script], { cwd, env })

/** Git ignores empty directories. */
const filesIn = (directory: string): string[] => treeOf(directory).filter((entry) => !entry.endsWith(' other'))
/** Of the mode, Git stores only the execute bit. */
const asGit = (entries: string[]): string[] =>
  entries.map((entry) =>
    entry.replace(/ (\d+) (?=[\da-f]+$)/, (_all, mode: string) => ` ${Number.parseInt(mode, 8) & 0o100} `),
  )

function nextDiff(twin: string, before: string, how: string): { tree: string; names: string[]; diff: string | null } {
  const output = shell(
    twin,
    `git add -A; t=$(git write-tree); echo $t; git diff --no-renames --name-only -z ${before} $t; echo; git ${how} ${before} $t`,
  )
  const [treeEnd, namesEnd] = [output.indexOf('\n'), output.lastIndexOf(0)]
  return {
    tree: output.subarray(0, treeEnd).toString(),
    names: output
      .subarray(treeEnd + 1, namesEnd)
      .toString()
      .split('\0'),
    diff: textOf(output.subarray(namesEnd + 2)),
  }
}

describe('random edits, as git diff shows them', () => {
  it.each(scale({ test: [1, 2], long: [1, 2, 3, 4] }))(
    'apply and undo byte for byte, seed %i',
    { timeout: 180_000 },
    async (seed) => {
      await using harness = await openChangesHarness({ base })
      const random = createRandom(seed)
      const twin = join(harness.root, '..', 'twin')
      await mkdir(twin)
      const { make, work, files } = createFiles(twin, random)
      for (let count = 0; count < 12; count += 1) make()
      let before = shell(twin, 'git init -q; git add -A; git write-tree').toString().trim()
      const done: { askId: string; was: string[]; note: string }[] = []
      let undone = 0
      const copy = () => {
        rmSync(harness.root, { recursive: true })
        cpSync(twin, harness.root, { recursive: true, filter: (path) => path !== join(twin, '.git') })
      }
      const undoAll = async () => {
        for (const { askId, was, note } of done.splice(0).toReversed()) {
          const back = await harness.changes.undo({ askId, root: harness.root })
          expect(back.ok ? 'ok' : back.fault.message, note).toBe('ok')
          expect(filesIn(harness.root), note).toEqual(was)
          await harness.changes.settle(askId)
          undone += 1
        }
      }
      copy()
      for (let round = 0; undone + done.length < rounds; round += 1) {
        for (let count = 1 + random.below(4); count > 0; count -= 1) work()
        for (let few = files.size; few < 4; few += 1) make()
        const how = `-c core.quotepath=${random.pick(['on', 'off'])} diff --no-color ${random.pick(ways)}`
        const { tree, names, diff } = nextDiff(twin, before, how)
        const isSame = tree === before
        before = tree
        if (isSame) continue
        // A string can't hold bytes that are not text.
        if (diff === null) {
          await undoAll()
          copy()
          continue
        }
        const note = `seed ${seed}, round ${round}, ${how}\n${diff}`
        const was = filesIn(harness.root)
        const result = await harness.approve(names[random.below(names.length)] ?? '', diff)
        if (!result.ok) throw new Error(`${result.fault.message}\n${note}`)
        expect(asGit(filesIn(harness.root)), note).toEqual(asGit(filesIn(twin)))
        done.push({ askId: result.value.askId, was, note })
      }
      await undoAll()
      figure(`git diffs applied and undone, seed ${seed}`, `${undone}`)
      expect(undone).toBe(rounds)
      expect(await harness.changes.unfinished()).toEqual([])
      expect(filesIn(harness.root).filter((entry) => entry.includes('.tmp'))).toEqual([])
    },
  )
})
