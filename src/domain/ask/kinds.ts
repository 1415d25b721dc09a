import type { AskKind } from './subject.ts'

const kinds: Record<AskKind, true> = {
  diff: true,
  command: true,
  tool: true,
  permission: true,
  elicitation: true,
  prompt: true,
  wait: true,
  question: true,
  packages: true,
  mcp_server: true,
  create_agent: true,
  credential: true,
  admin_command: true,
  unknown_sender: true,
  new_chat: true,
  terminal_prompt: true,
}
/** Written out, because `AskSubject` is not made at a start: the command line knows these words without Zod. */
export const askKinds = Object.keys(kinds) as AskKind[]

/** Asks for administrators, not for the owner of the session they came from (C7). */
const administrative: readonly AskKind[] = [
  'packages',
  'mcp_server',
  'create_agent',
  'credential',
  'admin_command',
  'unknown_sender',
  'new_chat',
]
export const isAdministrative = (kind: AskKind): boolean => administrative.includes(kind)

/** Those that change an agent group when they are approved. */
export const groupKinds = ['packages', 'mcp_server', 'create_agent', 'credential', 'admin_command'] as const
export const isGroupKind = (kind: AskKind): boolean => (groupKinds as readonly AskKind[]).includes(kind)
