import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readUntil, shell, startCommand, waiting } from '../conformance/mcp-terminal-helpers.ts'
import {
  approve,
  openMcpHarness,
  type Agent,
  type FullAsk,
  type McpHarness,
  type Said,
} from '../conformance/mcp-harness.ts'
import { until } from '../support/until.ts'

/** How an earlier version stored what it would start: as text that anyone could write. */
const inDescription = (heading: string, value: object): string =>
  [heading, '', '```json', JSON.stringify(value, null, 2), '```'].join('\n')
const runs = 'Runs in a terminal that Signalbox watches.'
const types = 'Typed at the command line of a terminal that Signalbox watches.'
const wanted = {
  session_type: 'script',
  log_file: null,
  command: null,
  cwd: null,
  host: null,
  user: null,
  session_id: null,
  parent_session_id: null,
  metadata: {},
}

describe('the program that an approval starts', () => {
  let harness: McpHarness
  let bin: string
  beforeAll(async () => {
    bin = await mkdtemp(join(tmpdir(), 'sbi-'))
    // An ssh that records its arguments.
    await writeFile(join(bin, 'ssh'), `#!/bin/sh\nprintf '%s\\n' "$@" >> "${bin}/called"\necho called\nsleep 600\n`)
    await chmod(join(bin, 'ssh'), 0o755)
    harness = await openMcpHarness({ env: { PATH: `${bin}:${process.env['PATH'] ?? ''}` } })
  })
  afterAll(async () => {
    await harness?.[Symbol.asyncDispose]()
    await rm(bin, { recursive: true, force: true })
  })

  const called = () => readFile(join(bin, 'called'), 'utf8').catch(() => '')

  /** Asks over REST with the agent's own token; a person approves what they saw. */
  async function askedByRest(agent: Agent, ask: Record<string, unknown>): Promise<FullAsk> {
    const opened = await harness.server.api(harness.token).post<FullAsk>(`/api/sessions/${agent.sessionId}/asks`, ask)
    return harness.answer(opened, approve)
  }
  const refusedByRest = (agent: Agent, subject: Record<string, unknown>) =>
    harness.server.api(harness.token).refused('POST', `/api/sessions/${agent.sessionId}/asks`, { title: 'ls', subject })

  const nothingStarted = async (agent: Agent, said: Said) => {
    expect(said).toMatchObject({ isError: true })
    expect(await agent.call('list_session_monitors')).toMatchObject({ sessions: [] })
  }

  it('S5 a description adds no arguments to an ssh login', async () => {
    await using agent = await harness.connect()
    const more = { ...wanted, session_type: 'ssh', host: 'build', command: ['touch', 'owned'] }
    const subject = { kind: 'command', command: 'ssh -t -- build', cwd: agent.place.path }
    const { id } = await askedByRest(agent, { title: 'Log in', subject, description: inDescription(runs, more) })
    await nothingStarted(agent, await agent.call('start_session_monitor', { request_id: id }))
    expect(await called()).toBe('')
  })

  it('S5 a description is never executed: another directory, another id, another text', async () => {
    await using agent = await harness.connect()
    const own = agent.place.path
    await mkdir(join(own, 'sub'))
    const said = (value: object) => inDescription(runs, { ...wanted, ...value })
    const command = ['sh', '-c', 'touch owned']
    const asks = [
      { command: "sh -c 'touch owned'", cwd: own, description: said({ command, cwd: own }) },
      { command: "sh -c 'touch owned'", cwd: own, description: said({ command, cwd: null }) },
      { command: "sh -c 'touch owned'", cwd: '/looks/harmless', description: said({ command, cwd: null }) },
      { command: 'ls', cwd: own, description: said({ command, cwd: own }) },
      {
        command: "sh -c 'touch owned'",
        cwd: own,
        description: said({ command, cwd: own, session_id: crypto.randomUUID() }),
      },
    ]
    for (const { description, ...subject } of asks) {
      const { id } = await askedByRest(agent, { title: 'ls', description, subject: { kind: 'command', ...subject } })
      await nothingStarted(agent, await agent.call('start_session_monitor', { request_id: id }))
    }
    expect(await agent.place.read('owned')).toBeNull()
  })

  it('S5 a description is never typed', async () => {
    await using agent = await harness.connect()
    const id = await startCommand(harness, agent, shell('PS1="ready> " exec sh -i'))
    const { prompt_id } = await waiting(agent, id, /ready/)
    const meant = { session_id: id, prompt_id, text: 'touch owned', keys: [], press_enter: true }
    const subject = { kind: 'command', command: 'touch owned', cwd: `terminal ${id}` }
    const { id: ask } = await askedByRest(agent, { title: 'ls', subject, description: inDescription(types, meant) })
    expect(await agent.call('send_session_input', { request_id: ask })).toMatchObject({ isError: true })
    expect(await agent.place.read('owned')).toBeNull()
  })

  it('S5 a caller can’t set what is run', async () => {
    await using agent = await harness.connect()
    const cwd = agent.place.path
    const run = { kind: 'terminal', argv: ['touch', 'owned'], cwd, terminalId: null, parentId: null, metadata: {} }
    for (const more of [{ run }, { run: { ...run, argv: ['ls'] } }, { masked: true }])
      expect(await refusedByRest(agent, { kind: 'command', command: 'ls', cwd, ...more })).toMatchObject({
        code: 'run_not_allowed',
      })
  })

  it('S5 the shown line is made from what is started, the same for everyone', async () => {
    await using agent = await harness.connect()
    const argv = ['sh', '-c', 'printf "%s|" "$@" > words', 'x', 'a\nb', '\u202Eevil', ' tail ', '-n', '', "it's", '⟨x']
    const { ask, done } = await agent.begin('start_session_monitor', { session_type: 'script', command: argv })
    const line = String.raw`sh -c 'printf "%s|" "$@" > words' x $'a\nb' $'\u202eevil' ' tail ' -n '' 'it'\''s' '⟨x'`
    expect(ask).toMatchObject({
      title: line,
      description: null,
      subject: { command: line, cwd: agent.place.path, run: { kind: 'terminal', argv, cwd: agent.place.path } },
    })
    const shown = await harness.server.cli('asks', 'show', ask.id)
    expect(shown.stdout).toContain(line)
    expect(shown.stdout).toContain(agent.place.path)
    const listed = await harness.server.cli('asks')
    expect(listed.stdout).toContain('sh -c')
    await harness.answer(ask, approve)
    expect(await done).toMatchObject({ isError: false })
    const words = await until(async () => (await agent.place.read('words')) || null, { what: 'the words' })
    expect(words).toBe(
      argv
        .slice(4)
        .map((word) => `${word}|`)
        .join(''),
    )
  })

  it('S5 an ssh login shows host, user and directory, and runs nothing else', async () => {
    await using agent = await harness.connect()
    const login = { session_type: 'ssh', host: 'build', user: 'ann' }
    for (const odd of [
      { ...login, command: ['id'] },
      { ...login, cwd: '/' },
      { ...login, host: '-oProxyCommand=id' },
      { ...login, host: 'a b' },
      { ...login, user: '-l' },
      { ...login, user: 'a@b' },
      { ...login, host: 'a\nb' },
    ])
      expect(await agent.call('start_session_monitor', odd)).toMatchObject({ isError: true })
    const { ask, done } = await agent.begin('start_session_monitor', login)
    expect(ask.subject).toMatchObject({ command: 'ssh -t -- ann@build', cwd: agent.place.path })
    await harness.answer(ask, approve)
    const started = await done
    await readUntil(agent, String(started['session_id']), /called/)
    expect(await called()).toBe('-t\n--\nann@build\n')
  })

  it('S5 a directory that was swapped for a link is not run in', async () => {
    await using agent = await harness.connect()
    const elsewhere = await mkdtemp(join(tmpdir(), 'sbi-'))
    await mkdir(join(agent.place.path, 'sub'))
    const input = { session_type: 'script', command: shell('touch owned'), cwd: 'sub' }
    const { ask, done } = await agent.begin('start_session_monitor', input)
    expect(ask.subject).toMatchObject({ cwd: join(agent.place.path, 'sub') })
    await rm(join(agent.place.path, 'sub'), { recursive: true })
    await symlink(elsewhere, join(agent.place.path, 'sub'))
    await harness.answer(ask, approve)
    expect(await done).toMatchObject({ isError: true, error_code: 'not_permitted' })
    await rm(elsewhere, { recursive: true })
  })

  it('S5 an approval is for one terminal and one tool', async () => {
    await using agent = await harness.connect()
    await using other = await harness.connect()
    const pending = await agent.call('start_session_monitor', { session_type: 'script', command: ['true'] })
    const request_id = String(pending['request_id'])
    await harness.answer({ id: request_id }, approve)
    for (const said of [
      await other.call('start_session_monitor', { request_id }),
      await agent.call('send_session_input', { request_id }),
    ])
      expect(said).toMatchObject({ isError: true, error_code: 'request_not_found' })
    const checked = await agent.call('check_auto_approve', { tool_name: 'make', kind: 'terminal_command' })
    await harness.answer({ id: String(checked['request_id']) }, approve)
    expect(await agent.call('start_session_monitor', { request_id: checked['request_id'] })).toMatchObject({
      error_code: 'request_not_found',
    })
  })

  it('S5 input at a command line is shown completely: keys, line ends, and whether Enter follows', async () => {
    await using agent = await harness.connect()
    const id = await startCommand(harness, agent, shell('PS1="ready> " exec sh -i'))
    const { prompt_id } = await waiting(agent, id, /ready/)
    const shown = async (input: Record<string, unknown>) => {
      const { ask, done } = await agent.begin('send_session_input', { session_id: id, ...input })
      await harness.answer(ask, { outcome: 'reject' })
      await done
      return ask
    }
    const text = 'echo a\r\u202Etouch owned '
    const odd = await shown({ text, keys: ['up'], press_enter: false })
    const line = 'echo a⟨U+000D⟩⟨U+202E⟩touch owned⟨U+0020⟩ <up> (without Enter)'
    expect(odd).toMatchObject({ title: line, subject: { command: line, cwd: `terminal ${id}` } })
    expect(odd.subject['run']).toEqual({
      kind: 'input',
      terminalId: id,
      promptId: prompt_id,
      text,
      keys: ['up'],
      pressEnter: false,
    })
    const two = await shown({ text: 'echo a\ntouch owned' })
    expect(two).toMatchObject({ title: 'echo a ⏎ touch owned', subject: { command: 'echo a\ntouch owned' } })
    expect(await agent.place.read('owned')).toBeNull()
  })

  it('S5 a title that is cut says how much it hides', async () => {
    await using agent = await harness.connect()
    const { ask, done } = await agent.begin('start_session_monitor', {
      session_type: 'script',
      command: ['true', 'x'.repeat(2000), ';', 'rm'],
    })
    expect(ask.title).toMatch(/^true x+… \(\d+ more characters\)$/)
    expect(ask.subject['command']).toBe(`true ${'x'.repeat(2000)} ';' rm`)
    await harness.answer(ask, { outcome: 'reject' })
    await done
  })
})
