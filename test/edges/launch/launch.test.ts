import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { presetNames } from '../../../src/config/agents.ts'
import { prepareLaunch } from '../../../src/edges/acp/launch/launch.ts'
import { agentDefinitions } from '../../../src/edges/acp/launch/presets.ts'
import { loadConfig } from '../../../src/config/index.ts'
import { noSandbox, places, prepared, shell, shellAgent, type Places } from './support.ts'

async function fault(at: Places, more: object, agent = shellAgent('true')) {
  const hostEnv = { PATH: process.env['PATH'], HOME: at.home }
  const input = { agent, workspace: at.workspace, sessionId: 's', isolation: 'sandbox', dataDir: at.dataDir } as const
  const result = await prepareLaunch({ ...input, hostEnv, extraWritable: [], ...more })
  return result.ok ? null : result.fault
}

describe('an agent without isolation', () => {
  it('runs as you, in the workspace, and says so', async () => {
    await using at = await places()
    const launch = await prepared(at, shellAgent('pwd; ls -A ~'), { isolation: 'none' })
    expect(launch).toMatchObject({
      isolation: 'none',
      cwd: at.workspace,
      wrap: [],
      argv: ['/bin/sh', '-c', 'pwd; ls -A ~'],
    })
    expect(launch.confinement).toBe(`none: runs as you in ${at.workspace}`)
    expect(await shell(at, 'pwd; ls -A ~', {}, { isolation: 'none' })).toBe(`${at.workspace}\nwork`)
  })

  it('is what "auto" means if bubblewrap is missing or does not work', async () => {
    await using at = await places()
    expect((await prepared(at, shellAgent('true'), { isolation: 'auto', hostEnv: { PATH: at.root } })).isolation).toBe(
      'none',
    )
    await writeFile(join(at.root, 'bwrap'), '#!/bin/sh\necho no namespaces here >&2; exit 1\n', { mode: 0o755 })
    const hostEnv = { PATH: at.root, HOME: at.home }
    expect((await prepared(at, shellAgent('true'), { isolation: 'auto', hostEnv })).isolation).toBe('none')
    expect(await fault(at, { hostEnv })).toMatchObject({
      code: 'sandbox_unavailable',
      message: 'No sandbox: bubblewrap does not work here (no namespaces here).',
      hint: expect.stringContaining('Install the package bubblewrap'),
    })
  })
})

describe('an agent that is not installed', () => {
  it('is unavailable, with how to install it', async () => {
    await using at = await places()
    const config = { defaultAgent: null, hostCli: null, hostCliArgs: [], agents: {} }
    const all = agentDefinitions(
      { ...config, acp: { isolation: 'none', network: 'auto', localPorts: [], budgetUsd: null } },
      { command: 'x', args: [] },
    )
    const gemini = all.get('gemini')
    expect(await fault(at, { isolation: 'none', hostEnv: { PATH: at.root } }, gemini)).toMatchObject({
      kind: 'unavailable',
      code: 'agent_unavailable',
      message: "The agent gemini can't be started: gemini: command not found.",
      hint: expect.stringContaining('npm install -g @google/gemini-cli@'),
    })
  })
})

describe.skipIf(noSandbox)('an agent in the sandbox', () => {
  it('describes its isolation in a sentence, with what it may write', async () => {
    await using at = await places()
    const { confinement, isolation } = await prepared(at, shellAgent('true', { openPaths: ['~/.agent'] }), {
      isolation: 'auto',
    })
    expect(isolation).toBe('sandbox')
    expect(confinement).toBe(
      `sandbox (bubblewrap, seccomp): ${at.workspace} writable (also ${at.home}/.agent) except policy and agent settings, ` +
        `the system read-only, everything else hidden${process.getuid?.() === 0 ? ', no rights of root' : ''}; ` +
        "shares this machine's network: it reaches other programs' ports",
    )
  })

  it('is refused a workspace that contains a home, all temporary files, our data or a part of the system', async () => {
    await using at = await places()
    for (const workspace of [at.home, at.root, '/tmp', '/', at.dataDir, '/etc', '/usr', '/usr/bin', '/proc/self'])
      expect(await fault(at, { workspace, isolation: 'auto' })).toMatchObject({ code: 'workspace_too_wide' })
  })

  it('is refused paths inside our data', async () => {
    await using at = await places()
    await mkdir(join(at.home, 'link'))
    await symlink(at.dataDir, join(at.home, 'data'))
    for (const path of [at.dataDir, join(at.dataDir, 'new'), '~/data/run'])
      for (const agent of [{ openPaths: [path] }, { readPaths: [at.dataDir] }])
        expect(await fault(at, {}, shellAgent('true', agent))).toMatchObject({ code: 'open_path_refused' })
  })

  it('is not led out of the workspace by links in it', async () => {
    await using at = await places()
    await mkdir(join(at.home, 'private'))
    await writeFile(join(at.home, 'private', 'key'), 'hidden')
    await symlink(join(at.home, 'private'), join(at.workspace, 'config'))
    const path = join(at.workspace, 'config')
    expect(
      await shell(at, 'cat config/key 2>/dev/null || echo nothing', { openPaths: [path], readPaths: [path] }),
    ).toBe('nothing')
  })

  it('gets its workspace as an argument, its session, and only variables meant for it', async () => {
    await using at = await places()
    const hostEnv = {
      PATH: process.env['PATH'],
      HOME: at.home,
      SIGNALBOX_TOKEN: 'hidden',
      AWS_SECRET: 'hidden',
      LC_ALL: 'C',
    }
    const agent = { args: ['-c', 'env; echo $0', '{workspace}/x'], env: { MINE: 'yes' } }
    const said = await shell(at, '', agent, { hostEnv })
    expect(said).not.toContain('hidden')
    for (const line of ['MINE=yes', 'LC_ALL=C', 'SIGNALBOX_SESSION_ID=s-1', `${at.workspace}/x`])
      expect(said.split('\n')).toContain(line)
  })
})

describe('the configuration', () => {
  it('has the same presets as the edge, and values the edge accepts', () => {
    const loaded = loadConfig({ env: {}, dataDir: '/nonexistent' })
    if (!loaded.ok) throw new Error('the defaults are faulty')
    const all = agentDefinitions(loaded.value.config, { command: 'node', args: [] })
    expect([...all.keys()]).toEqual([...presetNames])
  })
})
