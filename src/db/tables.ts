import type { AgentGroupTables } from '../domain/agent-group/table.ts'
import type { AgentTables } from '../domain/agent/table.ts'
import type { AlertTables } from '../domain/alert/table.ts'
import type { AttachmentTables } from '../domain/attachment/table.ts'
import type { AskTables } from '../domain/ask/table.ts'
import type { AuditTables } from '../domain/audit/table.ts'
import type { CheckpointTables } from '../domain/checkpoint/table.ts'
import type { ChatInstanceTables } from '../domain/chat-instance/table.ts'
import type { ChatPostTables } from '../domain/chat-post/table.ts'
import type { ChatSdkTables } from '../domain/chat-sdk/table.ts'
import type { BudgetTables } from '../domain/budget/table.ts'
import type { ChatTables } from '../domain/chat/table.ts'
import type { PatternTables } from '../domain/pattern/table.ts'
import type { TerminalTables } from '../domain/terminal/table.ts'
import type { CredentialTables } from '../domain/credential/table.ts'
import type { ConnectionTables } from '../domain/connection/table.ts'
import type { MessageTables } from '../domain/message/table.ts'
import type { OutboxTables } from '../domain/outbox/table.ts'
import type { PolicyTables } from '../domain/policy/table.ts'
import type { PushTables } from '../domain/push/table.ts'
import type { QueueTables } from '../domain/queue/table.ts'
import type { ScheduleTables } from '../domain/schedule/table.ts'
import type { SessionTables } from '../domain/session/table.ts'
import type { TemplateTables } from '../domain/template/table.ts'
import type { SignInTables } from '../domain/sign-in/table.ts'
import type { UserTables } from '../domain/user/table.ts'
import type { WorkspaceTables } from '../domain/workspace/table.ts'

type LedgerTable = { schema_version: { version: number; name: string; applied: string } }

export type Tables = SessionTables &
  MessageTables &
  AskTables &
  AttachmentTables &
  UserTables &
  SignInTables &
  WorkspaceTables &
  AuditTables &
  AgentTables &
  AlertTables &
  QueueTables &
  PolicyTables &
  ConnectionTables &
  CredentialTables &
  CheckpointTables &
  TerminalTables &
  PatternTables &
  PushTables &
  OutboxTables &
  AgentGroupTables &
  ChatTables &
  ChatInstanceTables &
  ChatPostTables &
  ChatSdkTables &
  ScheduleTables &
  TemplateTables &
  BudgetTables &
  LedgerTable
