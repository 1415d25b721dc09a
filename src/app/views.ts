import type { Database } from '../db/open.ts'
import { conversationPage } from '../domain/message/query.ts'
import type { MessageId } from '../domain/message/schema.ts'
import type { SessionId } from '../domain/session/id.ts'
import type { Session } from '../domain/session/schema.ts'
import { openAskCounts, sessionCards } from '../domain/session/store-cards.ts'
import type { Standing, Viewer } from '../domain/user/actor.ts'
import { listNames } from '../domain/user/query.ts'
import { ok, type Result } from '../lib/result.ts'
import { createInbox } from './inbox/inbox.ts'
import { sessionFiles } from './inbox/session-files.ts'
import type { Live } from './live.ts'
import type { Settings } from '../domain/slice/context.ts'

export type Look<A extends unknown[], T> = (who: Standing, ...args: A) => Promise<Result<T>>
export type VisibleSession = (viewer: Viewer, id: SessionId) => Promise<Result<Session>>

/** What people look at: more than one table has, with names instead of ids. */
export function createViews(deps: {
  database: Database
  live: Pick<Live, 'overlay'>
  settings: () => Pick<Settings, 'adminsMayAnswer'>
  behind: <A extends unknown[], T>(
    gate: 'anyone' | 'person' | 'admin',
    look: (viewer: Viewer, who: Standing, ...args: A) => Promise<Result<T>>,
  ) => Look<A, T>
  visibleSession: VisibleSession
}) {
  const { live, settings, behind, visibleSession } = deps
  const { read: db, aside } = deps.database
  const inboxes = { all: createInbox(db), own: createInbox(aside) }
  return {
    inbox: behind('person', async (viewer, who, now: number) =>
      ok(
        await inboxes[viewer.sees === 'all' ? 'all' : 'own'](who, { now, adminsMayAnswer: settings().adminsMayAnswer }),
      ),
    ),
    /** Sessions that were listed for whoever looks, with what a list shows beside them. */
    shownSessions: async (sessions: readonly Session[]) => {
      const ids = sessions.map(({ id }) => id)
      const cards = await sessionCards(db, ids)
      const open = await openAskCounts(db, ids)
      return sessions.map((session) => {
        const card = cards.get(session.id)
        return {
          ...session,
          title: card?.title ?? '',
          repoName: card?.repoName ?? null,
          ownerName: card?.ownerName ?? '',
          usage: card?.usage ?? null,
          openAsks: open.get(session.id) ?? 0,
        }
      })
    },
    /** The newest page in order, and the message before which there are older ones. */
    conversation: behind(
      'anyone',
      async (
        viewer,
        _who,
        id: SessionId,
        page: { limit: number; before?: { createdAt: string; id: string } | undefined },
      ) => {
        const session = await visibleSession(viewer, id)
        if (!session.ok) return session
        const { messages, more } = await conversationPage(db, id, page)
        const shown = live.overlay(id, messages)
        const stored = new Set<MessageId>(messages.map((message) => message.id))
        // What is being said now belongs to the newest page.
        const here = page.before === undefined ? shown : shown.filter((message) => stored.has(message.id))
        return ok({ messages: here, older: more ? (messages[0] ?? null) : null })
      },
    ),
    sessionFiles: behind('anyone', async (viewer, _who, id: SessionId) => {
      const session = await visibleSession(viewer, id)
      return session.ok ? ok(await sessionFiles(aside, id, session.value.workspaceRoot)) : session
    }),
    names: behind('person', async () => ok(await listNames(db))),
  }
}
