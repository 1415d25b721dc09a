import type { SessionId } from '../../domain/session/id.ts'
import type { Result } from '../../lib/result.ts'
import type { App } from '../app.ts'
import { handoverText, type ChangedFile, type SaidMessage } from './handover-text.ts'
import type { Requester } from './requester.ts'
import type { Sessions } from './start-session.ts'

export type HandOver = (
  id: SessionId,
  wanted: {
    agent: string
    prompt?: string | undefined
    model?: string | undefined
    effort?: string | undefined
    tokens: number
  },
  by: Requester,
) => Promise<Result<SessionId>>

/** About as many characters as a token has. */
const perToken = 4

type Deps = {
  read: Pick<App['read'], 'session' | 'sessionDetail'>
  sessions: Pick<Sessions, 'handOver'>
  /** The session's change, if it works in a Git repository. */
  change(id: SessionId, by: Requester): Promise<Result<{ files: readonly ChangedFile[]; diff: string }>>
}

/** Another agent takes over, and is told in words what was said, planned and changed. */
export function createHandOver({ read, sessions, change }: Deps): HandOver {
  return async (id, { prompt, tokens, ...wanted }, by) => {
    const session = await read.sessionDetail(by.standing, id)
    if (!session.ok) return session
    const messages: SaidMessage[] = [...session.value.messages]
    // A session that was continued before began with the words of an earlier one.
    for (const earlier of session.value.lineage.slice(0, session.value.lineage.indexOf(id)).toReversed()) {
      const before = await read.sessionDetail(by.standing, earlier)
      if (before.ok) messages.unshift(...before.value.messages)
    }
    const changed = await change(id, by)
    const text = handoverText(
      {
        from: session.value.agent ?? 'another agent',
        task: session.value.prompt ?? null,
        messages,
        progress: session.value.progressSnapshot,
        change: changed.ok ? changed.value : null,
        next: prompt ?? null,
      },
      tokens * perToken,
    )
    return sessions.handOver(id, { ...wanted, prompt: text }, by)
  }
}
