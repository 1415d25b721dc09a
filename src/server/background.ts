import { join, basename } from 'node:path'
import { existsSync } from 'node:fs'
import { budgetFollower } from '../app/budget/budgets.ts'
import { groupBudgetFollower } from '../app/agent-group/group-budget.ts'
import type { App } from '../app/app.ts'
import { linkedSessions } from '../app/chat/linked-sessions.ts'
import { startDeadlines } from '../edges/clock/deadlines.ts'
import { startLostClientWatch } from '../edges/clock/lost-client-watch.ts'
import { startStallWatch } from '../edges/clock/stall-watch.ts'
import { logFollower } from '../edges/log/log-follower.ts'
import { proposalFollower } from '../edges/policy/proposal-follower.ts'
import { startPolicyReports } from '../edges/policy/policy-reports.ts'
import { startPush } from '../edges/push/start-push.ts'
import { startCheckpoints } from '../edges/workspace/start-checkpoints.ts'
import type { Retention, RetentionLimits } from '../app/retention.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/log.ts'
import type { ServerContext } from './context.ts'
import type { Core } from './core.ts'
import type { Edges } from './edges.ts'
import type { HttpSlot } from './http.ts'
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
  stack.use(app.follow.run(budgetFollower({ app, log: log.child({ part: 'budget' }) })))
  stack.use(app.follow.run(groupBudgetFollower({ app, log: log.child({ part: 'budget' }) })))
  stack.use(app.follow.run(linkedSessions(app)))
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
    startLostClientWatch({
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

const minute = 60 * 1000
const hour = 60 * minute
const day = 24 * hour

/** Deletes old rows and recordings, once an hour on every node: each node has recordings of its own. */
function startRetention(deps: {
  retention: Retention
  clock: Clock
  log: Logger
  limits: RetentionLimits & { recordingDays: number }
  /** The directory of the recordings of terminals. */
  recordings: string
}): AsyncDisposable {
  const { retention, clock, log, limits, recordings } = deps
  let timer: Disposable | null = null
  let running = Promise.resolve()
  let stopped = false

  async function forget(): Promise<void> {
    try {
      await retention.forgetRows(clock.now(), limits)
      if (existsSync(recordings)) await forgetRecordings()
    } catch (error) {
      log.warn({ error: String(error) }, 'could not delete old rows; trying again in an hour')
    }
  }

  async function forgetRecordings(): Promise<void> {
    const { recordingsOlderThan, removeRecording } = await import('../edges/terminal/recording/removal.ts')
    const recorded = await retention.sessionsBeingRecorded()
    for (const directory of await recordingsOlderThan(recordings, clock.now() - limits.recordingDays * day))
      if (!recorded.has(basename(directory))) await removeRecording(directory)
  }

  function arm(delay: number): void {
    if (stopped) return
    timer = clock.at(clock.now() + delay, () => {
      running = forget().then(() => arm(hour))
    })
  }
  arm(minute)
  return {
    async [Symbol.asyncDispose]() {
      stopped = true
      timer?.[Symbol.dispose]()
      await running
    },
  }
}
