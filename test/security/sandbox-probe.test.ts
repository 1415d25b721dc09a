import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sandboxWorks } from '../support/agents/processes.ts'
import { until } from '../support/until.ts'
import { documented, openScene, probes, type Scene } from './hostile-probes.ts'
import { openSandboxHarness, standings, type SandboxHarness } from './sandbox-harness.ts'

it('S4 the table in docs/security.md has a line for each probe, and no others', () => {
  expect(documented().map(({ probe }) => probe)).toEqual(Object.keys(probes))
})

describe.each(standings)('a hostile agent in the sandbox of $as', ({ uid, missing }) => {
  const skipped = missing ?? (sandboxWorks() ? null : 'bubblewrap does not work here')
  let harness: SandboxHarness
  let scene: Scene
  beforeAll(async () => {
    if (skipped !== null) return
    harness = await openSandboxHarness({ uid })
    scene = await openScene(harness, 'sandbox')
  })
  afterAll(async () => {
    await scene?.[Symbol.asyncDispose]()
    await harness?.[Symbol.asyncDispose]()
  })

  it.skipIf(skipped !== null).each(Object.entries(probes))('S4 %s', async (_, probe) => {
    await expect(probe(scene)).resolves.toBeUndefined()
  })

  it.skipIf(skipped !== null)('S4 leaves nothing in the workspace but what it wrote', async () => {
    await harness.end(scene.session)
    await until(async () => !(await readdir(scene.workspace)).includes('.signalbox'), { what: 'the directories gone' })
    const left = await readdir(scene.workspace)
    expect(left.sort()).toEqual(['.git', 'AGENTS.md', 'sub'])
    for (const name of left) expect((await lstat(join(scene.workspace, name))).mode & 0o6000).toBe(0)
  })
})

// Root without any isolation could do everything to this machine, so only an ordinary user tries.
const [, ordinary] = standings
describe('a hostile agent without isolation, as an ordinary user', () => {
  let harness: SandboxHarness
  let scene: Scene
  beforeAll(async () => {
    if (ordinary.missing !== null) return
    harness = await openSandboxHarness({ uid: ordinary.uid })
    scene = await openScene(harness, 'none')
  })
  afterAll(async () => {
    await scene?.[Symbol.asyncDispose]()
    await harness?.[Symbol.asyncDispose]()
  })

  it.skipIf(ordinary.missing !== null).each(documented())('S4 $probe: $none', async ({ probe, none }) => {
    const held = await probes[probe]!(scene).then(
      () => 'held',
      () => 'open',
    )
    expect(held).toBe(none)
  })
})
