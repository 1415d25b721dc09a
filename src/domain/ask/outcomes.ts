import type { Outcome } from './answer.ts'
import type { AskKind } from './subject.ts'

/** The outcomes each kind of ask accepts. Free of zod because browsers load it too. */
export const outcomesOf: Readonly<Record<AskKind, readonly Outcome[]>> = {
  diff: ['approve', 'reject'],
  command: ['approve', 'reject'],
  tool: ['approve', 'reject'],
  permission: ['select', 'approve', 'reject'],
  elicitation: ['accept', 'decline'],
  prompt: ['continue', 'refine', 'stop'],
  wait: ['resume', 'stop'],
  question: ['reply', 'decline'],
  packages: ['approve', 'reject'],
  mcp_server: ['approve', 'reject'],
  create_agent: ['approve', 'reject'],
  credential: ['reply', 'reject'],
  admin_command: ['approve', 'reject'],
  unknown_sender: ['approve', 'reject'],
  new_chat: ['approve', 'reject'],
  terminal_prompt: ['reply', 'decline'],
}
