import { chmod } from 'node:fs/promises'
import { dirname } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openScene, probes, type Scene } from '../security/hostile-probes.ts'
import { openSandboxHarness, standings, type SandboxHarness } from '../security/sandbox-harness.ts'
import { engineSocket } from '../support/engines.ts'
import { long } from '../support/scale.ts'
import { engines } from './container-harness.ts'

const tried = engines
  .flatMap((engine) =>
    standings.map(({ as, uid, missing }) => ({ name: engine.name, as, uid, missing: engine.missing ?? missing })),
  )
  .filter((_, index) => long || index === 0)

describe.each(tried)('a hostile agent in a container of $name, with a server of $as', ({ name, uid, missing }) => {
  let harness: SandboxHarness
  let scene: Scene
  beforeAll(async () => {
    if (missing !== null) return
    const socket = engineSocket(name)
    // As for members of the group docker.
    await chmod(dirname(socket), 0o755)
    await chmod(socket, 0o666)
    harness = await openSandboxHarness({
      uid,
      config: `\n[containers]\nengine = ${JSON.stringify(socket)}\nmax = 100\n`,
    })
    scene = await openScene(harness, 'container')
  })
  afterAll(async () => {
    await scene?.[Symbol.asyncDispose]()
    await harness?.[Symbol.asyncDispose]()
  })

  it.skipIf(missing !== null).each(Object.entries(probes))('S4 %s', async (_, probe) => {
    await expect(probe(scene)).resolves.toBeUndefined()
  })
})
