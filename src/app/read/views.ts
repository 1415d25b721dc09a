import { conversationPage } from '../../domain/message/query.ts'
import type { MessageId } from '../../domain/message/schema.ts'
import type { SessionId } from '../../domain/session/id.ts'
import { sessionsAmong } from '../../domain/session/query.ts'
import type { Session } from '../../domain/session/schema.ts'
import { openAskCounts, sessionCards } from '../../domain/session/store-cards.ts'
import { viewerOf, type Standing } from '../../domain/user/actor.ts'
import { listNames } from '../../domain/user/query.ts'
import { ok } from '../../lib/result.ts'
import { createInbox } from '../inbox/inbox.ts'
import { sessionFiles } from '../inbox/changes.ts'
import type { ReadContext } from './context.ts'

/** What the dashboard shows: data of several tables, with names instead of ids. */
export function createViews({ database, live, settings, behind, visibleSession }: ReadContext) {
  const { read: db, aside } = database
  const inboxes = { all: createInbox(db), own: createInbox(aside) }
  return {
    inbox: behind('person', async (viewer, who, now: number) =>
      ok(await inboxes[viewer.sees === 'all' ? 'all' : 'own'](who, { now, ...settings() })),
    ),
    /** Sessions as a list shows them. */
    shownSessions: async (sessions: readonly Session[], who?: Standing) => {
      const ids = sessions.map(({ id }) => id)
      const cards = await sessionCards(db, ids)
      const open = await openAskCounts(db, ids)
      // An agent sees sessions of its group without what was said in them; a title is part of that.
      const own = who?.actor.kind === 'agent' ? await sessionsAmong(db, viewerOf(who), ids) : null
      return sessions.map((session) => {
        const card = cards.get(session.id)
        return {
          ...session,
          title: own === null || own.has(session.id) ? (card?.title ?? '') : '',
          repoName: card?.repoName ?? null,
          ownerName: card?.ownerName ?? '',
          usage: card?.usage ?? null,
          openAsks: open.get(session.id) ?? 0,
        }
      })
    },
    /** The newest page in order, and the id before which older messages follow. */
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
        const before = live.growing(id)
        const { messages, more } = await conversationPage(db, id, page)
        const shown = live.overlay(id, messages, { before })
        const stored = new Set<MessageId>(messages.map((message) => message.id))
        // Messages that are still growing belong to the newest page.
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
