import { setTimeout as pause } from 'node:timers/promises'
import type { AutomaticAnswer, CallDeps } from './ask-for-call.ts'
import { inputOf, detectOwnTool, toolByTitle, type OwnServer, type PermissionRequest } from './own-tool-detection.ts'
import { verdictOf } from './permission.ts'

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

function ownServerOf({ shared, recorder }: CallDeps): OwnServer | null {
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
  ours: OwnServer,
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
