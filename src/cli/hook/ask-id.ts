import type { AskId } from '../../domain/ask/schema.ts'
import { derivedId } from '../../lib/derived-id.ts'
import { newId } from '../../lib/id.ts'
import { canonicalJson } from '../../lib/json.ts'
import type { ToolEvent } from './event.ts'

/**
 * One use of a tool has one ask, so that a repeated hook finds it. The input counts too: some models number their calls
 * from 1 in every turn. If Claude Code gives no tool_use_id, each call gets a new ask.
 */
export function askIdOf(event: ToolEvent): AskId {
  const { session_id, prompt_id, tool_name, tool_input, tool_use_id } = event
  if (tool_use_id === undefined) return newId<AskId>()
  const use = canonicalJson([session_id, prompt_id ?? null, tool_use_id, tool_name, tool_input])
  return derivedId<AskId>('claude code hook', use)
}
