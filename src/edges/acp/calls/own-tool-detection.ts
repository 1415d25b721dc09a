import type { Json } from '../../../lib/json.ts'
import { pathsOf, type ToolCallPart, type ToolContent } from '../transcript/tool-call.ts'
import type { PermissionOption } from './permission.ts'
import { anyJson, jsonOrNull } from '../../../lib/parse-json.ts'

/** A permission an agent asks for, with what it said of the same call before. */
export type PermissionRequest = {
  toolCall: ToolCallPart
  meta: unknown
  options: readonly PermissionOption[]
  earlier: ToolContent | undefined
}

/** How our server is known to the agent, and who the agent says it is. */
export type OwnServer = {
  server: string
  agent: string | null
  knows(tool: string): boolean
  /** Whether the tool would take exactly this. */
  accepts(tool: string, input: unknown): boolean
}

type Fields = Readonly<Record<string, unknown>>
type ToolNameReader = (request: PermissionRequest, ours: OwnServer) => string | null

/**
 * Which of our own tools a permission is about, or null. Agents name server and tool in fields of their own making; a
 * title is for people to read, and tells nothing by itself.
 */
export function detectOwnTool(request: PermissionRequest, ours: OwnServer): string | null {
  if (touchesFiles(request)) return null
  for (const read of readers) {
    const tool = read(request, ours)
    if (tool !== null) return ours.knows(tool) && !runsCommand(request, tool, ours) ? tool : null
  }
  return null
}

/** A call of a tool of ours shows no file, no change and no terminal. */
function touchesFiles({ toolCall, earlier }: PermissionRequest): boolean {
  const parts = [{ content: toolCall.content as Json, locations: toolCall.locations as Json }, earlier ?? {}]
  return parts.some((part) => {
    const content = Array.isArray(part.content) ? part.content : []
    return content.some((entry) => fieldsOf(entry)['type'] !== 'content') || pathsOf(part).length > 0
  })
}

/** Called like a tool of ours, but with something to run that it would not take. */
function runsCommand({ toolCall, earlier }: PermissionRequest, tool: string, ours: OwnServer): boolean {
  const inputs = [toolCall.rawInput, earlier?.args].map(fieldsOf)
  return inputs.some((input) => ('command' in input || 'cmd' in input) && !ours.accepts(tool, input))
}

/** Claude: the server stands beside the tool's name, and where it comes from. */
const claude: ToolNameReader = ({ toolCall }, { server }) => {
  const { claudeCode } = fieldsOf(toolCall._meta)
  const { toolName, mcpServer } = fieldsOf(claudeCode)
  const { name, source = 'dynamic' } = fieldsOf(mcpServer)
  // One of the same name out of the workspace's own settings is not ours.
  const isOurs = name === server && source === 'dynamic' && isOther(toolCall.kind)
  return isOurs ? withoutPrefix(`mcp__${server}__`, toolName) : null
}

/** Qwen: the tool's registered name. */
const qwen: ToolNameReader = ({ toolCall }, { server }) => {
  const { toolName } = fieldsOf(toolCall._meta)
  return isOther(toolCall.kind) ? withoutPrefix(`mcp__${server}__`, toolName) : null
}

/** Codex: the request is marked as one for an MCP tool; the call before it says which. */
const codex: ToolNameReader = ({ toolCall, meta, earlier }, { server }) => {
  if (fieldsOf(meta)['is_mcp_tool_approval'] !== true || toolCall.rawInput !== undefined) return null
  return calledOn(server, earlier)
}

/** Codex by Zed: the same, with the server once more in the request. */
const codexZed: ToolNameReader = ({ toolCall, earlier }, { server }) => {
  const { server_name, id, request } = fieldsOf(toolCall.rawInput)
  const { _meta } = fieldsOf(request)
  const isApproval =
    fieldsOf(_meta)['codex_approval_kind'] === 'mcp_tool_call' && id === `mcp_tool_call_approval_${toolCall.toolCallId}`
  return isApproval && server_name === server ? calledOn(server, earlier) : null
}

/**
 * Gemini: it puts the tool's registered name before the call's id, and offers to allow a whole server only for MCP tools.
 * Its names do not tell where the server's ends, so the server it shows has to be ours as well.
 */
const gemini: ToolNameReader = ({ toolCall, options }, { server }) => {
  const offered = options.map(({ optionId }) => optionId)
  if (!offered.includes('proceed_always_server') || !isOther(toolCall.kind)) return null
  const named = withoutPrefix(`mcp_${server}_`, toolCall.toolCallId)
  const tool = named?.split('__')[0]
  return tool !== undefined && toolCall.title === `${tool} (${server} MCP Server)` ? tool : null
}

/** Agents that call a tool by nothing but the title, which is its registered name; how they write server and tool. */
const namedByTitle: Readonly<Record<string, string>> = {
  Copilot: '-',
  OpenCode: '_',
  Kilo: '_',
  'Kimi Code CLI': '__',
}

/** Which tool the title alone would mean. */
export function toolByTitle({ toolCall, earlier }: PermissionRequest, { agent, server }: OwnServer): string | null {
  const between = namedByTitle[agent ?? '']
  if (between === undefined || !isOther(toolCall.kind) || !isOther(earlier?.kind)) return null
  return withoutPrefix(`${between === '__' ? 'mcp__' : ''}${server}${between}`, earlier?.title ?? toolCall.title)
}

/** Theirs counts only with an input that exactly this tool of ours would take, and that did not make the title itself. */
const titled: ToolNameReader = (request, ours) => {
  const tool = toolByTitle(request, ours)
  const input = tool === null ? null : inputOf(request)
  if (tool === null || input === null) return null
  const titles = [request.earlier?.title, request.toolCall.title]
  const isMadeOfIt = Object.values(input).some((value) => titles.includes(value))
  return !isMadeOfIt && ours.accepts(tool, input) ? tool : null
}

const readers: readonly ToolNameReader[] = [claude, qwen, codex, codexZed, gemini, titled]

/** What it is called with: as data, or as the text that an agent shows of it. Nothing at all proves nothing. */
export function inputOf({ toolCall, earlier }: Pick<PermissionRequest, 'toolCall' | 'earlier'>): Fields | null {
  const texts = [toolCall.content, earlier?.content].flatMap((content) => (Array.isArray(content) ? content : []))
  const read = texts.map((entry) => fromJson(fieldsOf(fieldsOf(entry)['content'])['text']))
  const found = [toolCall.rawInput, earlier?.args, ...read].map(fieldsOf)
  return found.find((fields) => Object.keys(fields).length > 0) ?? null
}

function calledOn(server: string, earlier: ToolContent | undefined): string | null {
  const { server: named, tool, arguments: input, ...more } = fieldsOf(earlier?.args)
  const isWhole = typeof input === 'object' && Object.keys(more).length === 0
  return isWhole && named === server && typeof tool === 'string' ? tool : null
}

const withoutPrefix = (start: string, name: unknown): string | null =>
  typeof name === 'string' && name.startsWith(start) ? name.slice(start.length) : null

const isOther = (kind: unknown): boolean => kind === undefined || kind === null || kind === 'other'

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}

const fromJson = (text: unknown): Json | null => (typeof text === 'string' ? jsonOrNull(text, anyJson) : null)
