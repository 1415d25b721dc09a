import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { lookAtOnce, rememberLocal } from './local-directories.ts'

let folder: string
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'sbld-')))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('an unknown path is not looked at, because its disk may hang', () => {
  expect(lookAtOnce(folder)).toBeNull()
})

test.runIf(process.platform === 'linux')(
  'a known path is read each time: a replaced directory is seen at once',
  async () => {
    const work = join(folder, 'work')
    mkdirSync(work)
    await rememberLocal(work)
    const first = lookAtOnce(work)
    expect(first?.real).toBe(work)
    renameSync(work, join(folder, 'old'))
    expect(lookAtOnce(work)).toEqual({ real: null, named: null })
    symlinkSync(join(folder, 'old'), work)
    const linked = lookAtOnce(work)
    expect(linked?.real).toBe(join(folder, 'old'))
    expect(linked?.named?.isSymbolicLink()).toBe(true)
  },
)

test('a path on a file system that may wait for a network is not remembered', async () => {
  await rememberLocal('/proc/self')
  await rememberLocal(join(folder, 'none'))
  expect([lookAtOnce('/proc/self'), lookAtOnce(join(folder, 'none'))]).toEqual([null, null])
})
