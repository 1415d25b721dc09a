import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import {
  client,
  methods,
  ndJsonStream,
  type ClientCapabilities,
  type ClientContext,
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  type RequestPermissionRequest,
  type SessionUpdate,
} from '@agentclientprotocol/sdk/unstable'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const entry = join(root, 'src/practice/main.ts')

/** The option to choose, or `cancelled`. */
export type Choose = (request: RequestPermissionRequest) => string | Promise<string>

export type PracticeOptions = {
  choose?: Choose
  elicit?: (request: CreateElicitationRequest) => CreateElicitationResponse | Promise<CreateElicitationResponse>
  capabilities?: ClientCapabilities
  /** Where conversations are stored: another process can load them from there. */
  stateHome?: string
}

/** A directory that is removed after the test. */
export function scratch(): { path: string; [Symbol.dispose](): void } {
  const path = mkdtempSync(join(tmpdir(), 'practice-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

/** The practice agent as a process, connected to the SDK's client. */
export async function startPractice(options: PracticeOptions = {}) {
  const state = scratch()
  const child = spawn(process.execPath, [entry, '--fast'], {
    env: {
      PATH: process.env['PATH'],
      XDG_STATE_HOME: options.stateHome ?? state.path,
      SECRET_TOKEN: 'never printed',
      // Starts from source in half the time.
      NODE_COMPILE_CACHE: join(root, '.cache/compile'),
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let stderr = ''
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString()
  })
  const exit = new Promise<number | null>((resolve) => {
    child.on('close', (code) => resolve(code))
  })
  const updates: (SessionUpdate & { sessionId: string })[] = []
  const permissions: RequestPermissionRequest[] = []
  const withdrawn: string[] = []
  const seeds: { method: string; id?: unknown; params: unknown }[] = []

  const app = client({ name: 'test' })
    .onNotification(methods.client.session.update, ({ params }) => {
      updates.push({ ...params.update, sessionId: params.sessionId })
    })
    .onRequest(methods.client.session.requestPermission, async ({ params, signal }) => {
      permissions.push(params)
      signal.addEventListener('abort', () => withdrawn.push(params.toolCall.toolCallId))
      const optionId = (await options.choose?.(params)) ?? 'allow'
      return { outcome: optionId === 'cancelled' ? { outcome: 'cancelled' } : { outcome: 'selected', optionId } }
    })
    .onRequest(methods.client.elicitation.create, ({ params }) => options.elicit?.(params) ?? { action: 'decline' })
    .onNotification('*', ({ method, params }) => {
      if (!method.startsWith('$/')) seeds.push({ method, params })
    })
    .onRequest('*', ({ method, params, requestId, signal }) => {
      seeds.push({ method, id: requestId, params })
      signal.addEventListener('abort', () => withdrawn.push(method))
      // Answered by a separate message, as the dialect requires.
      return new Promise<never>(() => {})
    })
  const stream = ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout))
  const connection = app.connect(stream)
  const agent: ClientContext = connection.agent
  const hello = await agent.request(methods.agent.initialize, {
    protocolVersion: 1,
    clientCapabilities: options.capabilities ?? { elicitation: { form: {} } },
  })

  return {
    agent,
    app,
    child,
    exit,
    hello,
    updates,
    permissions,
    withdrawn,
    seeds,
    stderr: () => stderr,
    /** A raw line, bypassing the SDK. */
    raw: (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`),
    newSession: (cwd: string) => agent.request(methods.agent.session.new, { cwd, mcpServers: [] }),
    prompt: (sessionId: string, text: string) =>
      agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: 'text', text }] }),
    cancel: (sessionId: string) => agent.notify(methods.agent.session.cancel, { sessionId }),
    text: (sessionId?: string) =>
      updates
        .filter((update) => sessionId === undefined || update.sessionId === sessionId)
        .map((update) =>
          update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text' ? update.content.text : '',
        )
        .join(''),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await exit
      connection.close()
      state[Symbol.dispose]()
    },
  }
}
