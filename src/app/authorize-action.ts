import { notConfirmed } from '../domain/terminal/not-confirmed.ts'
import type { Actor } from '../domain/user/actor.ts'
import type { UserId } from '../domain/user/id.ts'
import { ok, type Failed, type Result } from '../lib/result.ts'
import { agentsMayNot, allow, forbid, readOnly } from './rules.ts'
import type { Detection } from './terminals.ts'

type ActionRule = (actor: Actor) => Failed | null

const notForAgents =
  (message: string, hint?: string): ActionRule =>
  (actor) =>
    actor.kind === 'agent' ? forbid('not_permitted', message, hint) : allow

/** Permissions for what an edge does without a command. Commands are in `authorize.ts`. */
const actions = {
  'practice.start': readOnly,
  /** Recording how far a person has read. */
  'read_mark.move': readOnly,
  'mcp.connect': (actor) =>
    actor.kind === 'agent' || actor.kind === 'person'
      ? readOnly(actor)
      : forbid('not_for_callers', 'Only agents and programs of people can connect over MCP.'),
  /** The socket for agents with their own network. */
  'gate.enter': (actor) =>
    actor.kind === 'agent'
      ? allow
      : forbid(
          'agents_only',
          "This socket only accepts agents' tokens.",
          'People and their programs use the address that the server printed when it started.',
        ),
  'terminal.start': (actor) =>
    actor.kind === 'agent' && actor.sessionId === null
      ? forbid(
          'not_permitted',
          'This token has no session to start a terminal in.',
          'Connect over MCP, or use a token made for a session.',
        )
      : allow,
  'terminal.run_unapproved': notForAgents(
    "An agent's program needs approval before it starts.",
    'Use the tool start_session_monitor.',
  ),
  'terminal.adopt': notForAgents('Only a person can adopt a terminal.'),
  'terminal.end': notForAgents('Only people can end a terminal or change its size.'),
  'terminal.resize': notForAgents('Only people can end a terminal or change its size.'),
  /** Keys without a prompt: the person watches the screen. */
  'terminal.type_unprompted': (actor) => (actor.kind === 'person' ? allow : agentsMayNot()),
  'terminal.paste_lines': notForAgents('Only people can paste several lines.'),
  'terminal.press_control_key': notForAgents('Only people can press control keys.'),
} satisfies Record<string, ActionRule>

export type Action = keyof typeof actions

/** Null if the actor may. */
export const authorizeAction = (actor: Actor, action: Action): Failed | null => actions[action](actor)

/** Tokens, codes and links are made for the person who asks. An agent can't have them. */
export const ownUserId = (actor: Actor): Result<UserId> => (actor.kind === 'person' ? ok(actor.userId) : agentsMayNot())

type PromptToAnswer = Pick<Detection, 'isDangerous' | 'dangerReason' | 'secret' | 'promptType'>

/**
 * Null if the actor may answer this prompt of a terminal. `approved`: a person or the policy has seen the answer.
 * `confirmed`: the person was asked again.
 */
export function authorizeTerminalAnswer(
  actor: Actor,
  prompt: PromptToAnswer,
  { approved, confirmed }: { approved: boolean; confirmed: boolean },
): Failed | null {
  if (actor.kind !== 'agent')
    return prompt.isDangerous && !confirmed ? notConfirmed(prompt.dangerReason ?? 'its answer may do damage') : allow
  if (prompt.isDangerous) return needsPerson(prompt.dangerReason ?? 'its answer is dangerous')
  if (prompt.secret) return needsPerson('it asks for a secret')
  return prompt.promptType === 'command' && !approved ? needsPerson('commands need approval') : allow
}

const needsPerson = (why: string): Failed =>
  forbid('needs_person', `A person has to answer this prompt: ${why}.`, 'It is in the inbox; ask them, or wait.')
