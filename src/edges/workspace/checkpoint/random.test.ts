import { lstatSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openCheckpointHarness, type CheckpointHarness } from '../../../../test/support/checkpoint-harness.ts'
import { scale } from '../../../../test/support/scale.ts'

let harness: CheckpointHarness
beforeEach(() => {
  harness = openCheckpointHarness()
})
afterEach(() => harness.remove())

/** Small and repeatable; not for secrets. */
function dice(seed: number) {
  let state = seed
  const next = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
  const below = (most: number) => Math.floor(next() * most)
  return {
    below,
    of: <T>(list: readonly [T, ...T[]]): T => list[below(list.length)] ?? list[0],
    chance: (p: number) => next() < p,
  }
}

const names = [
  'a',
  'b',
  'zwei',
  'ünïcödé',
  'with space',
  'new\nline',
  'tab\tbed',
  '"quoted"',
  'back\\slash',
  '-dash',
  '日本',
] as const

function randomBytes(random: ReturnType<typeof dice>): Uint8Array {
  const seed = Uint8Array.from({ length: random.of([1, 7, 300] as const) }, () =>
    random.of([13, 10, 65, 0xc3, 0, 0xff] as const),
  )
  return Buffer.alloc(random.of([0, 1, 10, 1000, 5000, 1_200_000] as const), seed)
}

function grow(random: ReturnType<typeof dice>, count: number): void {
  for (let index = 0; index < count; index += 1) {
    const depth = random.below(4)
    const path = [...Array.from({ length: depth }, () => `d-${random.of(names)}`), `${random.of(names)}${index}`].join(
      '/',
    )
    if (random.chance(0.15)) {
      mkdirSync(dirname(join(harness.root, path)), { recursive: true })
      symlinkSync(random.of(['../..', 'nowhere', '/etc/hostname', 'a'] as const), join(harness.root, path))
    } else harness.write(path, randomBytes(random), random.of([0o644, 0o755, 0o600, 0o640] as const))
  }
}

/** Changes about a third of the files, and adds some. */
function stir(random: ReturnType<typeof dice>): void {
  for (const path of harness.picture().keys()) {
    if (random.chance(0.65)) continue
    rmSync(join(harness.root, path), { force: true })
    const turn = random.below(5)
    if (turn === 0) continue
    if (turn === 1) harness.write(path, randomBytes(random))
    else if (turn === 2) symlinkSync('/etc/passwd', join(harness.root, path))
    else if (turn === 3) harness.write(`${path}/now-a-directory`, 'new')
    else harness.write(path, 'other', 0o755)
  }
  const directories = readdirSync(harness.root).filter(
    (name) => lstatSync(join(harness.root, name)).isDirectory() && name !== '.git',
  )
  for (const name of directories) {
    if (random.chance(0.7)) continue
    rmSync(join(harness.root, name), { recursive: true })
    if (random.chance(0.5)) symlinkSync(harness.base, join(harness.root, name))
    else writeFileSync(join(harness.root, name), 'a file where a directory was')
  }
}

describe.each(['in a Git repository', 'without Git'] as const)('a checkpoint %s', (where) => {
  beforeEach(() => {
    if (where === 'in a Git repository') harness.initGit()
  })

  it.each(Array.from({ length: scale({ test: 2, long: 20 }) }, (_, seed) => seed + 1))(
    'comes back byte for byte from random trees, seed %i',
    async (seed) => {
      const random = dice(seed * 7919)
      grow(random, 50)
      const before = harness.picture()
      const taken = await harness.take()
      expect(taken.fileCount).toBe(before.size)
      stir(random)
      const { failed } = await harness.restore(taken)
      expect(failed).toEqual([])
      const after = harness.picture()
      for (const [path, what] of before) expect(after.get(path), path).toBe(what)
      expect(await harness.compare(taken.tree)).toMatchObject({ modified: [], deleted: [] })
      // A second restore changes nothing.
      expect(await harness.restore(taken)).toMatchObject({ restored: [], recreated: [] })
      expect(harness.picture()).toEqual(after)
    },
  )
})
