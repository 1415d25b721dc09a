import type { AskCommand } from '../domain/ask/schema.ts'
import type { AuditChange, AuditCommand } from '../domain/audit/schema.ts'
import type { MessageCommand } from '../domain/message/schema.ts'
import type { SessionChange, SessionCommand } from '../domain/session/schema.ts'
import type { AccessChange, AccessCommand, UserChange, UserCommand } from '../domain/user/schema.ts'
import type { RepoChange, RepoCommand } from '../domain/workspace/schema.ts'

/** Everything that can be asked of the core. */
export type Command =
  | SessionCommand
  | MessageCommand
  | AskCommand
  | UserCommand
  | AccessCommand
  | RepoCommand
  | AuditCommand

/** Everything that can come of it. */
export type Change = SessionChange | UserChange | AccessChange | RepoChange | AuditChange

export type CommandOf<T extends Command['type']> = Extract<Command, { type: T }>
