// Signalbox as an ACP agent: an editor's conversation is a session of the server, and several editors can share one.
import { spawn, type ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import {
  client,
  methods,
  ndJsonStream,
  type RequestPermissionRequest,
  type SessionUpdate,
} from '@agentclientprotocol/sdk/unstable'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cleanEnv } from '../support/server.ts'
import { until } from '../support/until.ts'
import { openAgentsHarness, type AgentsHarness } from './agents-harness.ts'

const program = join(import.meta.dirname, '../../dist/signalbox.js')

type Choice = (request: RequestPermissionRequest) => string | null

/** An editor that runs `signalbox acp`. */
async function openEditor(harness: AgentsHarness, args: readonly string[] = [], choose: Choice = () => null) {
  const env = cleanEnv({ SIGNALBOX_HOME: harness.server.home, HOME: harness.home })
  const command = ['acp', '--agent', 'practice', '--isolation', 'none', ...args]
  const child: ChildProcess = spawn(process.execPath, [program, ...command], {
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const updates: SessionUpdate[] = []
  const requests: RequestPermissionRequest[] = []
  const withdrawn: RequestPermissionRequest[] = []
  const app = client({ name: 'editor' })
    .onNotification(methods.client.session.update, ({ params }) => void updates.push(params.update))
    .onRequest(methods.client.session.requestPermission, async ({ params, signal }) => {
      requests.push(params)
      const optionId = choose(params)
      if (optionId !== null) return { outcome: { outcome: 'selected', optionId } }
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
      withdrawn.push(params)
      return { outcome: { outcome: 'cancelled' } }
    })
  const stream = ndJsonStream(Writable.toWeb(child.stdin!), Readable.toWeb(child.stdout!) as ReadableStream<Uint8Array>)
  const connection = app.connect(stream)
  const { agent } = connection
  await agent.request(methods.agent.initialize, { protocolVersion: 1, clientCapabilities: {} })
  const said = (kind: string) =>
    updates.flatMap((update) =>
      update.sessionUpdate === kind &&
      'content' in update &&
      !Array.isArray(update.content) &&
      update.content?.type === 'text'
        ? [update.content.text]
        : [],
    )
  return {
    requests,
    withdrawn,
    updates,
    said: () => said('agent_message_chunk').join(''),
    heard: () => said('user_message_chunk').join('\n'),
    open: (cwd: string) => agent.request(methods.agent.session.new, { cwd, mcpServers: [] }),
    load: (sessionId: string, cwd: string) =>
      agent.request(methods.agent.session.load, { sessionId, cwd, mcpServers: [] }),
    list: (cwd: string) => agent.request(methods.agent.session.list, { cwd }),
    prompt: (sessionId: string, text: string) =>
      agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: 'text', text }] }),
    cancel: (sessionId: string) => agent.notify(methods.agent.session.cancel, { sessionId }),
    async [Symbol.asyncDispose]() {
      const gone = new Promise((resolve) => child.once('exit', resolve))
      child.stdin!.end()
      await gone
    },
  }
}

const allow: Choice = ({ options }) => options.find(({ kind }) => kind === 'allow_once')?.optionId ?? null

describe('an editor over ACP', () => {
  let harness: AgentsHarness
  beforeAll(async () => {
    harness = await openAgentsHarness()
  })
  afterAll(() => harness[Symbol.asyncDispose]())

  it('B20 its conversation is a session; a permission asked there is an ask in the inbox, and counts once', async () => {
    const cwd = await harness.workspace()
    await using editor = await openEditor(harness, [], allow)
    const { sessionId } = await editor.open(cwd)
    expect(await harness.detail({ id: sessionId })).toMatchObject({ status: 'active', workspaceRoot: cwd })
    const { stopReason } = await editor.prompt(sessionId, '/say good morning\n/write notes.txt from practice')
    expect(stopReason).toBe('end_turn')
    expect(editor.said()).toContain('good morning')
    // The editor shows its own prompt already.
    expect(editor.heard()).toBe('')
    expect(readFileSync(join(cwd, 'notes.txt'), 'utf8')).toBe('from practice\n')
    expect(editor.updates.map((update) => update.sessionUpdate)).toContain('tool_call')
    expect(editor.requests).toHaveLength(1)
    const { asks } = await harness.api.get<{ asks: { status: string; answeredBy: string }[] }>(
      `/api/asks?sessionId=${sessionId}`,
    )
    expect(asks).toMatchObject([{ status: 'answered', answeredBy: expect.stringMatching(/^user:/) }])
    expect(await editor.list(cwd)).toMatchObject({ sessions: [{ sessionId, cwd }] })
  })

  it('B20 two editors share a session: both see everything, and an answer in one withdraws the question in the other', async () => {
    const cwd = await harness.workspace()
    await using first = await openEditor(harness)
    const { sessionId } = await first.open(cwd)
    expect(await first.prompt(sessionId, '/say before anybody joined')).toEqual({ stopReason: 'end_turn' })
    await using second = await openEditor(harness)
    await second.load(sessionId, cwd)
    expect(second.said()).toContain('before anybody joined')
    expect(second.heard()).toContain('/say before anybody joined')

    const turn = first.prompt(sessionId, '/write shared.txt by two')
    await until(() => first.requests.length === 1 && second.requests.length === 1, { what: 'the question in both' })
    await harness.answer(await harness.openAsk({ id: sessionId }), { outcome: 'select', optionId: 'allow' })
    expect(await turn).toEqual({ stopReason: 'end_turn' })
    await until(() => first.withdrawn.length === 1 && second.withdrawn.length === 1, { what: 'both withdrawn' })
    expect(readFileSync(join(cwd, 'shared.txt'), 'utf8')).toBe('by two\n')
    expect(second.heard()).toContain('/write shared.txt by two')
  })

  it('B20 cancelling in the editor cancels the turn; the session stays when the editor closes, and survives the server', async () => {
    const cwd = await harness.workspace()
    let id = ''
    {
      await using editor = await openEditor(harness)
      id = (await editor.open(cwd)).sessionId
      const turn = editor.prompt(id, '/slow 500 50')
      await until(() => editor.said().includes('word-2'), { what: 'the first words' })
      await editor.cancel(id)
      expect(await turn).toEqual({ stopReason: 'cancelled' })
      await harness.server.kill()
      await harness.server.restart()
      expect(await editor.prompt(id, '/say after the restart')).toEqual({ stopReason: 'end_turn' })
      expect(editor.said()).toContain('after the restart')
    }
    expect(await harness.detail({ id })).toMatchObject({ status: 'active' })
  })

  it('B20 what can’t work is refused in words: an unknown session, an agent that is not there', async () => {
    const cwd = await harness.workspace()
    await using editor = await openEditor(harness)
    await expect(editor.load('0b9e8f3a-6b1e-4c57-9a60-5f6d3f0c2b11', cwd)).rejects.toThrow(/No such session/)
    await using other = await openEditor(harness, ['--agent', 'nobody'])
    await expect(other.open(cwd)).rejects.toThrow(/nobody/)
  })

  it('B20 starts a server if none is running', async () => {
    const home = await mkdtemp(join(tmpdir(), 'sb-editor-'))
    try {
      await using editor = await openEditor({ ...harness, home, server: { ...harness.server, home } })
      expect(await editor.list('/nowhere')).toEqual({ sessions: [] })
    } finally {
      await harness.server.cli('stop', '--yes', '--home', home)
      await rm(home, { recursive: true, force: true, maxRetries: 5 })
    }
  })
})
