import * as z from 'zod'
import { askOfToolUse } from '../../../client/ask-of-tool-use.ts'
import { verdictOf, type ToolVerdict } from '../../../client/tool-verdict.ts'
import { Json } from '../../../lib/json.ts'
import { ok, type Result } from '../../../lib/result.ts'
import type { AskResult, ToolCall } from '../calls/tool-call.ts'
import type { LookAtFile } from '../deps.ts'
import { standingOf } from '../link.ts'
import { reply, tool, type ToolResult } from './tool.ts'

// Loose: new versions of Claude Code add fields.
const input = z.looseObject({
  tool_name: z.string().min(1).max(10_000).describe('The tool to use.'),
  input: z.record(z.string(), Json).describe('The arguments of the call.'),
  tool_use_id: z.string().max(1000).optional().describe('Its call id.'),
})
type PermissionInput = z.infer<typeof input>

/** Our own tools ask on their own. A name that only resembles one of them is asked about. */
const ownTool = (name: string): string | null => /^mcp__signalbox__(?<own>.+)$/.exec(name)?.groups?.['own'] ?? null

/** For `claude --permission-prompt-tool mcp__signalbox__permission_prompt`. */
export const permissionPrompt = (deps: { lookAtFile: LookAtFile; isOwn(tool: string): boolean }) =>
  tool({
    name: 'permission_prompt',
    title: 'Ask for permission to use a tool',
    description: [
      'Claude Code calls this automatically, through --permission-prompt-tool, when a tool needs permission.',
      'Do not call it yourself: use ask_approval for changes of files, and check_auto_approve for commands.',
    ].join(' '),
    input,
    annotations: { readOnlyHint: true, idempotentHint: false, openWorldHint: true },
    recordsSignOfLife: true,
    plainText: true,
    async run(use, call) {
      const own = ownTool(use.tool_name)
      if (own !== null && deps.isOwn(own)) return answered(use, { decision: 'allow', why: '' })
      const { id, workspaceRoot, workspaceClaimed } = call.session
      const place = {
        workspaceRoot,
        cwd: workspaceRoot,
        look: (path: string) => (workspaceClaimed ? unseen(path) : deps.lookAtFile({ id, workspaceRoot }, path)),
      }
      const ask = await askOfToolUse({ tool: use.tool_name, input: use.input }, place)
      const held = await call.ask(ask)
      return answered(use, verdict(held.ok && held.value.pending ? await withdrawn(call, held.value) : held))
    },
  })

/**
 * A caller without progress gives up soon, and Claude Code knows no "ask again": it is denied, and nobody can answer to no
 * effect. An answer that came at the last moment counts.
 */
async function withdrawn({ app, link }: ToolCall, { ask }: AskResult): Promise<Result<AskResult>> {
  await app.dispatch({ type: 'ask.cancel', id: ask.id, reason: nobodyInTime }, link.actor)
  const now = await app.read.ask(standingOf(link), ask.id)
  return now.ok ? ok({ ask: now.value, pending: false }) : now
}

const nobodyInTime = 'nobody answered while Claude Code was waiting'

const unseen = (path: string) => Promise.resolve({ real: path, exists: true, text: null })

function verdict(held: Result<AskResult>): ToolVerdict {
  if (held.ok) return verdictOf(held.value.ask, null)
  const { message, hint } = held.fault
  return { decision: 'deny', why: [message, hint].filter(Boolean).join(' ') }
}

/** Claude Code knows allow and deny, and treats any error as a denial without a reason. */
const answered = (use: PermissionInput, { decision, why }: ToolVerdict): ToolResult =>
  reply(
    decision === 'allow'
      ? { behavior: 'allow', updatedInput: use.input }
      : { behavior: 'deny', message: `${why}${noMore(decision)}` },
  )

const noMore = (decision: ToolVerdict['decision']): string =>
  decision === 'open' ? ' It was not done; ask again when someone is available.' : ''
