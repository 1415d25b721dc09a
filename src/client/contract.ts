import { agentEndpoints } from './contract/agents.ts'
import { alertEndpoints } from './contract/alerts.ts'
import { askEndpoints } from './contract/asks.ts'
import { checkpointEndpoints } from './contract/checkpoints.ts'
import { commandEndpoints } from './contract/commands.ts'
import { peopleEndpoints } from './contract/people.ts'
import { policyEndpoints } from './contract/policy.ts'
import { repoEndpoints } from './contract/repos.ts'
import { sessionEndpoints } from './contract/sessions.ts'
import { systemEndpoints } from './contract/system.ts'

/** The whole REST API. */
export const api = {
  ...sessionEndpoints,
  ...agentEndpoints,
  ...alertEndpoints,
  ...askEndpoints,
  ...checkpointEndpoints,
  ...commandEndpoints,
  ...policyEndpoints,
  ...peopleEndpoints,
  ...repoEndpoints,
  ...systemEndpoints,
}
export type Api = typeof api
