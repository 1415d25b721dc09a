import type { Migration } from '../ddl.ts'
import { people } from './001-people.ts'
import { sessions } from './002-sessions.ts'
import { asks } from './003-asks.ts'
import { log } from './004-log.ts'
import { agents } from './005-agents.ts'
import { operatorLoop } from './006-operator-loop.ts'
import { terminals } from './007-terminals.ts'
import { push } from './008-push.ts'
import { access } from './009-access.ts'
import { policyAndRisk } from './010-policy-and-risk.ts'
import { loginKeys } from './011-login-keys.ts'
import { workspaceMarks } from './012-workspace-marks.ts'
import { eventPeople } from './013-event-people.ts'
import { leases } from './014-leases.ts'
import { outbox } from './015-outbox.ts'
import { sessionIndexes } from './016-session-indexes.ts'
import { chats } from './017-chats.ts'
import { chatSending } from './018-chat-sending.ts'
import { identityCodes } from './019-identity-codes.ts'
import { agentMessages } from './020-agent-messages.ts'
import { containerConfigs } from './021-container-configs.ts'
import { schedules } from './022-schedules.ts'
import { administration } from './023-administration.ts'
import { agentLives } from './024-agent-lives.ts'
import { chatDoubts } from './025-chat-doubts.ts'
import { sessionSlots } from './026-session-slots.ts'
import { groupWork } from './027-group-work.ts'
import { turnsOverMcp } from './028-turns-over-mcp.ts'
import { sessionAllowances } from './029-session-allowances.ts'
import { retractedAnswers } from './030-retracted-answers.ts'
import { overview } from './031-overview.ts'
import { sessionNames } from './032-session-names.ts'
import { promptFiles } from './033-prompt-files.ts'
import { vouchedServers } from './034-vouched-servers.ts'
import { promptTemplates } from './035-prompt-templates.ts'
import { budgets } from './036-budgets.ts'
import { passkeys } from './037-passkeys.ts'
import { deviceLogins } from './038-device-logins.ts'
import { sessionCounts } from './039-session-counts.ts'

/** In order; one list for both databases. */
export const migrations: readonly Migration[] = [
  people,
  sessions,
  asks,
  log,
  agents,
  operatorLoop,
  terminals,
  push,
  access,
  policyAndRisk,
  loginKeys,
  workspaceMarks,
  eventPeople,
  leases,
  outbox,
  sessionIndexes,
  chats,
  chatSending,
  identityCodes,
  agentMessages,
  containerConfigs,
  schedules,
  administration,
  agentLives,
  chatDoubts,
  sessionSlots,
  groupWork,
  turnsOverMcp,
  sessionAllowances,
  retractedAnswers,
  overview,
  sessionNames,
  promptFiles,
  vouchedServers,
  promptTemplates,
  budgets,
  passkeys,
  deviceLogins,
  sessionCounts,
]
