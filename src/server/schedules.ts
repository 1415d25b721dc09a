import type { Precheck } from '../app/schedules/ports.ts'
import type { Posts } from '../app/chat/posts.ts'
import { failuresFollower } from '../app/schedules/tell-failures.ts'
import { runsFollower } from '../app/schedules/end-runs.ts'
import { startScheduleRunner } from '../app/schedules/runner.ts'
import type { AppDeps } from '../app/app.ts'
import type { Database } from '../db/open.ts'
import { mayUseMachine } from '../domain/user/actor.ts'
import { fail } from '../lib/result.ts'
import type { ServerContext } from './context.ts'
import type { Core } from './core.ts'
import type { Edges } from './edges.ts'
import { runScript } from './registered-commands.ts'

type Parts = { database: Database; core: Core; edges: Edges; leases: AppDeps['leases']; posts: Posts }

/** Starts runs of schedules, and notes how they end. */
export function startSchedules(
  { clock, log }: ServerContext,
  { database, core, edges, leases, posts }: Parts,
  stack: AsyncDisposableStack,
): void {
  const { app } = core
  stack.use(app.follow.run(runsFollower({ app, database })))
  stack.use(app.follow.run(failuresFollower({ database, posts })))
  stack.use(
    startScheduleRunner({
      app,
      database,
      sessions: edges.sessions,
      precheck: precheckOf(edges),
      leases,
      clock,
      log: log.child({ part: 'schedules' }),
    }),
  )
}

/** In the sandbox that the agent would have. Without one, only people with the machine right run scripts. */
const precheckOf =
  ({ agents }: Pick<Edges, 'agents'>): Precheck =>
  async (script, { sessionId, agent, workspace, isolation, by }) => {
    const place = { id: sessionId, agent, workspaceRoot: workspace, isolation }
    const border = await agents.confineFor(place, ['/bin/sh', '-c', script])
    if (!border.ok) return border
    if (border.value === null && !mayUseMachine(by)) return fail(needsMachine)
    try {
      return await runScript(border.value ?? { script }, workspace, border.value?.env)
    } finally {
      await border.value?.done()
    }
  }

const needsMachine = {
  kind: 'forbidden' as const,
  code: 'needs_machine',
  message: "A precheck without a sandbox runs as the server's user, which needs the machine right.",
}
