import { describe, expect, it } from 'vitest'
import type { AgentsConfig } from './definition.ts'
import { agentDefinitions, defaultAgent, unsetSettings } from './presets.ts'

const practice = { command: '/opt/node', args: ['/opt/practice.js'] }
const config: AgentsConfig = {
  defaultAgent: null,
  hostCli: null,
  hostCliArgs: [],
  agents: {},
  acp: { isolation: 'auto', network: 'auto', localPorts: [], budgetUsd: null },
}
const agent = (name: string, more: Partial<AgentsConfig> = {}) =>
  agentDefinitions({ ...config, ...more }, practice).get(name)

describe('presets', () => {
  it('work without configuration, with their programs and how to install them', () => {
    const all = agentDefinitions(config, practice)
    expect([...all].map(([name, { command, args }]) => [name, command, ...args].join(' '))).toEqual([
      'practice /opt/node /opt/practice.js',
      'gemini gemini --acp --skip-trust',
      'claude claude-agent-acp',
      'codex codex-acp',
      'opencode opencode acp',
    ])
    for (const [name, { install }] of all)
      expect(install).toMatch(name === 'practice' ? /comes with Signalbox/ : /npm install -g \S+@\d+\.\d+\.\d+/)
  })

  it('know what each agent needs', () => {
    expect(agent('gemini')?.quirks).toEqual({ missingFileIsEmpty: true, loadAfterMinute: true })
    for (const name of ['practice', 'claude', 'codex', 'opencode'])
      expect(agent(name)?.quirks).toEqual({ missingFileIsEmpty: false, loadAfterMinute: false })
    const offered = ['practice', 'gemini', 'claude', 'codex', 'opencode'].map((name) => [
      agent(name)?.clientFs,
      agent(name)?.clientTerminal,
    ])
    expect(offered).toEqual([
      [true, true],
      [true, false],
      [false, false],
      [false, false],
      [true, false],
    ])
  })

  it('are overridden or extended by the operator’s settings', () => {
    const gemini = agent('gemini', {
      acp: { isolation: 'sandbox', network: 'auto', localPorts: [], budgetUsd: 3 },
      agents: {
        gemini: {
          ...unsetSettings,
          command: '~/bin/gemini',
          env: { GEMINI_MODEL: 'x' },
          passEnv: ['EXTRA'],
          openPaths: ['~/.more'],
          clientFs: false,
          authMethod: 'gateway',
        },
      },
    })
    expect(gemini).toMatchObject({
      title: 'Gemini CLI',
      command: '~/bin/gemini',
      args: ['--acp', '--skip-trust'],
      env: { GEMINI_MODEL: 'x' },
      passEnv: ['GEMINI_*', 'GOOGLE_*', 'EXTRA'],
      openPaths: ['${GEMINI_CLI_HOME:-~}/.gemini', '~/.more'],
      isolation: 'sandbox',
      budgetUsd: 3,
      clientFs: false,
      authMethod: 'gateway',
    })
    expect(gemini?.install).not.toContain('npm')
  })

  it('can be the base of another agent', () => {
    const other = agent('other', {
      agents: { other: { ...unsetSettings, preset: 'claude', isolation: 'none', args: ['-v'] } },
    })
    expect(other).toMatchObject({ name: 'other', title: 'other', command: 'claude-agent-acp', args: ['-v'] })
    expect(other).toMatchObject({ isolation: 'none', clientFs: false, passEnv: expect.arrayContaining(['CLAUDE_*']) })
  })
})

describe("an agent of the operator's own", () => {
  it('is offered files and terminals, and no paths are opened for it', () => {
    const mine = agent('mine', { agents: { mine: { ...unsetSettings, command: 'mine', dialect: 'intercom' } } })
    expect(mine).toMatchObject({ command: 'mine', args: [], clientFs: true, clientTerminal: true, openPaths: [] })
    expect(mine).toMatchObject({ dialect: 'intercom', title: 'mine', isolation: 'auto' })
  })
})

describe('host_cli', () => {
  it('makes the agent "host", with exactly its arguments', () => {
    const more = { hostCli: 'my-cli', hostCliArgs: ['-x'] }
    expect(agent('host', more)).toMatchObject({ command: 'my-cli', args: ['-x'], title: 'my-cli', openPaths: [] })
    expect(agent('host')).toBeUndefined()
  })

  it('that is the program of a preset has the paths and variables of that preset', () => {
    const host = agent('host', { hostCli: '/usr/bin/gemini', hostCliArgs: ['--experimental-acp'] })
    expect(host).toMatchObject({ command: '/usr/bin/gemini', args: ['--experimental-acp'] })
    expect(host?.openPaths).toEqual(agent('gemini')?.openPaths)
    expect(agent('host', { hostCli: 'claude' })?.passEnv).toContain('CLAUDE_*')
  })

  it('is the default unless another is named; without either, the practice agent is', () => {
    expect(defaultAgent(config)).toBe('practice')
    expect(defaultAgent({ ...config, hostCli: 'x' })).toBe('host')
    expect(defaultAgent({ ...config, hostCli: 'x', defaultAgent: 'codex' })).toBe('codex')
  })
})
