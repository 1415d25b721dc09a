import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { openChangesHarness, treeOf } from '../edges/changes/harness.ts'

const seed = 14
const runs = 400

const parts = [
  '..',
  '.',
  '',
  'a',
  'dir',
  'new',
  'link',
  'up',
  'abs',
  'loop',
  'dangling',
  'file',
  '.git',
  '.GIT',
  'a.txt',
  'secret',
  'deep',
  '~',
  '~root',
  '$HOME',
  '..\u200b',
  '․․',
  '．．',
  'é',
  'e\u0301',
  ' ',
  '...',
  '..;',
  '..\\..',
  'a\\..\\b',
  '%2e%2e',
  'x'.repeat(300),
  'a\0b',
  'a\nb',
  '\ufeff',
  '-rf',
]

it(`S8 no path of any shape gets out of the workspace (seed ${seed}, ${runs} paths, each as content and in a diff)`, async () => {
  await using harness = await openChangesHarness()
  const { root, outside } = harness
  await mkdir(join(root, 'dir'))
  await mkdir(join(root, 'a'))
  await writeFile(join(root, 'file'), 'x\n')
  await symlink(outside, join(root, 'link'))
  await symlink('..', join(root, 'dir', 'up'))
  await symlink(join('..', '..', 'outside'), join(root, 'dir', 'link'))
  await symlink(join(outside, 'secret'), join(root, 'abs'))
  await symlink('loop', join(root, 'loop'))
  await symlink(join(outside, 'not-yet'), join(root, 'dangling'))
  const beside = (): string[] => [
    ...treeOf(outside),
    ...treeOf(dirname(root)).filter((line) => !/\b(?:ws|data)\b/.test(line)),
  ]
  const before = beside()
  const path = fc
    .tuple(
      fc.constantFrom('', '/', './', '../', `${root}/`, `${outside}/`, '//', 'a/../'),
      fc.array(fc.constantFrom(...parts), { minLength: 1, maxLength: 5 }),
    )
    .map(([start, names]) => start + names.join('/'))
  let written = 0
  for (const one of fc.sample(path, { seed, numRuns: runs })) {
    const diff = `--- /dev/null\n+++ b/${one}\n@@ -0,0 +1 @@\n+owned\n`
    const moved = `diff --git a/file b/${one}\nsimilarity index 100%\nrename from file\nrename to ${one}\n`
    for (const [filePath, text] of [
      [one, 'owned\n'],
      [one, diff],
      ['file', moved],
    ] as const) {
      const done = await harness.approve(filePath, text).catch((error: unknown) => {
        throw new Error(`${JSON.stringify(one)}: ${String(error)}`)
      })
      if (!done.ok) continue
      written += 1
      for (const name of done.value.files) {
        const real = realpathSync(dirname(join(root, name)))
        expect(real === root || real.startsWith(`${root}/`), `${JSON.stringify(one)} wrote ${name}`).toBe(true)
        expect(
          name.split('/').some((part) => part.toLowerCase() === '.git'),
          name,
        ).toBe(false)
      }
      await writeFile(join(root, 'file'), 'x\n').catch(() => undefined)
    }
  }
  console.log(
    `paths (seed ${seed}): ${written} of ${runs * 3} writes were inside and done; ${harness.refusals.length} refusals`,
  )
  expect(beside()).toEqual(before)
  expect(written).toBeGreaterThan(20)
  expect(harness.refusals.length).toBeGreaterThan(20)
})
