import { comparePlaces, type Place } from '../../domain/audit/cursor.ts'
import { isOf, type LoggedEvent } from '../events.ts'
import type { Ask } from '../../domain/ask/schema.ts'
import type { Message } from '../../domain/message/schema.ts'
import type { SessionId } from '../../domain/session/id.ts'
import type { Standing } from '../../domain/user/actor.ts'
import { yieldToOthers } from '../../lib/yield-to-others.ts'
import { ok, type Result } from '../../lib/result.ts'
import type { App } from '../app.ts'
import { isPartial, itemsOfLog } from './log-items.ts'
import type { Item } from './item.ts'
import { actorNamesFor } from './actor-names.ts'

const page = 500
const mostEvents = 20_000
/** Rows that may be long are read in small pages, so that other work runs in between. */
const few = 50

export type LogRead = {
  readonly items: readonly Item[]
  /** The items include everything up to this position. */
  readonly place: Place
  readonly more: boolean
  /** Terminals that ended within these events. */
  readonly closed: ReadonlySet<SessionId>
}

export async function readLog(
  app: Pick<App, 'read' | 'tail'>,
  who: Standing,
  from: { place: Place; since: string | null; sessionId: SessionId | null },
): Promise<Result<LogRead>> {
  // Everything settled by now is read below, so continuing from here misses nothing.
  const head = app.tail.position()
  const filter = { sessionId: from.sessionId ?? undefined, since: from.since ?? undefined }
  const events: LoggedEvent[] = []
  let at = from.place
  let more = true
  while (more && events.length < mostEvents) {
    const found = await app.read.events(who, at, page, filter)
    if (!found.ok) return found
    events.push(...found.value)
    await yieldToOthers()
    at = found.value.at(-1)?.place ?? at
    more = found.value.length === page
  }
  const items = await itemsOfLog(events, await contentsOf(app, who, events))
  const place = !more && comparePlaces(head, at) > 0 ? head : at
  const closed = events.flatMap(({ type, sessionId }) => (type === 'terminal.closed' ? (sessionId ?? []) : []))
  return ok({ items, place, more, closed: new Set(closed) })
}

async function contentsOf(app: Pick<App, 'read'>, who: Standing, events: readonly LoggedEvent[]) {
  const said = events.filter((event) => isOf(event, 'message')).filter((event) => !isPartial(event))
  const asked = events.filter((event) => isOf(event, 'ask'))
  const idsOf = <T>(found: readonly { data: { id: T } }[]): T[] => [...new Set(found.map(({ data }) => data.id))]
  const messages = new Map<string, Message>()
  const ids = idsOf(said)
  for (let from = 0; from < ids.length; from += few) {
    for (const message of await app.read.messagesById(ids.slice(from, from + few))) messages.set(message.id, message)
    await yieldToOthers()
  }
  const asks = new Map<string, Ask>()
  for (const [index, id] of idsOf(asked).entries()) {
    const ask = await app.read.ask(who, id)
    if (ask.ok) asks.set(id, ask.value)
    if (index % few === few - 1) await yieldToOthers()
  }
  return { messages, asks, who: await actorNamesFor(app, who, events) }
}
