import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sandboxWorks } from '../support/agents/processes.ts'
import { cleanEnv, runCli, startServer } from '../support/server.ts'

type Check = { name: string; status: string; detail: string; hint: string | null }

const isRoot = process.getuid?.() === 0
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sbd-'))
  await mkdir(join(folder, 'empty'))
  await mkdir(join(folder, 'broken'))
  await writeFile(
    join(folder, 'broken', 'bwrap'),
    '#!/bin/sh\necho No permissions to create new namespace >&2; exit 1\n',
    {
      mode: 0o755,
    },
  )
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Output of doctor with this configuration and PATH, with and without a server. */
async function looked(options: { config?: string; path?: string }): Promise<Check[][]> {
  const env = options.path === undefined ? {} : { PATH: options.path }
  await using server = await startServer({ ...(options.config !== undefined && { config: options.config }), env })
  const running = JSON.parse((await server.cli('doctor', '--json')).stdout) as Check[]
  const home = await mkdtemp(join(folder, 'home-'))
  if (options.config !== undefined) await writeFile(join(home, 'config.toml'), options.config)
  const alone = await runCli(['doctor', '--json'], cleanEnv({ SIGNALBOX_HOME: home, SIGNALBOX_HTTP_PORT: '0', ...env }))
  return [running, JSON.parse(alone.stdout) as Check[]]
}

const about = (checks: Check[] | undefined, name: string) =>
  checks?.find((check) => check.name.replace('server: ', '') === name)

describe('signalbox doctor', () => {
  it.runIf(sandboxWorks())('S4 says which confinement is in force', async () => {
    for (const checks of await looked({})) {
      expect(about(checks, 'agent sandbox')).toMatchObject({
        status: 'ok',
        detail: expect.stringMatching(
          isRoot
            ? /^bubblewrap \(\/.+bwrap\), a user namespace, an ordinary user inside, though the server runs as root$/
            : /^bubblewrap \(\/.+bwrap\), a user namespace, the same user inside$/,
        ),
        hint: null,
      })
      expect(about(checks, 'agent system calls')).toMatchObject({
        status: 'ok',
        detail: expect.stringContaining('seccomp'),
      })
      expect(/useradd/.test(about(checks, 'agent rights')?.hint ?? '')).toBe(isRoot)
    }
  })

  it('S4 without bubblewrap says that agents run as you, and how to install it', async () => {
    for (const checks of await looked({ path: join(folder, 'empty') }))
      expect(about(checks, 'agent sandbox')).toMatchObject({
        status: 'warn',
        detail: expect.stringMatching(/not installed; agents run as you/),
        hint: expect.stringMatching(/^Install it with: .*bubblewrap/),
      })
  })

  it('S4 says why bubblewrap does not work, and what to do', async () => {
    const config = '[acp]\nisolation = "sandbox"\n'
    for (const checks of await looked({ config, path: join(folder, 'broken') }))
      expect(about(checks, 'agent sandbox')).toMatchObject({
        status: 'warn',
        detail: expect.stringMatching(/No permissions to create new namespace.*agents are refused/),
        hint: expect.stringMatching(/sysctl -w|--unshare-user/),
      })
  })

  it('S4 says that it was turned off', async () => {
    for (const checks of await looked({ config: '[acp]\nisolation = "none"\n' }))
      expect(about(checks, 'agent sandbox')).toMatchObject({
        status: 'warn',
        detail: expect.stringMatching(/acp.isolation = "none".*run as you/),
        hint: expect.stringMatching(/acp.isolation/),
      })
  })
})
