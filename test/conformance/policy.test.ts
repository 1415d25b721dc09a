import { mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Api } from '../support/api.ts'
import { cleanEnv, runCli } from '../support/server.ts'
import { until } from '../support/until.ts'
import { gitDiff, type McpHarness, type Place } from './mcp-harness.ts'
import { hostileCommands } from './hostile-commands.ts'
import { notes, openOperationsHarness } from './operations-harness.ts'
import type { Ask } from './shapes.ts'
import { exportLog, openAsk, startSession } from './work.ts'

const config = `[commands]
test = "npm test"
units = "npm run test:*"
log = "git log --oneline *"
dump = { command = "ls | wc -l", shell = true }
`

describe('the policy of a workspace', () => {
  let harness: McpHarness
  let agent: Api
  beforeAll(async () => {
    harness = await openOperationsHarness({ config })
    agent = harness.server.api(harness.token)
  })
  afterAll(() => harness?.[Symbol.asyncDispose]())

  /** An agent in its own workspace. */
  async function work(settings?: Record<string, unknown>, at?: Place) {
    const place = at ?? (await harness.place())
    if (settings) await place.policy(settings)
    const session = await startSession(agent, { workspaceRoot: place.path })
    const ask = (more: Record<string, unknown>) => openAsk(agent, session, more)
    return {
      place,
      session,
      ask,
      command: (command: string, more: Record<string, unknown> = {}) =>
        ask({ subject: { kind: 'command', command, cwd: place.path }, ...more }),
      file: (filePath: string, more: Record<string, unknown> = {}) =>
        ask({ subject: { kind: 'diff', filePath, diff: 'whole content\n' }, ...more }),
    }
  }

  const automatic = (rule: string) => ({
    status: 'answered',
    automatic: true,
    answeredBy: `policy:${rule}`,
    answer: { outcome: 'approve' },
  })
  const asked = { status: 'open', automatic: false, answeredBy: null }

  it('R19 commands, files and tools are answered by a matching rule, which is named', async () => {
    const { command, file, ask } = await work({
      enabled: true,
      commands: ['npm test', 'git log *'],
      tools: ['remote_log'],
      file_patterns: { write: ['docs/**'], read: ['src/**'] },
    })
    expect(await command('npm test')).toMatchObject(automatic('command:npm test'))
    expect(await command('git log --oneline main')).toMatchObject(automatic('command:git log *'))
    expect(await file('docs/a/b.md')).toMatchObject(automatic('file_pattern:write:docs/**'))
    const tool = (name: string, input: unknown) => ask({ subject: { kind: 'tool', tool: name, input } })
    expect(await tool('remote_log', { message: 'hi' })).toMatchObject(automatic('tool:remote_log'))
    expect(await tool('read_file', { path: 'src/a.ts' })).toMatchObject(automatic('file_pattern:read:src/**'))
    expect(await tool('write_file', { path: 'src/a.ts' })).toMatchObject(asked)
    expect(await tool('other_tool', {})).toMatchObject(asked)
    expect(await file('src/a.ts')).toMatchObject(asked)
    expect(await command('npm install')).toMatchObject(asked)
  })

  it('R19 deny by default: no file, an empty one, or one that does not say enabled answers nothing', async () => {
    for (const settings of [undefined, {}, { commands: ['*'] }, { enabled: false, commands: ['*'], tools: ['x'] }]) {
      const { command, file } = await work(settings)
      expect(await command('npm test')).toMatchObject(asked)
      expect(await file('docs/a.md')).toMatchObject(asked)
    }
  })

  it('R19 .monocoque/settings.json applies if .signalbox/settings.json is missing', async () => {
    const place = await harness.place()
    await place.write('.monocoque/settings.json', '{"enabled":true,"commands":["npm test"]}')
    const { command } = await work(undefined, place)
    expect(await command('npm test')).toMatchObject(automatic('command:npm test'))
    await place.policy({ enabled: false })
    expect(await command('npm test')).toMatchObject(asked)
  })

  const settingsFile = '.signalbox/settings.json'
  const writes = (...write: string[]) => JSON.stringify({ enabled: true, file_patterns: { write } })

  it('R19 a change that allows no more applies within 5 seconds, without a restart', async () => {
    const { place, file } = await work({ enabled: true, file_patterns: { write: ['a/**', 'b/**'] } })
    expect(await file('a/x')).toMatchObject({ status: 'answered' })
    await place.write(settingsFile, writes('b/**'))
    const changed = performance.now()
    await until(async () => (await file('a/x')).status === 'open', { seconds: 5 })
    expect(performance.now() - changed).toBeLessThan(5000)
    expect(await file('b/x')).toMatchObject({ status: 'answered' })
    await rm(join(place.path, '.signalbox'), { recursive: true })
    await until(async () => (await file('b/x')).status === 'open', { seconds: 5 })
  })

  it('R19 S7 a change that allows more applies within 5 seconds if no agent is running, or once it is confirmed', async () => {
    const { place, session, file } = await work({ enabled: true, file_patterns: { write: ['a/**'] } })
    expect(await file('a/x')).toMatchObject({ status: 'answered' })
    await place.policy({ enabled: true, file_patterns: { write: ['a/**', 'b/**'] } })
    await until(async () => (await file('b/x')).status === 'answered', { seconds: 5 })
    await harness.owner.post(`/api/sessions/${session.id}/complete`)
    await until(async () => (await events('policy.noted', place.path)) >= 2)
    await place.write(settingsFile, writes('c/**'))
    const next = await work(undefined, place)
    expect(await next.file('c/x')).toMatchObject({ status: 'answered' })
    expect(await next.file('a/x')).toMatchObject(asked)
  })

  const events = async (type: string, workspaceRoot: string): Promise<number> =>
    (await exportLog(harness.owner, `type=${type}`)).filter(({ data }) => data['workspaceRoot'] === workspaceRoot)
      .length

  it.each([
    ['that is not JSON', '{"enabled": true, "commands": ["npm test"]'],
    ['with comments', '{"enabled": true, /* all */ "commands": ["npm test"]}'],
    ['with an unknown key', '{"enabled": true, "commands": ["npm test"], "comands": []}'],
    ['with a wrong type', '{"enabled": true, "commands": "npm test"}'],
    ['with a key twice', '{"enabled": false, "enabled": true, "commands": ["npm test"]}'],
    ['with a wrong threshold', '{"enabled": true, "commands": ["npm test"], "risk_level_threshold": "critical"}'],
  ])('R19 a file %s: nothing is automatic, and log and session say so', async (_name, text) => {
    const { place, session, command } = await work()
    await place.write('.signalbox/settings.json', text)
    expect(await command('npm test')).toMatchObject(asked)
    await until(async () => (await notes(harness, session.id)).some((note) => note.includes('nothing is automatic')))
    expect(harness.server.log()).toContain(place.path)
    const shown = await harness.owner.get<{ faults: unknown[] }>(
      `/api/policy?workspaceRoot=${encodeURIComponent(place.path)}`,
    )
    expect(shown).toMatchObject({ file: null, faults: [{ message: expect.any(String) }] })
  })

  it('R19 the threshold: high risk only if the policy says so, critical never', async () => {
    const low = await work({ enabled: true, commands: ['*'], file_patterns: { write: ['**'] } })
    expect(await low.command('npm test', { riskLevel: 'high' })).toMatchObject(asked)
    expect(await low.file('a.txt', { riskLevel: 'critical' })).toMatchObject(asked)
    const high = await work({
      enabled: true,
      commands: ['*'],
      tools: ['deploy'],
      file_patterns: { write: ['**'] },
      risk_level_threshold: 'high',
    })
    expect(await high.command('npm test', { riskLevel: 'high' })).toMatchObject({ status: 'answered' })
    for (const subject of [
      { kind: 'command', command: 'npm test', cwd: high.place.path },
      { kind: 'tool', tool: 'deploy', input: {} },
      { kind: 'diff', filePath: 'a.txt', diff: 'x\n' },
    ])
      expect(await high.ask({ subject, riskLevel: 'critical' })).toMatchObject(asked)
  })

  it('R19 a diff is automatic only when every file in it matches', async () => {
    const { ask, place } = await work({ enabled: true, file_patterns: { write: ['docs/**'] } })
    await place.write('docs/a.md', 'old\n')
    await place.write('src/b.ts', 'old\n')
    const within = await gitDiff({ 'docs/a.md': 'old\n' }, { 'docs/a.md': 'new\n', 'docs/n.md': 'n\n' })
    const beyond = await gitDiff(
      { 'docs/a.md': 'old\n', 'src/b.ts': 'old\n' },
      { 'docs/a.md': 'new\n', 'src/b.ts': 'new\n' },
    )
    const moved = await gitDiff({ 'src/b.ts': 'old\nold\nold\n' }, { 'src/b.ts': null, 'docs/b.ts': 'old\nold\nold\n' })
    const diff = (text: string, filePath: string) => ask({ subject: { kind: 'diff', filePath, diff: text } })
    expect(await diff(within, 'docs/a.md')).toMatchObject({ status: 'answered' })
    expect(await diff(beyond, 'docs/a.md')).toMatchObject(asked)
    expect(await diff(moved, 'docs/b.ts')).toMatchObject(asked)
    const one = (await gitDiff({ 'src/b.ts': 'old\n' }, { 'src/b.ts': 'new\n' })).replaceAll('\n', '\n')
    expect(await diff(one, 'docs/a.md')).toMatchObject(asked)
  })

  it.each([
    '.signalbox/settings.json',
    'sub/.signalbox/settings.json',
    '.monocoque/settings.json',
    '.SIGNALBOX/settings.json',
    '.git/hooks/pre-commit',
    'sub/.git/config',
    '.GIT/config',
    '.gitmodules',
    '.envrc',
    'sub/.envrc',
    '.vscode/tasks.json',
    '.idea/workspace.xml',
    '.zed/tasks.json',
    '.mcp.json',
    '.claude/settings.json',
    '.husky/pre-commit',
    './.envrc',
    'docs/../.envrc',
    '../elsewhere.txt',
    '/etc/passwd',
  ])('R19 R22 %s is never automatic, whatever the patterns say', async (path) => {
    const { ask, file } = await work({
      enabled: true,
      tools: ['read_file'],
      file_patterns: {
        write: ['**', '**/.*', '**/.*/**', '.*/**', '.envrc', '.git/**', '.vscode/**', '.signalbox/**', '../**'],
        read: ['**', '**/.*', '**/.*/**'],
      },
      risk_level_threshold: 'high',
    })
    expect(await file('plain.txt')).toMatchObject({ status: 'answered' })
    expect(await file(path)).toMatchObject(asked)
    expect(await ask({ subject: { kind: 'tool', tool: 'write_file', input: { path } } })).toMatchObject(asked)
  })

  it('R19 R22 a file reached through a link is asked about', async () => {
    const { place, file } = await work({ enabled: true, file_patterns: { write: ['docs/**'] } })
    await mkdir(join(place.path, 'docs'))
    await symlink('..', join(place.path, 'docs', 'up'))
    await symlink('../.envrc', join(place.path, 'docs', 'env'))
    await writeFile(join(place.path, 'docs', 'plain'), '')
    expect(await file('docs/plain')).toMatchObject({ status: 'answered' })
    expect(await file('docs/up/.signalbox/settings.json')).toMatchObject(asked)
    expect(await file('docs/up/x.txt')).toMatchObject(asked)
    expect(await file('docs/env')).toMatchObject(asked)
  })

  it('R19 R21 a command needs the registry too; entries without effect are ignored and reported', async () => {
    const { command, session, place } = await work({ enabled: true, commands: ['npm *', 'rm -rf *', 'make all'] })
    expect(await command('npm test')).toMatchObject(automatic('command:npm *'))
    expect(await command('rm -rf build')).toMatchObject(asked)
    expect(await command('make all')).toMatchObject(asked)
    expect(await command('npm install')).toMatchObject(asked)
    await until(async () => (await notes(harness, session.id)).some((note) => note.includes('rm -rf *')))
    const shown = await harness.owner.get<{ ignored: { entry: string }[] }>(
      `/api/policy?workspaceRoot=${encodeURIComponent(place.path)}`,
    )
    const entries = shown.ignored.map(({ entry }) => entry).join('\n')
    expect(entries).toContain('rm -rf *')
    expect(entries).toContain('make all')
    expect(entries).not.toContain('npm *')
    const cli = await harness.server.cli('policy', 'show', '--workspace', place.path)
    expect(cli).toMatchObject({ code: 0, stdout: expect.stringContaining('rm -rf *') })
  })

  it('R19 a registered command is automatic only as far as the policy lists it', async () => {
    const { command } = await work({ enabled: true, commands: ['npm run *'] })
    expect(await command('npm run test:unit')).toMatchObject(automatic('command:npm run *'))
    expect(await command('npm test')).toMatchObject(asked)
    expect(await command('git log --oneline')).toMatchObject(asked)
  })

  it('R19 no hostile command slips through', async () => {
    const { command, place } = await work({ enabled: true, commands: ['*'], risk_level_threshold: 'high' })
    expect(await command('npm  "test"')).toMatchObject({ status: 'answered' })
    const through: string[] = []
    for (const line of hostileCommands) {
      const subject = { kind: 'command', command: line, cwd: place.path }
      const reply = await agent.send('POST', `/api/sessions/${(await sessionHere()).id}/asks`, {
        body: { title: 'May I?', subject },
      })
      if (reply.status === 201 && (reply.body as Ask).status !== 'open') through.push(line)
    }
    expect(through).toEqual([])
    async function sessionHere() {
      return startSession(agent, { workspaceRoot: place.path })
    }
  })

  it('R19 a command that runs elsewhere is asked about', async () => {
    const { ask, place } = await work({ enabled: true, commands: ['*'] })
    for (const cwd of [join(place.path, 'sub'), '/', join(place.path, '..')])
      expect(await ask({ subject: { kind: 'command', command: 'npm test', cwd } })).toMatchObject(asked)
  })

  it('R9 R19 forward_prompt in the policy lets agents continue, but never after an error', async () => {
    const { ask } = await work({ enabled: true, tools: ['forward_prompt'] })
    const prompt = (promptType: string) => ask({ subject: { kind: 'prompt', text: 'Shall I?', promptType } })
    expect(await prompt('continuation')).toMatchObject({
      automatic: true,
      answer: { outcome: 'continue' },
      answeredBy: 'policy:tool:forward_prompt',
    })
    expect(await prompt('error_recovery')).toMatchObject(asked)
  })

  it('R19 waits, questions and administrative asks are never automatic', async () => {
    const { ask } = await work({ enabled: true, commands: ['*'], tools: ['wait_for_instruction', 'ask_user_question'] })
    expect(await ask({ subject: { kind: 'wait' } })).toMatchObject(asked)
    expect(await ask({ subject: { kind: 'question', question: 'Which?' } })).toMatchObject(asked)
  })

  it('R6 R19 an ask_approval that a policy answers is approved at once, then applied', async () => {
    await using mcp = await harness.connect()
    await mcp.place.policy({ enabled: true, file_patterns: { write: ['docs/**'] } })
    const said = await mcp.call('ask_approval', { title: 'Docs', file_path: 'docs/a.md', diff: 'hello\n' })
    expect(said).toMatchObject({ status: 'approved', isError: false })
    expect(await harness.ask(String(said['request_id']))).toMatchObject(automatic('file_pattern:write:docs/**'))
    expect(await mcp.call('accept_diff', { request_id: said['request_id'] })).toMatchObject({ status: 'applied' })
    expect(await mcp.place.read('docs/a.md')).toBe('hello\n')
  })

  it('R19 a tool with a change or a command is judged by that, never by its name', async () => {
    const tools = ['ask_approval', 'accept_diff', 'check_auto_approve', 'terminal_command', 'Bash', 'Write', 'bash']
    const { ask, file, command } = await work({ enabled: true, tools })
    expect(await file('a.txt')).toMatchObject(asked)
    expect(await command('npm test')).toMatchObject(asked)
    const tool = (name: string, input: unknown) => ask({ subject: { kind: 'tool', tool: name, input } })
    expect(await tool('Bash', { command: 'rm -rf /' })).toMatchObject(asked)
    expect(await tool('Write', { file_path: '.envrc', content: 'x' })).toMatchObject(asked)
    expect(await tool('Write', { file_path: '/etc/passwd', content: 'x' })).toMatchObject(asked)
    await using mcp = await harness.connect()
    await mcp.place.policy({ enabled: true, tools })
    const input = { title: 'x', file_path: 'a.txt', diff: 'x\n' }
    expect(await mcp.call('ask_approval', input)).toMatchObject({ status: 'pending' })
    const terminal = { tool_name: 'npm test', kind: 'terminal_command' }
    expect(await mcp.call('check_auto_approve', terminal)).toMatchObject({ status: 'pending' })
  })

  it('R8 R19 check_auto_approve of a file operation has the same limits', async () => {
    await using mcp = await harness.connect()
    await mcp.place.policy({
      enabled: true,
      tools: ['read_file'],
      file_patterns: { write: ['**', '.*'], read: ['**'] },
    })
    const check = (tool_name: string, file_path: string, more: object = {}) =>
      mcp.call('check_auto_approve', { tool_name, kind: 'file_operation', context: { file_path, ...more } })
    expect(await check('write_file', 'src/a.ts')).toMatchObject({
      auto_approved: true,
      matched_rule: 'file_pattern:write:**',
    })
    for (const path of ['.envrc', '.git/config', '.signalbox/settings.json', '../x', '/etc/passwd'])
      expect(await check('write_file', path)).toMatchObject({ auto_approved: false, matched_rule: null })
    expect(await check('read_file', '.git/config')).toMatchObject({ auto_approved: false })
    expect(await check('write_file', 'a.ts', { risk_level: 'critical' })).toMatchObject({ auto_approved: false })
  })

  it('R19 signalbox policy says what is in force in the current directory', async () => {
    const { place } = await work({ enabled: true, commands: ['npm test'] })
    const env = cleanEnv({ SIGNALBOX_HOME: harness.server.home })
    const shown = await runCli(['policy', '--json'], env, place.path)
    expect(JSON.parse(shown.stdout)).toMatchObject({
      workspaceRoot: place.path,
      file: { enabled: true, commands: ['npm test'], riskLevelThreshold: 'low', summaryIntervalSeconds: 300 },
      faults: [],
    })
  })

  it('R19 log_auto_approved reports each automatic answer in the session', async () => {
    const { session, file } = await work({
      enabled: true,
      file_patterns: { write: ['docs/**'] },
      log_auto_approved: true,
    })
    await file('docs/a.md', { title: 'Write the manual' })
    const note = await until(async () =>
      (await notes(harness, session.id)).find((one) => one.includes('file_pattern:write:docs/**')),
    )
    expect(note).toContain('Write the manual')
  })

  it('R19 summary_interval_seconds sums automatic answers up', async () => {
    const { session, file, command } = await work({
      enabled: true,
      commands: ['*'],
      file_patterns: { write: ['docs/**'] },
      summary_interval_seconds: 1,
    })
    await Promise.all([file('docs/a.md', { title: 'Secret words' }), file('docs/b.md'), command('npm test')])
    await until(async () => {
      const lines = (await notes(harness, session.id)).filter((note) => note.startsWith('Policy answered'))
      const total = lines.reduce((sum, line) => sum + Number(/answered (\d+)/.exec(line)?.[1]), 0)
      return total === 3
    })
    expect((await notes(harness, session.id)).join('\n')).not.toContain('Secret words')
  })

  it('R3 R19 an agent can change its policy only through an ask', async () => {
    const { place, ask } = await work({ enabled: true, file_patterns: { write: ['**', '.signalbox/**'] } })
    expect(await ask({ subject: { kind: 'diff', filePath: '.signalbox/settings.json', diff: '{}' } })).toMatchObject(
      asked,
    )
    expect(
      (await agent.refused('POST', '/api/policy/test', { workspaceRoot: place.path })).status,
    ).toBeGreaterThanOrEqual(403)
  })
})
