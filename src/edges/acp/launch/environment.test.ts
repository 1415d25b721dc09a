import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { agentEnvironment } from './environment.ts'
import { agentDefinitions, unsetSettings } from './presets.ts'

const acp = { isolation: 'none', network: 'auto', localPorts: [], budgetUsd: null } as const
const config = { defaultAgent: null, hostCli: null, hostCliArgs: [], agents: {}, acp }

async function environment(name: string, hostEnv: NodeJS.ProcessEnv, env: Record<string, string> = {}) {
  const agent = agentDefinitions(config, { command: 'node', args: [] }).get(name)
  if (agent === undefined) throw new Error(`no agent ${name}`)
  return agentEnvironment({ agent: { ...agent, env }, hostEnv, sessionId: 's-1', nodeDirectory: '/opt/node/bin' })
}

describe('the environment of an agent', () => {
  it('has what every program needs, what the preset names, and nothing else of ours', async () => {
    const hostEnv = {
      PATH: '/bin',
      HOME: '/home/you',
      LC_TIME: 'C',
      https_proxy: 'http://proxy',
      XDG_CACHE_HOME: '/cache',
      SSL_CERT_FILE: '/certs',
      GEMINI_API_KEY: 'key',
      OPENAI_API_KEY: 'other',
      DATABASE_URL: 'secret',
      SSH_AUTH_SOCK: '/sock',
      NODE_OPTIONS: '--inspect',
      COLORTERM: 'truecolor',
      SIGNALBOX_TOKEN: 'secret',
      SIGNALBOX_HOME: '/data',
    }
    expect(
      Object.keys(await environment('gemini', hostEnv))
        .sort()
        .join(' '),
    ).toBe('GEMINI_API_KEY HOME LC_TIME PATH SIGNALBOX_SESSION_ID SSL_CERT_FILE XDG_CACHE_HOME https_proxy')
    expect(await environment('codex', hostEnv)).toMatchObject({ OPENAI_API_KEY: 'other', SIGNALBOX_SESSION_ID: 's-1' })
  })

  it('has what is configured for it, over ours and over its defaults', async () => {
    const env = await environment('claude', { DISABLE_AUTOUPDATER: '0', HOME: '/a' }, { HOME: '/b', EXTRA: 'x' })
    expect(env).toMatchObject({ DISABLE_AUTOUPDATER: '0', HOME: '/b', EXTRA: 'x' })
    expect(await environment('claude', {})).toMatchObject({ DISABLE_AUTOUPDATER: '1' })
    expect(await environment('claude', {}, { SIGNALBOX_TOKEN: 'x', SIGNALBOX_SESSION_ID: 'x' })).toMatchObject({
      SIGNALBOX_SESSION_ID: 's-1',
    })
    expect(await environment('claude', {}, { SIGNALBOX_TOKEN: 'x' })).not.toHaveProperty('SIGNALBOX_TOKEN')
  })

  it('has our Node at the end of the PATH if there is no other', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'environment-'))
    expect((await environment('codex', { PATH: directory }))['PATH']).toBe(`${directory}:/opt/node/bin`)
    await writeFile(join(directory, 'node'), '', { mode: 0o755 })
    expect((await environment('codex', { PATH: directory }))['PATH']).toBe(directory)
    await rm(directory, { recursive: true })
  })
})

describe('the servers that agents open', () => {
  it('have a new password for each start, unless one is set', async () => {
    const name = 'OPENCODE_SERVER_PASSWORD'
    const [one, two] = [await environment('opencode', {}), await environment('opencode', {})]
    expect(one[name]).toMatch(/^\S{40,}$/)
    expect(two[name]).not.toBe(one[name])
    expect((await environment('opencode', { [name]: 'mine' }))[name]).toBe('mine')
    expect(await environment('gemini', {})).not.toHaveProperty(name)
  })

  it('are a hub of its own for each session of Cline', async () => {
    const cline = { ...unsetSettings, command: 'cline', args: ['--acp'] }
    const agent = agentDefinitions({ ...config, agents: { cline } }, { command: 'node', args: [] }).get('cline')!
    const of = (sessionId: string, hostEnv = {}) =>
      agentEnvironment({
        agent: { ...agent, passEnv: ['CLINE_*'] },
        hostEnv,
        sessionId,
        nodeDirectory: '/opt/node/bin',
      })
    const [one, two] = [await of('s-1'), await of('s-2')]
    expect(one['CLINE_HUB_DISCOVERY_PATH']).toContain('s-1')
    expect(two['CLINE_HUB_PORT']).not.toBe(one['CLINE_HUB_PORT'])
    expect(await of('s-1', { CLINE_HUB_PORT: '9' })).toMatchObject({ CLINE_HUB_PORT: '9' })
  })

  it('have one under any configured name', () => {
    const kilo = { ...unsetSettings, command: '/opt/bin/kilo', args: ['acp'] }
    const own = agentDefinitions({ ...config, agents: { mine: kilo } }, { command: 'node', args: [] }).get('mine')
    expect(own?.passwords).toEqual(['KILO_SERVER_PASSWORD'])
  })
})

describe('OpenCode', () => {
  const content = async (own?: string) =>
    (await environment('opencode', own === undefined ? {} : { OPENCODE_CONFIG_CONTENT: own }))[
      'OPENCODE_CONFIG_CONTENT'
    ]
  const ask = { edit: 'ask', bash: 'ask', webfetch: 'ask' }

  it('is configured to ask, besides its other settings', async () => {
    expect(JSON.parse((await content()) ?? '')).toEqual({ permission: ask })
    expect(JSON.parse((await content('{"model":"m"}')) ?? '')).toEqual({ model: 'm', permission: ask })
  })

  it('is left as it is if the operator has set it', async () => {
    expect(JSON.parse((await content('{"permission":{"edit":"allow"}}')) ?? '')).toEqual({
      permission: { ...ask, edit: 'allow' },
    })
    expect(JSON.parse((await content('{"permission":"deny"}')) ?? '')).toEqual({ permission: 'deny' })
    expect(await content('// not JSON')).toBe('// not JSON')
  })
})
