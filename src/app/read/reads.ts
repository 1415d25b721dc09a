import type { Database } from '../../db/open.ts'
import { createAccessReads } from './access.ts'
import { createGroupReads } from './agent-groups.ts'
import { createAskReads } from './asks.ts'
import { createAttachmentReads } from './attachments.ts'
import { createBudgetReads } from './budgets.ts'
import { createChatReads } from './chats.ts'
import { createReadContext, type ReadContext } from './context.ts'
import { createHostedReads } from './hosted.ts'
import { createLogReads } from './log.ts'
import { createOverviewReads } from './overview.ts'
import { createPatternReads } from './patterns.ts'
import { createPeopleReads } from './people.ts'
import { createPlaceReads } from './places.ts'
import { createScheduleReads } from './schedules.ts'
import { createSessionReads } from './sessions.ts'
import { createTemplateReads } from './templates.ts'
import { createWebChatReads } from './web-chats.ts'
import { createViews } from './views.ts'

export type Reads = ReturnType<typeof createReads>

/** All reads. A gate protects each, and each shows only what its viewer may see. */
export function createReads(
  database: Database,
  live: ReadContext['live'],
  settings: ReadContext['settings'],
  now: ReadContext['now'],
) {
  const context = createReadContext({ database, live, settings, now })
  const access = createAccessReads(context)
  return {
    ...access,
    ...createViews(context),
    ...createSessionReads(context, access.repoOfSession),
    ...createAskReads(context),
    ...createAttachmentReads(context),
    ...createPeopleReads(context),
    ...createGroupReads(context),
    ...createChatReads(context),
    ...createWebChatReads(context),
    ...createScheduleReads(context),
    ...createTemplateReads(context),
    ...createBudgetReads(context),
    ...createOverviewReads(context),
    ...createPatternReads(context),
    ...createLogReads(context),
    ...createHostedReads(context),
    ...createPlaceReads(context),
  }
}
