import { administrationEndpoints } from './contract/administration.ts'
import { agentEndpoints } from './contract/agents.ts'
import { agentLifeEndpoints } from './contract/agent-lives.ts'
import { alertEndpoints } from './contract/alerts.ts'
import { askEndpoints } from './contract/asks.ts'
import { attachmentEndpoints } from './contract/attachments.ts'
import { budgetEndpoints } from './contract/budgets.ts'
import { catchUpEndpoints } from './contract/catch-up.ts'
import { chatInstanceEndpoints } from './contract/chat-instances.ts'
import { agentGroupEndpoints } from './contract/agent-groups.ts'
import { changeEndpoints } from './contract/changes.ts'
import { chatEndpoints } from './contract/chats.ts'
import { checkpointEndpoints } from './contract/checkpoints.ts'
import { commandEndpoints } from './contract/commands.ts'
import { inboxEndpoints } from './contract/inbox.ts'
import { overviewEndpoints } from './contract/overview.ts'
import { patternEndpoints } from './contract/patterns.ts'
import { peopleEndpoints } from './contract/people.ts'
import { policyEndpoints } from './contract/policy.ts'
import { pullRequestEndpoints } from './contract/pull-requests.ts'
import { pushEndpoints } from './contract/push.ts'
import { queueEndpoints } from './contract/queue.ts'
import { repoEndpoints } from './contract/repos.ts'
import { scheduleEndpoints } from './contract/schedules.ts'
import { sessionListingEndpoints } from './contract/session-listing.ts'
import { sessionEndpoints } from './contract/sessions.ts'
import { signInEndpoints } from './contract/sign-in.ts'
import { systemEndpoints } from './contract/system.ts'
import { templateEndpoints } from './contract/templates.ts'
import { terminalEndpoints } from './contract/terminals.ts'
import { webChatEndpoints } from './contract/web-chats.ts'

/** The whole REST API. */
export const api = {
  ...sessionEndpoints,
  ...sessionListingEndpoints,
  ...agentLifeEndpoints,
  ...administrationEndpoints,
  ...agentEndpoints,
  ...alertEndpoints,
  ...askEndpoints,
  ...attachmentEndpoints,
  ...budgetEndpoints,
  ...catchUpEndpoints,
  ...agentGroupEndpoints,
  ...changeEndpoints,
  ...chatEndpoints,
  ...chatInstanceEndpoints,
  ...checkpointEndpoints,
  ...commandEndpoints,
  ...inboxEndpoints,
  ...overviewEndpoints,
  ...patternEndpoints,
  ...policyEndpoints,
  ...peopleEndpoints,
  ...pullRequestEndpoints,
  ...signInEndpoints,
  ...pushEndpoints,
  ...queueEndpoints,
  ...repoEndpoints,
  ...scheduleEndpoints,
  ...systemEndpoints,
  ...templateEndpoints,
  ...terminalEndpoints,
  ...webChatEndpoints,
}
export type Api = typeof api
