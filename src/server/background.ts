import { join } from 'node:path'
import type { App } from '../app/app.ts'
import { startDeadlines } from '../edges/clock/deadlines.ts'
import { startLostWatch } from '../edges/clock/lost-watch.ts'
import { startStallWatch } from '../edges/clock/stall-watch.ts'
import { logFollower } from '../edges/log/log-follower.ts'
import { proposalFollower } from '../edges/policy/proposal-follower.ts'
import { startPolicyReports } from '../edges/policy/policy-reports.ts'
import { startPush } from '../edges/push/start-push.ts'
import { startCheckpoints } from '../edges/workspace/start-checkpoints.ts'
import type { ServerContext } from './context.ts'
import type { Core } from './core.ts'
import type { Edges } from './edges.ts'
import type { HttpSlot } from './http.ts'
import { startRetention } from './retention.ts'
import { pushSettings } from './settings.ts'

/** Followers of the log, and timers. */
export function startFollowers(
  { loaded, clock, log, drained }: ServerContext,
  { app, policies }: Core,
  stack: AsyncDisposableStack,
): void {
  const { config, dataDir } = loaded
  stack.use(app.follow.run(logFollower(log, drained)))
  stack.use(app.follow.run(proposalFollower(app)))
  stack.use(startPolicyReports({ app, policies, clock, log }))
  stack.use(startDeadlines({ app, clock, log, graceMs: config.timeouts.startupGraceSeconds * 1000 }))
  stack.use(
    startRetention({
      retention: app.retention,
      clock,
      log,
      limits: { ...config.retention, ...config.terminal },
      recordings: join(dataDir, 'terminals'),
    }),
  )
}

/** Watchers of agents: silence, lost clients, and when to take a checkpoint. */
export function startWatchers(
  { loaded, clock, log, nodeId }: ServerContext,
  { app, settings }: Core,
  edges: Edges,
  stack: AsyncDisposableStack,
): void {
  stack.use(startStallWatch({ app, clock, log, settings: () => settings.stall }))
  stack.use(
    startLostWatch({
      app,
      clock,
      log,
      nodeId,
      lostAfterMs: loaded.config.mcp.lostAfterSeconds * 1000,
      inContact: edges.mcp.inContact,
    }),
  )
  stack.use(startCheckpoints({ app, checkpoints: edges.files.checkpoints, log }))
}

/** Notifications to browsers and phones; null if they are turned off. */
export async function startPushIfEnabled(
  { loaded, clock, log }: ServerContext,
  app: App,
  http: HttpSlot,
  stack: AsyncDisposableStack,
) {
  const { config } = loaded
  if (!config.push.enabled) return null
  return stack.use(
    await startPush({
      app,
      clock,
      log: log.child({ part: 'push' }),
      ...pushSettings(config),
      isLooking: (...viewed) => http.current?.isLooking(...viewed) ?? false,
    }),
  )
}
