import { createApp, type App, type AppDeps } from '../app/app.ts'
import type { Database } from '../db/open.ts'
import type { Settings } from '../domain/slice/context.ts'
import type { UserId } from '../domain/user/id.ts'
import { groupsOf } from '../edges/workspace/group-folders.ts'
import { createWorkspaceMarks } from '../edges/workspace/workspace-locator.ts'
import { realPlace } from '../lib/look-at-file.ts'
import { worktreesOf } from './agents.ts'
import type { ServerContext } from './context.ts'
import { ensurePeople } from './ensure-people.ts'
import { createPolicy } from './policy.ts'
import { configuredIdentities, coreSettings } from './settings.ts'

export type Core = {
  app: App
  settings: Settings
  policies: ReturnType<typeof createPolicy>['policies']
  /** The first owner. */
  owner: UserId
}

/** The app, its policies, and the people it starts with. */
export async function createCore(
  { loaded, log, clock, nodeId, workspaces }: ServerContext,
  { database, shared }: { database: Database; shared: Pick<AppDeps, 'nodes' | 'leases'> },
  stack: AsyncDisposableStack,
): Promise<Core> {
  const settings = coreSettings(loaded.config, await realPlace(groupsOf(loaded.dataDir)), workspaces.vouched)
  const policy = createPolicy({ loaded, log })
  const app = await createApp({
    database,
    clock,
    log,
    settings: () => settings,
    policy: policy.policyOf,
    roots: createWorkspaceMarks(worktreesOf(loaded.dataDir)),
    nodeId,
    ...shared,
  })
  stack.use(app)
  policy.serve(app)
  const owner = await ensurePeople(app, configuredIdentities(loaded.config))
  return { app, settings, policies: policy.policies, owner }
}
