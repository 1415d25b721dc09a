import {
  methods,
  type PermissionOption,
  type RequestPermissionOutcome,
  type ToolCallUpdate,
} from '@agentclientprotocol/sdk/unstable'
import { textContent, type OpenTool } from './tool-call.ts'
import type { PracticeTurn } from './turn.ts'
import { isInside } from './workspace.ts'

export const usualOptions: PermissionOption[] = [
  { optionId: 'allow', name: 'Allow once', kind: 'allow_once' },
  { optionId: 'allow-always', name: 'Allow for this session', kind: 'allow_always' },
  { optionId: 'reject', name: 'Reject', kind: 'reject_once' },
]

export async function requestPermission(
  turn: PracticeTurn,
  toolCall: ToolCallUpdate,
  options: PermissionOption[],
): Promise<RequestPermissionOutcome> {
  turn.signal.throwIfAborted()
  const outcome = await turn.client
    .request(
      methods.client.session.requestPermission,
      { sessionId: turn.session.id, toolCall, options },
      turn.withdrawable,
    )
    .then(
      (response) => response.outcome,
      // A failed request is not an approval.
      () => ({ outcome: 'cancelled' as const }),
    )
  turn.signal.throwIfAborted()
  return outcome
}

/**
 * Whether the work may be done. A refused tool call is closed here. The outcome `cancelled` without a cancelled turn is a
 * refusal too: a client has no other reply if no reject option was offered.
 */
export async function mayDo(turn: PracticeTurn, tool: OpenTool): Promise<boolean> {
  const isInWorkspace = tool.call.locations?.every(({ path }) => isInside(turn.session.cwd, path)) ?? true
  const kind = `${tool.call.kind ?? 'other'}${isInWorkspace ? '' : ' outside'}`
  if (turn.session.always.has(kind)) return true
  const outcome = await requestPermission(turn, tool.call, usualOptions)
  const chosen = outcome.outcome === 'selected' ? outcome.optionId : 'reject'
  if (chosen === 'allow-always') turn.session.always.add(kind)
  if (chosen === 'allow' || chosen === 'allow-always') return true
  // A refused diff stays visible; other calls show the refusal.
  const hasDiff = tool.call.content?.some(({ type }) => type === 'diff') ?? false
  await tool.update({ status: 'failed', ...(hasDiff ? {} : { content: [textContent('Not allowed.')] }) })
  return false
}
