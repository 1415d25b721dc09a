import { agentEndpoints } from './contract/agents.ts'
import { askEndpoints } from './contract/asks.ts'
import { peopleEndpoints } from './contract/people.ts'
import { repoEndpoints } from './contract/repos.ts'
import { sessionEndpoints } from './contract/sessions.ts'
import { systemEndpoints } from './contract/system.ts'

/** The whole REST API. */
export const api = {
  ...sessionEndpoints,
  ...agentEndpoints,
  ...askEndpoints,
  ...peopleEndpoints,
  ...repoEndpoints,
  ...systemEndpoints,
}
export type Api = typeof api
