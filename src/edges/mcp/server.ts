import {
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type CallToolResult,
  type ServerContext,
  type JSONRPCMessage,
  type RequestId,
} from '@modelcontextprotocol/server'
import { isOf } from '../../app/events.ts'
import type { SessionId } from '../../domain/session/id.ts'
import { hasEnded } from '../../domain/session/status.ts'
import { createAnswers } from '../../app/answers.ts'
import { fail, type Failed, type Fault } from '../../lib/result.ts'
import { sha256 } from '../../lib/secret.ts'
import { createSignOfLife, createToolCall } from './calls/tool-call.ts'
import { createCallHold } from './calls/hold.ts'
import { createPauses } from './calls/pause.ts'
import { callKeyOf } from './http/request-record.ts'
import type { Link } from './link.ts'
import type { McpDeps } from './deps.ts'
import { listPrompts, promptOf } from './prompts.ts'
import { createResources } from './resources.ts'
import type { McpSessions } from './sessions.ts'
import { createSteering } from './steering.ts'
import { createTools, type Tools } from './tools/index.ts'
import type { ToolResult, Tool } from './tools/tool.ts'

const instructions = [
  'Signalbox lets people decide about your work from anywhere. Start with recover_state.',
  'Before you change files call ask_approval, then accept_diff; before you run a command call check_auto_approve.',
  'Call heartbeat every minute or two and act on pending_steering. When you are done call wait_for_instruction.',
  'A result with status "pending" is not an answer yet: call the same tool again with its request_id.',
].join(' ')

/** Creates the MCP server for a connection or an independent request. */
export type McpServers = {
  serverFor(link: Link): Server
  /** Describes itself; belongs to no caller. */
  describe(): Server
  readonly tools: Tools
  close(): void
}

export function createMcpServers(deps: McpDeps & { sessions: McpSessions }): McpServers {
  const { app, clock, log, version } = deps
  const answers = createAnswers(app)
  const pauses = createPauses(app)
  const afterSend = createAfterSend()
  const steering = createSteering(app)
  const tools = createTools({ ...deps, rebinding: deps.sessions, steering })
  const resources = createResources(app)
  const listening = app.tail.listen((events) => {
    for (const event of events) {
      if (isOf(event, 'ask')) answers.heard(event.data.id)
      if (event.type === 'session.status_changed') {
        pauses.heard(event.data.id)
        if (hasEnded(event.data.to)) counting.delete(event.data.id)
      }
    }
  })

  /** Sessions that are known to have a slot (R4). */
  const counting = new Set<SessionId>()

  /** Null once the session has a slot; it takes one with its first call. */
  async function counted({ sessionId, actor }: Link): Promise<Failed | null> {
    if (counting.has(sessionId)) return null
    const begun = await app.dispatch({ type: 'session.begin_work', id: sessionId }, actor)
    if (!begun.ok) return begun
    counting.add(sessionId)
    return null
  }

  async function run(tool: Tool, input: unknown, link: Link, context: ServerContext): Promise<ToolResult> {
    const { signal, _meta: meta } = context.mcpReq
    const token = meta?.progressToken
    const gone = AbortSignal.any([signal, link.closing])
    const holding = createCallHold({
      gone,
      holdMs: deps.holdMs,
      progress:
        token === undefined
          ? null
          : (progress, message) =>
              context.mcpReq.notify({
                method: 'notifications/progress',
                params: { progressToken: token, progress, message },
              }),
    })
    await steering.settled(link.sessionId)
    const ready = await pauses.ready(link.sessionId, holding)
    if (!ready.ok) return ready
    const refused = await deps.sessions.back(ready.value, link)
    if (refused) return refused
    const full = await counted(link)
    if (full) return full
    const signOfLife = createSignOfLife(app, link, tool)
    if (!tool.recordsSignOfLife) await signOfLife.record()
    const about = {
      link,
      tool: tool.name,
      session: ready.value,
      key: keyOf(link, context, tool.name, input),
      signOfLife,
      onceSent: (then: () => Promise<void>) => afterSend.run(server(context), context.mcpReq.id, then),
    }
    const result = await tool.run(input, createToolCall({ app, clock, log, answers }, about, holding))
    // A failed call is a sign of life too.
    await signOfLife.record()
    return result
  }

  const owners = new WeakMap<ServerContext['mcpReq'], Server>()
  const server = (context: ServerContext): Server | undefined => owners.get(context.mcpReq)

  function build(link: Link | null): Server {
    const made = new Server(
      { name: 'signalbox', title: 'Signalbox', version },
      { capabilities: { tools: {}, prompts: {}, resources: {} }, instructions },
    )
    made.setRequestHandler('tools/list', () => ({ tools: tools.listed.map(listed) }))
    made.setRequestHandler('prompts/list', () => ({ prompts: listPrompts() }))
    made.setRequestHandler('prompts/get', ({ params }) => promptOf(params.name))
    made.setRequestHandler('resources/list', () => ({ resources: resources.list() }))
    made.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [] }))
    if (link === null) return made
    made.setRequestHandler('resources/read', ({ params }) => resources.read(params.uri, link))
    made.setRequestHandler('tools/call', async ({ params }, context) => {
      const tool = tools.find(params.name)
      if (!tool)
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool ${params.name}. See tools/list.`)
      owners.set(context.mcpReq, made)
      try {
        return render(await run(tool, params.arguments, link, context), tool)
      } catch (error) {
        if (link.closing.aborted || context.mcpReq.signal.aborted) throw error
        log.error({ tool: tool.name, error: error instanceof Error ? error.stack : String(error) }, 'a tool failed')
        return render(fail(broken), tool)
      }
    })
    return made
  }

  return {
    serverFor: build,
    describe: () => build(null),
    tools,
    close: () => listening[Symbol.dispose](),
  }
}

const listed = ({ name, title, description, inputSchema, outputSchema, annotations }: Tool) => ({
  name,
  title,
  description,
  inputSchema,
  ...(outputSchema && { outputSchema }),
  annotations: { title, ...annotations },
})

function render(result: ToolResult, tool: Tool): CallToolResult {
  const body = result.ok ? result.value : errorOf(result.fault)
  const content = [{ type: 'text' as const, text: JSON.stringify(body) }]
  if (tool.plainText) return result.ok ? { content } : { content, isError: true }
  return { content, structuredContent: { ...body }, ...(!result.ok && { isError: true }) }
}

const errorOf = ({ code, message, hint, details }: Fault) => ({
  status: 'error',
  error_code: code,
  error_message: hint === undefined ? message : `${message} ${hint}`,
  ...(typeof details?.['askId'] === 'string' && { request_id: details['askId'] }),
})

const broken: Fault = {
  kind: 'unavailable',
  code: 'internal_error',
  message: 'Something went wrong in Signalbox; see its log.',
}

/** Identifies a call, so that a repeated one is recognised, even if clients reuse request ids. */
function keyOf(
  { sessionId, connectionId, callKey }: Link,
  { mcpReq, http }: ServerContext,
  tool: string,
  input: unknown,
): string | null {
  // A client that reconnected repeats its own key, not our connection's id.
  const own = callKey ?? callKeyOf(http?.req)
  if (own === null && connectionId === null) return null
  const name = own === null ? `${connectionId}:${JSON.stringify(mcpReq.id)}` : `${sessionId}:${own}`
  return `${name}:${sha256(JSON.stringify([tool, input ?? null]))}`
}

type Thens = Map<string, (() => Promise<void>)[]>
type McpTransport = NonNullable<Server['transport']>

/** Runs callbacks when the reply to a request was sent. */
type AfterSend = {
  /** Does not run `then` if the reply was not delivered. */
  run(server: Server | undefined, id: RequestId, then: () => Promise<void>): void
}

function createAfterSend(): AfterSend {
  const waiting = new WeakMap<McpTransport, Thens>()

  function watch(transport: McpTransport): Thens {
    const calls: Thens = new Map()
    waiting.set(transport, calls)
    const send = transport.send.bind(transport)
    transport.send = async (message, options) => {
      const key = answered(message)
      const thens = key === null ? [] : (calls.get(key) ?? [])
      if (key !== null) calls.delete(key)
      await send(message, options)
      for (const then of thens) await then()
    }
    return calls
  }

  return {
    run(server, id, then) {
      const transport = server?.transport
      if (!transport) return
      const calls = waiting.get(transport) ?? watch(transport)
      const key = JSON.stringify(id)
      calls.set(key, [...(calls.get(key) ?? []), then])
    },
  }
}

const answered = (message: JSONRPCMessage): string | null =>
  'method' in message || !('id' in message) ? null : JSON.stringify(message.id)
