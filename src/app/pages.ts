import type { AskPage } from '../domain/ask/query.ts'
import type { Ask } from '../domain/ask/schema.ts'
import type { SessionPage } from '../domain/session/query.ts'
import type { Session } from '../domain/session/schema.ts'
import type { Standing } from '../domain/user/actor.ts'
import type { Reads } from './read/reads.ts'

const perPage = 100

/** All matching asks, newest first. Stops at a page that is refused. */
export async function* everyAsk(
  read: Pick<Reads, 'asks'>,
  who: Standing,
  filter: Omit<AskPage, 'limit' | 'before'>,
): AsyncGenerator<Ask> {
  let before: Ask | undefined
  do {
    const page = await read.asks(who, { ...filter, limit: perPage, before })
    if (!page.ok) return
    yield* page.value
    before = page.value.at(-1)
  } while (before)
}

/** All matching sessions, newest first. Stops at a page that is refused. */
export async function* everySession(
  read: Pick<Reads, 'sessions'>,
  who: Standing,
  filter: Omit<SessionPage, 'limit' | 'offset' | 'before'>,
): AsyncGenerator<Session> {
  let before: Session | undefined
  do {
    const page = await read.sessions(who, { ...filter, limit: perPage, offset: 0, before })
    if (!page.ok) return
    yield* page.value.sessions
    before = page.value.sessions.at(-1)
  } while (before)
}
