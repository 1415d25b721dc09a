import type { PermissionOption } from '../../../domain/ask/subject.ts'
import type { ToolContent } from '../../../domain/message/schema.ts'
import { setTimeout as pause } from 'node:timers/promises'
import type { Json } from '../../../lib/json.ts'
import { pathsOf, type ToolCallPart } from '../transcript/tool-call.ts'
import { verdictOf } from './permission.ts'
import { fieldsOf, inputOf } from './shown-call.ts'
import type { AutomaticAnswer, CallDeps } from './ask-for-call.ts'

/** A permission request, with what the agent sent about the same call before. */
export type PermissionRequest = {
  toolCall: ToolCallPart
  meta: unknown
  options: readonly PermissionOption[]
  earlier: ToolContent | undefined
}

/** Our server's name at the agent, and the agent's own name. */
export type OwnServerFacts = {
  server: string
  agent: string | null
  knows(tool: string): boolean
  /** Whether the tool accepts this input. */
  accepts(tool: string, input: unknown): boolean
}

type ToolNameReader = (request: PermissionRequest, ours: OwnServerFacts) => string | null

/**
 * Which of our own tools a permission is about, or null. Each agent names server and tool in its own fields. A title
 * is for people and proves nothing alone.
 */
export function detectOwnTool(request: PermissionRequest, ours: OwnServerFacts): string | null {
  if (touchesFiles(request)) return null
  for (const read of readers) {
    const tool = read(request, ours)
    if (tool !== null) return ours.knows(tool) && !runsCommand(request, tool, ours) ? tool : null
  }
  return null
}

/** Calls of our own tools show no files, diffs or terminals. */
function touchesFiles({ toolCall, earlier }: PermissionRequest): boolean {
  const parts = [{ content: toolCall.content as Json, locations: toolCall.locations as Json }, earlier ?? {}]
  return parts.some((part) => {
    const content = Array.isArray(part.content) ? part.content : []
    return content.some((entry) => fieldsOf(entry)['type'] !== 'content') || pathsOf(part).length > 0
  })
}

/** Named like our own tool, but with a command that our tool does not accept. */
function runsCommand({ toolCall, earlier }: PermissionRequest, tool: string, ours: OwnServerFacts): boolean {
  const inputs = [toolCall.rawInput, earlier?.args].map(fieldsOf)
  return inputs.some((input) => ('command' in input || 'cmd' in input) && !ours.accepts(tool, input))
}

/** Claude: names the server, and its source, beside the tool. */
const claude: ToolNameReader = ({ toolCall }, { server }) => {
  const { claudeCode } = fieldsOf(toolCall._meta)
  const { toolName, mcpServer } = fieldsOf(claudeCode)
  const { name, source = 'dynamic' } = fieldsOf(mcpServer)
  // A server of the same name from the workspace's settings is not ours.
  const isOurs = name === server && source === 'dynamic' && isOther(toolCall.kind)
  return isOurs ? withoutPrefix(`mcp__${server}__`, toolName) : null
}

/** Qwen: the tool's registered name. */
const qwen: ToolNameReader = ({ toolCall }, { server }) => {
  const { toolName } = fieldsOf(toolCall._meta)
  return isOther(toolCall.kind) ? withoutPrefix(`mcp__${server}__`, toolName) : null
}

/** Codex: the request is marked as an MCP tool approval; the earlier call names the tool. */
const codex: ToolNameReader = ({ toolCall, meta, earlier }, { server }) => {
  if (fieldsOf(meta)['is_mcp_tool_approval'] !== true || toolCall.rawInput !== undefined) return null
  return calledOn(server, earlier)
}

/** Codex by Zed: the same, and the request repeats the server's name. */
const codexZed: ToolNameReader = ({ toolCall, earlier }, { server }) => {
  const { server_name, id, request } = fieldsOf(toolCall.rawInput)
  const { _meta } = fieldsOf(request)
  const isApproval =
    fieldsOf(_meta)['codex_approval_kind'] === 'mcp_tool_call' && id === `mcp_tool_call_approval_${toolCall.toolCallId}`
  return isApproval && server_name === server ? calledOn(server, earlier) : null
}

/**
 * Gemini: the call's id begins with the tool's registered name, and only MCP tools offer to allow a whole server. The
 * name does not show where the server's part ends, so the title must name our server too.
 */
const gemini: ToolNameReader = ({ toolCall, options }, { server }) => {
  const offered = options.map(({ optionId }) => optionId)
  if (!offered.includes('proceed_always_server') || !isOther(toolCall.kind)) return null
  const named = withoutPrefix(`mcp_${server}_`, toolCall.toolCallId)
  const tool = named?.split('__')[0]
  return tool !== undefined && toolCall.title === `${tool} (${server} MCP Server)` ? tool : null
}

/** Agents that name a tool only in the title, by its registered name, with the separator they use. */
const namedByTitle: Readonly<Record<string, string>> = {
  Copilot: '-',
  OpenCode: '_',
  Kilo: '_',
  'Kimi Code CLI': '__',
}

/** The tool that the title alone names. */
export function toolByTitle(
  { toolCall, earlier }: PermissionRequest,
  { agent, server }: OwnServerFacts,
): string | null {
  const between = namedByTitle[agent ?? '']
  if (between === undefined || !isOther(toolCall.kind) || !isOther(earlier?.kind)) return null
  return withoutPrefix(`${between === '__' ? 'mcp__' : ''}${server}${between}`, earlier?.title ?? toolCall.title)
}

/** Their title counts only if our tool accepts the input, and no input value is the title. */
const titled: ToolNameReader = (request, ours) => {
  const tool = toolByTitle(request, ours)
  const input = tool === null ? null : inputOf(request)
  if (tool === null || input === null) return null
  const titles = [request.earlier?.title, request.toolCall.title]
  const isMadeOfIt = Object.values(input).some((value) => titles.includes(value))
  return !isMadeOfIt && ours.accepts(tool, input) ? tool : null
}

const readers: readonly ToolNameReader[] = [claude, qwen, codex, codexZed, gemini, titled]

function calledOn(server: string, earlier: ToolContent | undefined): string | null {
  const { server: named, tool, arguments: input, ...more } = fieldsOf(earlier?.args)
  const isWhole = typeof input === 'object' && Object.keys(more).length === 0
  return isWhole && named === server && typeof tool === 'string' ? tool : null
}

const withoutPrefix = (start: string, name: unknown): string | null =>
  typeof name === 'string' && name.startsWith(start) ? name.slice(start.length) : null

const isOther = (kind: unknown): boolean => kind === undefined || kind === null || kind === 'other'

const momentMs = 1000
const lookEveryMs = 20

const approve = { outcome: 'approve' as const, always: false, reason: null }

/** The automatic answer to a permission for our own tool; undefined if a person has to decide. */
export async function approveOwnTool(
  deps: CallDeps,
  request: PermissionRequest,
  signal: AbortSignal,
): Promise<AutomaticAnswer | undefined> {
  const ours = ownServerOf(deps)
  if (ours === null || !verdictOf(request.options, { status: 'answered', answer: approve }).allowed) return undefined
  await deps.shared.ownTools.load()
  const whole = await awaitInput(deps, request, ours, signal)
  return detectOwnTool(whole, ours) === null ? undefined : { rule: 'own-tool', answer: approve }
}

function ownServerOf({ shared, recorder }: CallDeps): OwnServerFacts | null {
  const { server } = recorder.notes.own
  if (server === '') return null
  const { name } = (recorder.about.agentInfo ?? {}) as { name?: unknown }
  const { knows, accepts } = shared.ownTools
  return { server, agent: typeof name === 'string' ? name : null, knows, accepts }
}

/** Some agents send a tool's input shortly after they ask for permission. */
async function awaitInput(
  deps: CallDeps,
  request: PermissionRequest,
  ours: OwnServerFacts,
  signal: AbortSignal,
): Promise<PermissionRequest> {
  if (toolByTitle(request, ours) === null) return request
  const until = AbortSignal.any([signal, deps.closing, AbortSignal.timeout(momentMs)])
  const { toolCallId } = request.toolCall
  let seen = request
  while (inputOf(seen) === null && !until.aborted) {
    await pause(lookEveryMs)
    seen = { ...request, earlier: deps.transcript().toolOf(toolCallId) }
  }
  return seen
}
