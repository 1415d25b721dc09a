import type { Specs } from '../spec.ts'
import { chatRequests } from './chats.ts'
import { peopleRequests } from './people.ts'
import { scheduleRequests } from './schedules.ts'
import { sessionRequests } from './sessions.ts'
import { systemRequests } from './system.ts'
import { templateRequests } from './templates.ts'
import { terminalRequests } from './terminals.ts'
import { workRequests } from './work.ts'

/** How each row of the routes is asked for, by its title. */
export const requests: Specs = {
  ...sessionRequests,
  ...terminalRequests,
  ...workRequests,
  ...peopleRequests,
  ...chatRequests,
  ...scheduleRequests,
  ...templateRequests,
  ...systemRequests,
}
