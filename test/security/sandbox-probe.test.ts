import { spawnSync } from 'node:child_process'
import { lstat, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sandboxWorks } from '../support/agents/processes.ts'
import { long } from '../support/scale.ts'
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

/** What a probe comes to where nothing but the rights of the user holds it. */
const outcomeOf = (scene: Scene, probe: string): Promise<'held' | 'open'> =>
  probes[probe]!(scene).then(
    () => 'held',
    () => 'open',
  )

const [asRoot, ordinary] = standings
const ownMounts = spawnSync('unshare', ['--mount', '--propagation', 'private', 'true']).status === 0

describe.each([
  { as: 'an ordinary user', uid: ordinary.uid, missing: ordinary.missing },
  // With mounts of its own, so that nothing of it stays on this machine. Some reads of the kernel wait for 20 seconds.
  ...(long
    ? [{ as: 'root', uid: undefined, missing: asRoot.missing ?? (ownMounts ? null : 'unshare does not work here') }]
    : []),
])('a hostile agent without isolation, as $as', ({ as, uid, missing }) => {
  let harness: SandboxHarness
  let scene: Scene
  beforeAll(async () => {
    if (missing !== null) return
    harness = await openSandboxHarness({ uid, ownMounts: as === 'root' })
    scene = await openScene(harness, 'none')
  })
  afterAll(async () => {
    await scene?.[Symbol.asyncDispose]()
    await harness?.[Symbol.asyncDispose]()
    if (as === 'root') await rm('/etc/was-here', { force: true })
  })

  it.skipIf(missing !== null).each(documented())('S4 $probe', async ({ probe, none }) => {
    // Nothing holds root.
    expect(await outcomeOf(scene, probe)).toBe(as === 'root' ? 'open' : none)
  })
})
