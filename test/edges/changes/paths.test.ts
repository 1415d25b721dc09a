import { describe, expect, it } from 'vitest'
import { newId } from '../../../src/lib/id.ts'
import { holds } from '../workspace/harness.ts'
import { hostilePaths, layTraps } from './hostile.ts'
import { codeOf, openChangesHarness, sessionId, treeOf } from './harness.ts'

/** As Git quotes it: nothing in a name can end the line. */
const quoted = (name: string): string =>
  `"${[...Buffer.from(name)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('')}"`

const whole = 'mine\n'

const diffs: [what: string, of: (path: string) => string][] = [
  ['whole content', () => whole],
  ['an edit', (path) => `--- ${quoted(`a/${path}`)}\n+++ ${quoted(`b/${path}`)}\n@@ -1 +1 @@\n-inside\n+mine\n`],
  ['a new file', (path) => `--- /dev/null\n+++ ${quoted(`b/${path}`)}\n@@ -0,0 +1 @@\n+mine\n`],
  ['a deleted file', (path) => `--- ${quoted(`a/${path}`)}\n+++ /dev/null\n@@ -1 +0,0 @@\n-outside\n`],
  [
    'a rename to it',
    (path) =>
      `diff --git a/real/f ${quoted(`b/${path}`)}\nsimilarity index 100%\nrename from real/f\nrename to ${quoted(path)}\n`,
  ],
  [
    'a rename from it',
    (path) =>
      `diff --git ${quoted(`a/${path}`)} b/got\nsimilarity index 100%\nrename from ${quoted(path)}\nrename to got\n`,
  ],
  [
    'a copy from it',
    (path) =>
      `diff --git ${quoted(`a/${path}`)} b/got\nsimilarity index 100%\ncopy from ${quoted(path)}\ncopy to got\n`,
  ],
]

describe.each(holds)('hostile paths, directories held by %s', (hold) => {
  it.each(diffs)('are refused in %s, and nothing is touched', async (_what, diffOf) => {
    await using harness = await openChangesHarness({ hold })
    const { root, outside } = harness
    layTraps(root, outside)
    const before = [treeOf(outside), treeOf(root), treeOf(`${root}/.git`)]
    const paths = hostilePaths(root, outside)
    expect(paths.length).toBeGreaterThan(200)
    const codes = new Map<string, string>()
    for (const path of paths) {
      const diff = diffOf(path)
      // As file_path, and in a diff after a harmless file.
      for (const filePath of diff === whole ? [path] : [path, 'real/f', 'got']) {
        const looked = await harness.changes.look({ root, filePath, diff })
        const files = [filePath, path, 'real/f', 'got'].map((name) => ({ path: name, hash: 'new_file' }))
        const applied = await harness.changes.apply({
          askId: newId(),
          sessionId,
          root,
          filePath,
          diff,
          files,
          force: true,
        })
        for (const result of [looked, applied]) codes.set(`${JSON.stringify(path)} as ${filePath}`, codeOf(result))
      }
    }
    expect([treeOf(outside), treeOf(root), treeOf(`${root}/.git`)]).toEqual(before)
    const known = ['path_violation', 'invalid_diff', 'patch_conflict']
    expect([...codes].filter(([, code]) => !known.includes(code))).toEqual([])
    expect(harness.refusals.length).toBeGreaterThan(150)
    expect(await harness.changes.unfinished()).toEqual([])
  })

  it('as file_path are violations', async () => {
    await using harness = await openChangesHarness({ hold })
    layTraps(harness.root, harness.outside)
    const answers: string[] = []
    for (const path of hostilePaths(harness.root, harness.outside)) {
      const looked = await harness.changes.look({ root: harness.root, filePath: path, diff: 'mine\n' })
      if (codeOf(looked) !== 'path_violation') answers.push(`${JSON.stringify(path)}: ${codeOf(looked)}`)
    }
    expect(answers).toEqual([])
  })
})
