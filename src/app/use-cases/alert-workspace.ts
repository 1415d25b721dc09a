import type { Standing } from '../../domain/user/actor.ts'
import type { App } from '../app.ts'
import { everySession } from '../pages.ts'

const longestAlert = 10_000

/** Alerts everyone who works in a workspace that its policy needs attention. */
export async function alertWorkspace(
  app: Pick<App, 'read' | 'dispatch'>,
  by: Standing,
  workspaceRoot: string,
  text: string,
): Promise<void> {
  for await (const session of everySession(app.read, by, { statuses: ['active', 'paused'] }))
    if (session.workspaceRoot === workspaceRoot)
      await app.dispatch(
        { type: 'session.alert', id: session.id, what: 'policy', text: text.slice(0, longestAlert) },
        by.actor,
      )
}
