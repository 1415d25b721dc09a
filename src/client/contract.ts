import { administrationEndpoints } from './contract/administration.ts'
import { agentEndpoints } from './contract/agents.ts'
import { agentLifeEndpoints } from './contract/agent-lives.ts'
import { alertEndpoints } from './contract/alerts.ts'
import { askEndpoints } from './contract/asks.ts'
import { catchUpEndpoints } from './contract/catch-up.ts'
import { chatInstanceEndpoints } from './contract/chat-instances.ts'
import { agentGroupEndpoints } from './contract/agent-groups.ts'
import { chatEndpoints } from './contract/chats.ts'
import { checkpointEndpoints } from './contract/checkpoints.ts'
import { commandEndpoints } from './contract/commands.ts'
import { inboxEndpoints } from './contract/inbox.ts'
import { patternEndpoints } from './contract/patterns.ts'
import { peopleEndpoints } from './contract/people.ts'
import { policyEndpoints } from './contract/policy.ts'
import { pushEndpoints } from './contract/push.ts'
import { repoEndpoints } from './contract/repos.ts'
import { scheduleEndpoints } from './contract/schedules.ts'
import { sessionEndpoints } from './contract/sessions.ts'
import { systemEndpoints } from './contract/system.ts'
import { terminalEndpoints } from './contract/terminals.ts'
import { webChatEndpoints } from './contract/web-chats.ts'

/** The whole REST API. */
export const api = {
  ...sessionEndpoints,
  ...agentLifeEndpoints,
  ...administrationEndpoints,
  ...agentEndpoints,
  ...alertEndpoints,
  ...askEndpoints,
  ...catchUpEndpoints,
  ...agentGroupEndpoints,
  ...chatEndpoints,
  ...chatInstanceEndpoints,
  ...checkpointEndpoints,
  ...commandEndpoints,
  ...inboxEndpoints,
  ...patternEndpoints,
  ...policyEndpoints,
  ...peopleEndpoints,
  ...pushEndpoints,
  ...repoEndpoints,
  ...scheduleEndpoints,
  ...systemEndpoints,
  ...terminalEndpoints,
  ...webChatEndpoints,
}
export type Api = typeof api
