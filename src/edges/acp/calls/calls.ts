import {
  client,
  methods,
  type ClientApp,
  type CreateElicitationResponse,
  type RequestPermissionRequest,
} from '@agentclientprotocol/sdk'
import type { Ask } from '../../../domain/ask/schema.ts'
import { iso } from '../../../lib/clock.ts'
import type { Json } from '../../../lib/json.ts'
import { createAskForCall, oneLine, askDefaults, type AskForCall, type CallDeps } from './ask-for-call.ts'
import { mountFileCalls } from './file-calls.ts'
import { approveOwnTool } from './own-tool-calls.ts'
import { permissionSubject, permissionTitle, readOptions, verdictOf } from './permission.ts'
import { shownCall } from './shown-call.ts'
import { mountTerminalCalls } from './terminal-calls.ts'
import { mergeToolCall, type ToolCallPart } from '../transcript/tool-call.ts'

/** Handlers for all calls an agent can make to its client. */
export function createCalls(deps: CallDeps): ClientApp {
  const askForCall = createAskForCall(deps)
  const app = client({ name: 'signalbox' })
    .onRequest(methods.client.session.requestPermission, ({ params, requestId, signal }) =>
      permission(deps, askForCall, params, requestId, signal),
    )
    .onRequest(methods.client.elicitation.create, async ({ params, requestId, signal }) => {
      const { message, requestedSchema } = params as { message: string; requestedSchema?: Json }
      const subject = { kind: 'elicitation' as const, message, schema: requestedSchema ?? {} }
      const ask = await askForCall(requestId, { ...askDefaults, title: oneLine(message), subject }, signal)
      return elicited(ask)
    })
    .onNotification('*', ({ method }) => {
      deps.shared.log.debug({ method }, 'unknown notification')
    })
  mountFileCalls(app, deps, askForCall)
  mountTerminalCalls(app, deps, askForCall)
  return app
}

async function permission(
  deps: CallDeps,
  askForCall: AskForCall,
  params: RequestPermissionRequest,
  requestId: unknown,
  signal: AbortSignal,
) {
  const offset = deps.offsetOf(requestId)
  const asked = params.toolCall as ToolCallPart
  const known = deps.transcript().toolOf(asked.toolCallId)
  const part = await shownCall(asked, known, deps.files)
  // Repeated after a restart, the call may have progressed or ended: then it changes nothing.
  const isOver = !known && deps.wasApplied(offset)
  const tool = isOver
    ? mergeToolCall(undefined, part)
    : deps.transcript().tool(known ? { ...part, status: null } : part, offset, iso(deps.shared.clock.now()))
  deps.recorder.usedTool(tool.title ?? tool.tool)
  const options = readOptions(params.options)
  const subject = permissionSubject(tool, options)
  const request = { toolCall: asked, meta: params._meta, options, earlier: known }
  const own = await approveOwnTool(deps, request, signal)
  const ask = await askForCall(requestId, { ...askDefaults, title: permissionTitle(tool), subject }, signal, own)
  const verdict = verdictOf(options, ask)
  // Our own tools change no files directly, so there is nothing to undo.
  if (verdict.allowed && !own) await deps.approvals.approve(ask.id, part.toolCallId, tool)
  if (!verdict.allowed && ask.status === 'answered') deps.transcript().rejected(part.toolCallId)
  // Shown in the transcript: a suggestion, never a silent rule.
  if (verdict.always) {
    const kept = (await deps.shared.app.read.allowance(deps.sessionId, ask.id)) ?? null
    const rule = 'If a rule fits, it is suggested. To confirm it: signalbox policy rules'
    const revoke = `To be asked again: signalbox sessions allowed ${deps.sessionId.slice(0, 8)}`
    const words =
      kept === null ? `Allowed once: ${ask.title}. ${rule}` : `Allowed for this session: ${kept}. ${revoke}. ${rule}`
    deps.transcript().note(words, `always-${ask.id}`, iso(deps.shared.clock.now()))
  }
  return { outcome: verdict.outcome }
}

function elicited({ status, answer }: Ask): CreateElicitationResponse {
  if (status !== 'answered' || answer === null) return { action: 'cancel' }
  if (answer.outcome !== 'accept') return { action: 'decline' }
  return { action: 'accept', content: answer.content as never }
}
