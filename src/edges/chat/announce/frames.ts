import { basename } from 'node:path'
import type { App } from '../../../app/app.ts'
import type { PeopleOf } from '../../../app/chat/identities.ts'
import { seeing } from '../../../app/chat/seeing.ts'
import type { SessionId } from '../../../domain/session/id.ts'
import type { Session } from '../../../domain/session/schema.ts'
import type { UserId } from '../../../domain/user/id.ts'

export type Frames = ReturnType<typeof createFrames>

/** What cards say beside their subject: who, where, and a link. */
export function createFrames(app: Pick<App, 'read' | 'chat'>, people: PeopleOf, publicUrl: string | null) {
  return {
    async sessionOf(id: SessionId | null): Promise<Session | null> {
      const found = id === null ? null : await app.read.session(seeing, id)
      return found?.ok ? found.value : null
    },

    /** `claude in shop`. */
    async sourceOf(session: Session | null): Promise<string> {
      if (!session) return 'Signalbox'
      const repo = session.repoId === null ? null : await app.read.repo(seeing, session.repoId)
      const place = repo?.ok ? repo.value.name : basename(session.workspaceRoot) || session.workspaceRoot
      return `${session.agent ?? session.agentProvider ?? 'agent'} in ${place}`
    },

    async nameOf(by: string | null): Promise<string | null> {
      const [kind, id = ''] = (by ?? '').split(':')
      if (by === null) return null
      if (kind === 'policy') return 'a rule'
      if (kind !== 'user') return 'Signalbox'
      const user = await app.read.user(seeing, id as UserId)
      return user.ok ? user.value.displayName : null
    },

    linkTo: (path: string): string | null => (publicUrl === null ? null : new URL(path, publicUrl).href),

    async handleOf(userId: UserId): Promise<string | null> {
      return (await app.chat.reachable(people, [userId]))[0]?.handle ?? null
    },
  }
}
