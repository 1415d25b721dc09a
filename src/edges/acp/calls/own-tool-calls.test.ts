import type { ToolContent } from '../../../domain/message/schema.ts'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { mergeToolCall, type ToolCallPart } from '../transcript/tool-call.ts'
import { detectOwnTool, type OwnServerFacts, type PermissionRequest } from './own-tool-calls.ts'
import { readOptions } from './permission.ts'

type Message = {
  method: string
  params: {
    toolCall?: ToolCallPart
    update?: ToolCallPart
    _meta?: unknown
    options?: { optionId: string; name: string; kind: string }[]
  }
}
type Recorded = { agentInfo: { name: string }; messages: Message[] }

const agents = ['claude', 'codex', 'codexzed', 'copilot', 'gemini', 'kilo', 'kimi', 'opencode', 'qwen'] as const
type Agent = (typeof agents)[number]
const folder = new URL('../../../../test/fixtures/acp/own-tools/', import.meta.url)
const recorded = (agent: Agent): Recorded =>
  JSON.parse(readFileSync(new URL(`${agent}.json`, folder), 'utf8')) as Recorded

const inputs: Record<string, z.ZodType> = {
  ask_approval: z.strictObject({ title: z.string(), diff: z.string(), file_path: z.string() }),
  heartbeat: z.strictObject({ status_message: z.string().optional() }),
}
const oursIn = (agent: string | null, server = 'signalbox'): OwnServerFacts => ({
  server,
  agent,
  knows: (tool) => tool in inputs,
  accepts: (tool, input) => inputs[tool]?.safeParse(input).success ?? false,
})

/** The request and what was known of the call by then; some agents send more a moment later. */
function requestOf({ messages }: Recorded, momentLater = false): PermissionRequest {
  const at = messages.findIndex(({ method }) => method === 'session/request_permission')
  const { toolCall, _meta: meta, options = [] } = messages[at]!.params
  const heard = messages.slice(0, momentLater ? at + 3 : at).flatMap(({ params }) => params.update ?? [])
  const earlier = heard.reduce<ToolContent | undefined>((known, part) => mergeToolCall(known, part), undefined)
  return { toolCall: toolCall!, meta, options: readOptions(options), earlier }
}

/** The original request with this changed. */
const changed = (request: PermissionRequest, part: Partial<ToolCallPart>): PermissionRequest => ({
  ...request,
  toolCall: { ...request.toolCall, ...part },
})

const late: readonly Agent[] = ['kilo', 'opencode']
const given = (agent: Agent) => requestOf(recorded(agent), late.includes(agent))
const judged = (agent: Agent, request: PermissionRequest, server?: string) =>
  detectOwnTool(request, oursIn(recorded(agent).agentInfo.name, server))

describe('a call of one of our own tools', () => {
  it.each(agents)('X7 is recognised in what %s asks', (agent) => {
    expect(judged(agent, given(agent))).toBe('ask_approval')
  })

  it.each(late)('X7 is not recognised while %s has not sent the input', (agent) => {
    expect(judged(agent, requestOf(recorded(agent)))).toBeNull()
  })

  it.each(agents)('X7 of another server is not ours (%s)', (agent) => {
    expect(judged(agent, given(agent), 'signalbox-2')).toBeNull()
  })

  it.each(agents)('X7 that we do not have is not ours (%s)', (agent) => {
    const ours = { ...oursIn(recorded(agent).agentInfo.name), knows: () => false, accepts: () => false }
    expect(detectOwnTool(given(agent), ours)).toBeNull()
  })

  it.each(agents)('X7 is not recognised by its title (%s)', (agent) => {
    const { toolCall, earlier, options } = given(agent)
    const bare = { toolCallId: 'call-1', title: toolCall.title ?? earlier?.title, kind: 'other', status: 'pending' }
    expect(judged(agent, { toolCall: bare, meta: undefined, options, earlier: undefined })).toBeNull()
    const before = mergeToolCall(undefined, { ...bare, title: earlier?.title ?? toolCall.title })
    expect(judged(agent, { toolCall: bare, meta: undefined, options, earlier: before })).toBeNull()
  })

  it.each(agents)('X7 that shows a change, a file or a terminal is asked about (%s)', (agent) => {
    const request = given(agent)
    const diff = { type: 'diff', path: '/etc/passwd', oldText: 'a', newText: 'b' }
    expect(judged(agent, changed(request, { content: [diff] }))).toBeNull()
    expect(judged(agent, changed(request, { content: [{ type: 'terminal', terminalId: 't' }] }))).toBeNull()
    expect(judged(agent, changed(request, { locations: [{ path: '/etc/passwd' }] }))).toBeNull()
  })

  it.each(agents)('X7 that runs a command is asked about (%s)', (agent) => {
    const request = given(agent)
    expect(judged(agent, changed(request, { rawInput: { command: 'rm -rf /' } }))).toBeNull()
  })

  it.each(agents.filter((agent) => agent !== 'codex' && agent !== 'codexzed'))(
    'X7 of a kind that runs, edits or reads is asked about (%s)',
    (agent) => {
      for (const kind of ['execute', 'edit', 'delete', 'move', 'read', 'fetch'])
        expect(judged(agent, changed(given(agent), { kind }))).toBeNull()
    },
  )

  it.each(['codex', 'codexzed'] as const)('X7 is asked about if no earlier call is known (%s)', (agent) => {
    expect(judged(agent, { ...given(agent), earlier: undefined })).toBeNull()
  })

  it('X7 codex: a command whose input looks like a call of ours, and a call not marked as one of MCP, are asked about', () => {
    const request = given('codex')
    expect(judged('codex', { ...request, meta: undefined })).toBeNull()
    const command = { server: 'signalbox', tool: 'ask_approval', arguments: {}, command: ['rm', '-rf', '/'] }
    expect(judged('codex', { ...request, earlier: { ...request.earlier!, args: command } })).toBeNull()
  })

  it('X7 claude: a server of the same name from the workspace is not ours', () => {
    const _meta = {
      claudeCode: { toolName: 'mcp__signalbox__ask_approval', mcpServer: { name: 'signalbox', source: 'project' } },
    }
    expect(judged('claude', changed(given('claude'), { _meta }))).toBeNull()
    const nameless = { claudeCode: { toolName: 'mcp__signalbox__ask_approval' } }
    expect(judged('claude', changed(given('claude'), { _meta: nameless }))).toBeNull()
  })

  it('X7 gemini: another server’s tool whose name runs into ours is not ours', () => {
    const title = 'approval (signalbox_ask MCP Server)'
    expect(judged('gemini', changed(given('gemini'), { title }))).toBeNull()
  })

  it('X7 an unknown agent is asked about, whatever its title and input', () => {
    for (const agent of ['copilot', 'kimi', 'opencode', 'kilo'] as const)
      expect(detectOwnTool(given(agent), oursIn('somebody'))).toBeNull()
  })

  it('X7 a title made of the input is asked about', () => {
    const title = 'signalbox-heartbeat'
    const toolCall = { toolCallId: 'call-1', title, kind: 'other', rawInput: { status_message: title } }
    expect(detectOwnTool({ toolCall, meta: undefined, options: [], earlier: undefined }, oursIn('Copilot'))).toBeNull()
    const said = { ...toolCall, rawInput: { status_message: 'half done' } }
    const request = { toolCall: said, meta: undefined, options: [], earlier: undefined }
    expect(detectOwnTool(request, oursIn('Copilot'))).toBe('heartbeat')
  })
})
