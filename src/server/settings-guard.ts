import { join } from 'node:path'
import type { App } from '../app/app.ts'
import { approvesPath } from '../domain/ask/approves-path.ts'
import type { SessionId } from '../domain/session/schema.ts'
import { systemStanding } from '../domain/user/actor.ts'
import type { createSettingsGuard } from '../edges/workspace/settings-guard.ts'
import { protectedPart } from '../lib/protected-files.ts'

/** The record of directories that are made in workspaces for as long as an agent runs there. */
export const reservedOf = (dataDir: string): string => join(dataDir, 'run', 'reserved')

/** Files that no policy answers for are also closed to agents, except those of version control, which Git guards. */
export function settingsGuardDeps(app: App, dataDir: string): Parameters<typeof createSettingsGuard>[0] {
  const standing = systemStanding('workspace')
  return {
    directory: reservedOf(dataDir),
    isSetting(path) {
      const part = protectedPart(path)
      return part !== null && !/^\.(?:git|hg|svn|jj)|~\d/i.test(part)
    },
    async isApproved(sessionId, path) {
      const statuses = ['answered', 'applying', 'consumed'] as const
      const asks = await app.read.asks(standing, { sessionId: sessionId as SessionId, statuses, limit: 200 })
      return asks.ok && asks.value.some((ask) => approvesPath(ask, path))
    },
    async warn(id, text) {
      await app.dispatch(
        { type: 'session.alert', id: id as SessionId, what: 'settings_appeared', text },
        standing.actor,
      )
    },
  }
}
