import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cleanEnv, usualDatabases, freshHome, startServer, type Ran, type Server } from '../support/server.ts'
import { until } from '../support/until.ts'
import type { Ask, Session, SessionDetail } from './shapes.ts'
import { newAgent, roomy } from './work.ts'

const program = fileURLToPath(new URL('../../dist/signalbox.js', import.meta.url))
type Hook = { readonly done: Promise<Ran>; end(signal: NodeJS.Signals): void }

/** Runs `signalbox …` as Claude Code runs a hook: the event on its standard input. */
function hook(args: readonly string[], event: unknown, env: Record<string, string>, cwd?: string): Hook {
  const child = spawn(process.execPath, [program, ...args], { env: cleanEnv(env), cwd, stdio: 'pipe' })
  const told = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk) => (told.stdout += String(chunk)))
  child.stderr.on('data', (chunk) => (told.stderr += String(chunk)))
  child.stdin.end(typeof event === 'string' ? event : JSON.stringify(event))
  const done = new Promise<Ran>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, ...told }))
  })
  return { done, end: (signal) => child.kill(signal) }
}

describe.each(usualDatabases)('the Claude Code hooks on %s', (database) => {
  let server: Server
  let workspace: string
  let empty: string
  beforeAll(async () => {
    workspace = await mkdtemp(join(tmpdir(), 'sbh-'))
    server = await startServer({ database, config: `${roomy}workspace_root = "${workspace}"\n` })
    empty = await freshHome()
  })
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]()
    for (const folder of [workspace, empty]) await rm(folder, { recursive: true, force: true })
  })

  const claude = (id = randomUUID()) => {
    const common = { session_id: id, cwd: workspace, transcript_path: '/nowhere.jsonl', prompt_id: 'p1' }
    const run = (args: string, event: object, env: Record<string, string> = { SIGNALBOX_HOME: server.home }) =>
      hook(['hook', ...args.split(' ')], { ...common, ...event }, env)
    const bash = { tool_name: 'Bash', tool_input: { command: 'npm test' } }
    return {
      id,
      run,
      before: (more: object = {}, args = 'permission') =>
        run(args, { hook_event_name: 'PreToolUse', tool_use_id: 'toolu_1', ...bash, ...more }),
      request: (more: object = {}, args = 'permission') =>
        run(args, { hook_event_name: 'PermissionRequest', ...bash, ...more }),
      say: (prompt: string) => run('prompt', { hook_event_name: 'UserPromptSubmit', prompt }).done,
      stop: (last_assistant_message: string) =>
        run('stop', { hook_event_name: 'Stop', stop_hook_active: false, last_assistant_message }).done,
      leave: () => run('end', { hook_event_name: 'SessionEnd', reason: 'other' }).done,
      asks: async (status = 'open') =>
        (await server.api().get<{ asks: Ask[] }>(`/api/asks?sessionId=${id}&status=${status}`)).asks,
      detail: () => server.api().get<SessionDetail>(`/api/sessions/${id}`),
    }
  }
  type Claude = ReturnType<typeof claude>
  const openAsk = (at: Claude) =>
    until(async () => (await at.asks().catch(() => []))[0] ?? null, { what: 'the ask of the hook' })
  const answer = (ask: Ask, body: object) => server.api().post<Ask>(`/api/asks/${ask.id}/answer`, body)
  const told = async (run: Hook) => {
    const { code, stdout } = await run.done
    return { code, said: stdout === '' ? null : JSON.parse(stdout) }
  }

  it('B15 asks in a session with the same id, and passes on who approved', async () => {
    const at = claude()
    const run = at.request()
    const ask = await openAsk(at)
    expect(ask).toMatchObject({
      kind: 'command',
      title: 'Run npm test',
      subject: { kind: 'command', command: 'npm test', cwd: workspace },
    })
    await answer(ask, { outcome: 'approve' })
    expect(await told(run)).toEqual({
      code: 0,
      said: { hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: { behavior: 'allow' } } },
    })
    const { protocolMode, workspaceRoot, status, agent } = await at.detail()
    expect({ protocolMode, workspaceRoot, status, agent }).toEqual({
      protocolMode: 'mcp',
      workspaceRoot: workspace,
      status: 'active',
      agent: 'claude-code',
    })
  })

  it('B15 passes on the reason of a rejection', async () => {
    const at = claude()
    const run = at.before()
    await answer(await openAsk(at), { outcome: 'reject', reason: 'wrong branch' })
    expect((await told(run)).said.hookSpecificOutput).toMatchObject({
      permissionDecision: 'deny',
      permissionDecisionReason: expect.stringMatching(/^Rejected in Signalbox by .+: wrong branch$/),
    })
  })

  it('B15 shows a file change as a diff against the current file', async () => {
    await writeFile(join(workspace, 'a.txt'), 'one\ntwo\n')
    const at = claude()
    const tool_input = { file_path: join(workspace, 'a.txt'), old_string: 'two', new_string: 'three' }
    const run = at.request({ tool_name: 'Edit', tool_input })
    const ask = await openAsk(at)
    expect(ask).toMatchObject({ kind: 'diff', title: 'Edit a.txt' })
    expect(JSON.stringify(ask)).toContain(String.raw`-two\n+three\n`)
    await answer(ask, { outcome: 'approve' })
    await run.done
    expect(await readFile(join(workspace, 'a.txt'), 'utf8')).toBe('one\ntwo\n')
  })

  it('B15 finds the ask of the same tool use again, and its answer', async () => {
    const at = claude()
    const first = at.before()
    const ask = await openAsk(at)
    const second = at.before()
    await answer(ask, { outcome: 'approve' })
    const allowed = { said: { hookSpecificOutput: { permissionDecision: 'allow' } } }
    expect(await told(first)).toMatchObject(allowed)
    expect(await told(second)).toMatchObject(allowed)
    expect(await told(at.before())).toMatchObject(allowed)
    expect(await at.asks('answered')).toHaveLength(1)
  })

  it('B15 asks again for other input with the same number', async () => {
    const at = claude()
    const first = at.before()
    await answer(await openAsk(at), { outcome: 'approve' })
    await first.done
    const second = at.before({ tool_input: { command: 'rm -rf build' } })
    await answer(await openAsk(at), { outcome: 'reject' })
    expect((await told(second)).said.hookSpecificOutput.permissionDecision).toBe('deny')
  })

  it('B15 keeps waiting across a restart of the server', async () => {
    const at = claude()
    const run = at.request()
    const ask = await openAsk(at)
    await server.kill('SIGKILL')
    await server.restart()
    await answer(ask, { outcome: 'approve' })
    expect((await told(run)).said.hookSpecificOutput.decision).toEqual({ behavior: 'allow' })
  })

  it('B15 withdraws its ask when Claude Code ends it', async () => {
    const at = claude()
    const run = at.request()
    await openAsk(at)
    run.end('SIGTERM')
    expect(await told(run)).toEqual({ code: 0, said: null })
    expect(await at.asks('cancelled')).toHaveLength(1)
  })

  it('B15 gives no output, or denies, if its ask is withdrawn', async () => {
    const withdrawn = async (run: (at: Claude) => Hook) => {
      const at = claude()
      const waiting = run(at)
      await server.api().post(`/api/asks/${(await openAsk(at)).id}/cancel`)
      return told(waiting)
    }
    expect(await withdrawn((at) => at.request())).toEqual({ code: 0, said: null })
    expect((await withdrawn((at) => at.before())).said.hookSpecificOutput.permissionDecision).toBe('ask')
    const strict = await withdrawn((at) => at.request({}, 'permission --strict'))
    expect(strict.said.hookSpecificOutput.decision.behavior).toBe('deny')
  })

  it('B15 leaves reading and questions to Claude Code', async () => {
    const at = claude()
    expect(await told(at.before({ tool_name: 'Read', tool_input: { file_path: '/etc/hosts' } }))).toMatchObject({
      said: null,
    })
    expect(await told(at.request({ tool_name: 'AskUserQuestion', tool_input: {} }))).toMatchObject({ said: null })
    expect((await server.api().send('GET', `/api/sessions/${at.id}`)).status).toBe(404)
  })

  it('B15 is silent inside an agent that Signalbox itself hosts', async () => {
    const at = claude()
    const env = { SIGNALBOX_HOME: server.home, SIGNALBOX_SESSION_ID: randomUUID() }
    const event = { hook_event_name: 'PermissionRequest', tool_name: 'Bash', tool_input: { command: 'ls' } }
    expect(await told(at.run('permission', event, env))).toEqual({ code: 0, said: null })
    expect((await server.api().send('GET', `/api/sessions/${at.id}`)).status).toBe(404)
  })

  it('B15 never blocks without a server or with an invalid event, and reports it', async () => {
    const at = claude()
    const event = { hook_event_name: 'PermissionRequest', tool_name: 'Bash', tool_input: { command: 'ls' } }
    for (const args of ['permission', 'stop', 'prompt', 'end', 'notification']) {
      const named = { permission: event, stop: { hook_event_name: 'Stop' }, end: { hook_event_name: 'SessionEnd' } }
      const said = Object.entries(named).find(([name]) => name === args)?.[1] ?? {
        hook_event_name: args === 'prompt' ? 'UserPromptSubmit' : 'Notification',
        prompt: 'x',
        message: 'x',
      }
      const away = await at.run(args, said, { SIGNALBOX_HOME: empty }).done
      expect(away).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining('No Signalbox is running') })
      const garbled = await hook(['hook', args], 'not json', { SIGNALBOX_HOME: server.home }).done
      expect(garbled).toMatchObject({ code: 0, stdout: '', stderr: expect.stringContaining('not JSON') })
    }
    const strict = at.run('permission --strict', event, { SIGNALBOX_HOME: empty })
    expect((await told(strict)).said.hookSpecificOutput.decision.behavior).toBe('deny')
  })

  it('B15 records prompts at the terminal, Claude’s answers and its notifications', async () => {
    const at = claude()
    await at.say('fix the test')
    await at.run('notification', {
      hook_event_name: 'Notification',
      message: 'Claude is waiting for your input',
      notification_type: 'idle_prompt',
    }).done
    expect(await at.stop('All green.')).toMatchObject({ code: 0, stdout: '' })
    const { prompt, messages } = await at.detail()
    expect(prompt).toBe('fix the test')
    expect(messages.map(({ role, content }) => [role, content['text']])).toEqual([
      ['user', 'fix the test'],
      ['system', 'Claude is waiting for your input'],
      ['agent', 'All green.'],
    ])
  })

  it('B15 delivers the queue when a turn ends, once', async () => {
    const at = claude()
    await at.say('begin')
    for (const text of ['and the docs', 'then stop']) await server.api().post(`/api/sessions/${at.id}/prompt`, { text })
    const { stdout } = await at.stop('Done.')
    expect(JSON.parse(stdout)).toEqual({
      decision: 'block',
      reason: 'Your operator says through Signalbox:\n\nand the docs\n\nthen stop',
    })
    expect(await at.stop('Done again.')).toMatchObject({ code: 0, stdout: '' })
    const { items } = await server.api().get<{ items: { status: string }[] }>(`/api/sessions/${at.id}/queue`)
    expect(items.map(({ status }) => status)).toEqual(['delivered', 'delivered'])
  })

  it('B15 withdraws what is still open when a turn ends: it was decided at the terminal', async () => {
    const at = claude()
    const run = at.request()
    await openAsk(at)
    await at.stop('Done.')
    expect(await told(run)).toEqual({ code: 0, said: null })
    expect(await at.asks('cancelled')).toHaveLength(1)
  })

  it('B15 withdraws its ask when the transcript shows that the tool was used', async () => {
    const at = claude()
    const transcript_path = join(workspace, `${at.id}.jsonl`)
    const line = (type: string, part: object) => `${JSON.stringify({ type, message: { content: [part] } })}\n`
    const input = { command: 'npm test' }
    await writeFile(transcript_path, line('assistant', { type: 'tool_use', id: 'toolu_1', name: 'Bash', input }))
    const run = at.request({ transcript_path })
    await openAsk(at)
    await appendFile(transcript_path, line('user', { type: 'tool_result', tool_use_id: 'toolu_1' }))
    expect(await told(run)).toEqual({ code: 0, said: null })
    expect(await at.asks('cancelled')).toHaveLength(1)
  })

  it('B15 completes the session at its end, and continues its lineage when resumed', async () => {
    const at = claude()
    await at.say('begin')
    await at.leave()
    expect((await at.detail()).status).toBe('completed')
    await at.say('go on')
    const { lineage } = await at.detail()
    expect(lineage).toHaveLength(2)
    const next = await server.api().get<Session>(`/api/sessions/${lineage[1]}`)
    expect(next).toMatchObject({ status: 'active', restartOf: at.id })
    await at.leave()
    expect(await server.api().get<Session>(`/api/sessions/${lineage[1]}`)).toMatchObject({ status: 'completed' })
  })

  it('B15 does not start a session just to end it', async () => {
    const at = claude()
    expect(await at.leave()).toMatchObject({ code: 0, stdout: '', stderr: '' })
    expect((await server.api().send('GET', `/api/sessions/${at.id}`)).status).toBe(404)
  })

  it('B15 stops Claude Code if its session was cancelled, until the next prompt', async () => {
    const at = claude()
    await at.say('begin')
    await server.api().delete(`/api/sessions/${at.id}`)
    const { said } = await told(at.request())
    expect(said.hookSpecificOutput.decision).toMatchObject({ behavior: 'deny', interrupt: true })
    expect((await told(at.before())).said).toMatchObject({ continue: false })
    await at.say('go on')
    expect((await at.detail()).lineage).toHaveLength(2)
  })

  it('B15 holds an approved tool call while the session is paused', async () => {
    const at = claude()
    await at.say('begin')
    const run = at.request()
    const ask = await openAsk(at)
    await server.api().post(`/api/sessions/${at.id}/pause`)
    await answer(ask, { outcome: 'approve' })
    let isOver = false
    void run.done.then(() => (isOver = true))
    // Another hook runs meanwhile.
    await told(at.before({ tool_name: 'Read' }))
    expect(isOver).toBe(false)
    await server.api().post(`/api/sessions/${at.id}/resume`)
    expect((await told(run)).said.hookSpecificOutput.decision).toEqual({ behavior: 'allow' })
  })

  it("S1 works with an agent's token in a workspace the server knows, and can't answer its own ask", async () => {
    const agent = await newAgent(server)
    const token = String(agent.headers.authorization).replace('Bearer ', '')
    const at = claude()
    const env = { SIGNALBOX_HOME: empty, SIGNALBOX_URL: server.address, SIGNALBOX_TOKEN: token }
    const event = { hook_event_name: 'PermissionRequest', tool_name: 'Bash', tool_input: { command: 'ls' } }
    const run = at.run('permission', event, env)
    const ask = await openAsk(at)
    expect(await agent.refused('POST', `/api/asks/${ask.id}/answer`, { outcome: 'approve' })).toMatchObject({
      code: 'agents_never_answer',
    })
    await answer(ask, { outcome: 'approve' })
    expect((await told(run)).said.hookSpecificOutput.decision).toEqual({ behavior: 'allow' })
  })
})

describe('installing the hooks', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sbh-'))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  const install = (...args: string[]) =>
    hook(['hook', 'install', 'claude', ...args], '', { CLAUDE_CONFIG_DIR: folder, SIGNALBOX_HOME: folder }, folder).done
  const file = () => join(folder, 'settings.json')

  it('B15 keeps existing settings, changes nothing the second time, and can be undone', async () => {
    const theirs = { model: 'opus', hooks: { Stop: [{ hooks: [{ type: 'command', command: './bell.sh' }] }] } }
    await writeFile(file(), JSON.stringify(theirs))
    expect(await install()).toMatchObject({ code: 0 })
    const written = await readFile(file(), 'utf8')
    expect(JSON.parse(written)).toMatchObject({ model: 'opus', hooks: { PermissionRequest: [{ matcher: '*' }] } })
    expect(written).toContain('./bell.sh')
    expect(written).toContain(`--home ${folder} hook permission`)
    expect((await install()).stdout).toContain('up to date')
    expect(await readFile(file(), 'utf8')).toBe(written)
    await install('--remove')
    expect(JSON.parse(await readFile(file(), 'utf8'))).toEqual(theirs)
  })

  it('B15 only prints with --print', async () => {
    await writeFile(file(), '{}')
    const { stdout } = await install('--print', '--every')
    expect(JSON.parse(stdout)).toMatchObject({ hooks: { PreToolUse: [{ matcher: '*' }] } })
    expect(await readFile(file(), 'utf8')).toBe('{}')
  })

  it('B15 writes no machine-specific path into shared settings', async () => {
    await install('--scope', 'project')
    const shared = await readFile(join(folder, '.claude', 'settings.json'), 'utf8')
    expect(shared).toContain('"signalbox hook permission"')
    expect(shared).not.toContain(folder)
  })

  it("B15 does not touch settings it can't read", async () => {
    await writeFile(file(), '{ "hooks": [], ')
    expect(await install()).toMatchObject({ code: 1, stderr: expect.stringContaining('nothing was changed') })
    expect(await readFile(file(), 'utf8')).toBe('{ "hooks": [], ')
  })
})
