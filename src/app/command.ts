import type { AgentChange, AgentCommand } from '../domain/agent/schema.ts'
import type { AlertCommand } from '../domain/alert/schema.ts'
import type { AskCommand } from '../domain/ask/schema.ts'
import type { AuditChange, AuditCommand } from '../domain/audit/schema.ts'
import type { CheckpointChange, CheckpointCommand } from '../domain/checkpoint/schema.ts'
import type { MessageCommand } from '../domain/message/schema.ts'
import type { PatternChange, PatternCommand } from '../domain/pattern/schema.ts'
import type { PolicyChange, PolicyCommand } from '../domain/policy/schema.ts'
import type { PushChange, PushCommand } from '../domain/push/schema.ts'
import type { QueueCommand } from '../domain/queue/schema.ts'
import type { SessionChange, SessionCommand } from '../domain/session/schema.ts'
import type { TerminalCommand, TerminalOwnChange } from '../domain/terminal/schema.ts'
import type { AccessChange, AccessCommand, UserChange, UserCommand } from '../domain/user/schema.ts'
import type { RepoChange, RepoCommand } from '../domain/workspace/schema.ts'

/** Everything that can be asked of the core. */
export type Command =
  | SessionCommand
  | MessageCommand
  | QueueCommand
  | AgentCommand
  | AlertCommand
  | AskCommand
  | UserCommand
  | AccessCommand
  | RepoCommand
  | PolicyCommand
  | CheckpointCommand
  | TerminalCommand
  | PatternCommand
  | PushCommand
  | AuditCommand

/** Everything that can come of it. */
export type Change =
  | SessionChange
  | AgentChange
  | UserChange
  | AccessChange
  | RepoChange
  | PolicyChange
  | CheckpointChange
  | TerminalOwnChange
  | PatternChange
  | PushChange
  | AuditChange

export type CommandOf<T extends Command['type']> = Extract<Command, { type: T }>

/** Whether a command or change belongs to one of these families: `ask` for everything that begins with `ask.`. */
export function isOf<T extends { type: string }, F extends string>(
  value: T,
  ...families: readonly F[]
): value is Extract<T, { type: `${F}.${string}` }> {
  const dot = value.type.indexOf('.')
  return (families as readonly string[]).includes(value.type.slice(0, dot))
}
