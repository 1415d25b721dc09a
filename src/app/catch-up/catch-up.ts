import { comparePlaces, start, type Place } from '../../domain/audit/cursor.ts'
import type { SessionId } from '../../domain/session/id.ts'
import { actorName, type Standing } from '../../domain/user/actor.ts'
import { iso, type Clock } from '../../lib/clock.ts'
import { fail, notFound, ok, type Result } from '../../lib/result.ts'
import type { Ask } from '../../domain/ask/schema.ts'
import type { Message } from '../../domain/message/schema.ts'
import { yieldToOthers } from '../../lib/yield-to-others.ts'
import type { App } from '../app.ts'
import { isOf, type LoggedEvent } from '../events.ts'
import { fit, type Omitted, type ShapeItem, countOf } from './budget.ts'
import { ahead, formatLook, parseLook, type LookCursor } from './cursor.ts'
import { foldItems } from './fold.ts'
import { type Severity, severities, type Item } from './item.ts'
import type { ReadMarks } from './read-marks.ts'
import { readTerminals, type TerminalMeans } from './read-terminals.ts'
import { isPartial, itemsOfLog } from './log-items.ts'
import { actorNamesFor } from './actor-names.ts'

export type CatchUpInput<T> = {
  readonly who: Standing
  /** Null: everything the viewer may see. */
  readonly sessionId: SessionId | null
  /** A cursor or a time; null: since the viewer's last look. */
  readonly since: string | null
  readonly tokens: number
  readonly minSeverity: Severity
  /** The output form of one item; its size is what counts as tokens. */
  readonly shape: ShapeItem<T>
}
export type CaughtUp<T> = { events: T[]; summary: string; cursor: string; omitted: Omitted }

export type CatchUp = {
  /** What happened since: the most important items that fit, in order of time. */
  look<T>(input: CatchUpInput<T>): Promise<Result<CaughtUp<T>>>
  /** Records that the viewer got this; their next look starts here. */
  seen(who: Standing, sessionId: SessionId | null, cursor: string): Promise<void>
}

const dayMs = 86_400_000

export function createCatchUp(deps: {
  app: Pick<App, 'read' | 'tail'>
  readMarks: ReadMarks
  terminals: TerminalMeans
  clock: Clock
}): CatchUp {
  const { app, readMarks, terminals, clock } = deps
  const noting = new Map<string, Promise<void>>()

  /** The starting point: a log position with the terminals' marks, or a time. */
  async function begin({ who, sessionId, since }: CatchUpInput<unknown>): Promise<Result<From>> {
    const viewer = actorName(who.actor)
    await noting.get(`${viewer} ${sessionId}`)
    if (since !== null && /^\d{4}-/.test(since) && !Number.isNaN(Date.parse(since)))
      return ok({ ...fromStart, since: iso(Date.parse(since)) })
    const last = since ?? (await readMarks.last(viewer, sessionId))
    const cursor = last === null ? null : await onThisLog(last)
    if (cursor?.ok) return ok({ ...cursor.value, since: null })
    if (cursor !== null && since !== null) return cursor
    // Without a usable last look: one session is reported from its beginning, everything from yesterday on.
    return ok({ ...fromStart, since: sessionId === null ? iso(clock.now() - dayMs) : null })
  }

  async function onThisLog(text: string): Promise<Result<LookCursor>> {
    const cursor = parseLook(text)
    if (!cursor.ok) return cursor
    const isAhead = comparePlaces(cursor.value.place, await app.read.endOfLog()) > 0
    return isAhead ? fail(ahead(text)) : cursor
  }

  async function isVisible(who: Standing, id: SessionId): Promise<boolean> {
    return (await app.read.session(who, id)).ok || (await terminals.get(id, who.actor)).ok
  }

  async function openAsks(who: Standing, sessionId: SessionId | null): Promise<number> {
    if (sessionId === null) {
      const open = await app.read.openAsks(who)
      return open.ok ? open.value : 0
    }
    const open = await app.read.asks(who, { sessionId, statuses: ['open'], limit: 100 })
    return open.ok ? open.value.length : 0
  }

  return {
    async look(input) {
      const { who, sessionId, minSeverity, tokens, shape } = input
      if (sessionId !== null && !(await isVisible(who, sessionId))) return notFound('session', sessionId)
      const from = await begin(input)
      if (!from.ok) return from
      const { place, terminals: marks, since } = from.value
      const log = await readLog(app, who, { place, since, sessionId })
      if (!log.ok) return log
      const now = iso(clock.now())
      const screens = await readTerminals(terminals, who.actor, {
        marks,
        since,
        sessionId,
        closed: log.value.closed,
        now,
      })
      if (!screens.ok) return screens
      const found = [...log.value.items, ...screens.value.items].toSorted((a, b) =>
        a.at < b.at ? -1 : a.at > b.at ? 1 : 0,
      )
      const items = foldItems(found)
      const asks = await openAsks(who, sessionId)
      const more = log.value.more || screens.value.more
      const summary = summaryOf(items, { asks, prompts: screens.value.waiting, more })
      const cursor = formatLook({ place: log.value.place, terminals: screens.value.marks })
      const frame = (omitted: Omitted) => ({ events: [], summary, cursor, omitted })
      const told = fit(items, { tokens, minSeverity, shape, frame })
      return told ? ok({ events: told.events, summary, cursor, omitted: told.omitted }) : fail(tooTight(tokens))
    },
    async seen(who, sessionId, cursor) {
      const viewer = actorName(who.actor)
      const key = `${viewer} ${sessionId}`
      const note = readMarks.note(viewer, sessionId, cursor, iso(clock.now()))
      const settled = note.catch(() => {}).finally(() => noting.get(key) === settled && noting.delete(key))
      noting.set(key, settled)
      await note
    },
  }
}

type From = LookCursor & { readonly since: string | null }
const fromStart: LookCursor = { place: start, terminals: new Map() }

const tooTight = (tokens: number) => ({
  kind: 'invalid' as const,
  code: 'budget_too_small',
  message: `${tokens} tokens are not enough even for the summary and the cursor.`,
  hint: 'Give a larger token_budget, or name one session.',
})

const several = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`

/** A summary in a sentence or two, for readers who read nothing else. `waiting`: what waits for an answer now. */
function summaryOf(items: readonly Item[], facts: { asks: number; prompts: number; more: boolean }): string {
  const counts = countOf(items)
  const parts = severities.toReversed().flatMap((each) => (counts[each] > 0 ? [`${counts[each]} ${each}`] : []))
  const sessions = new Set(items.flatMap(({ sessionId }) => sessionId ?? [])).size
  const what =
    items.length === 0
      ? 'Nothing new.'
      : `${several(items.length, 'thing')} happened in ${several(sessions, 'session')}: ${parts.join(', ')}.`
  const waiting = [
    ...(facts.asks > 0 ? [several(facts.asks, 'ask')] : []),
    ...(facts.prompts > 0 ? [several(facts.prompts, 'terminal')] : []),
  ]
  const waits = facts.asks + facts.prompts === 1 ? 'waits' : 'wait'
  return [
    what,
    ...(waiting.length > 0 ? [`${waiting.join(' and ')} ${waits} for an answer.`] : []),
    ...(facts.more ? ['More: continue with the cursor.'] : []),
  ].join(' ')
}

const page = 500
const mostEvents = 20_000
/** Rows that may be long are read in small pages, so that other work runs in between. */
const few = 50

type LogRead = {
  readonly items: readonly Item[]
  /** The items include everything up to this position. */
  readonly place: Place
  readonly more: boolean
  /** Terminals that ended within these events. */
  readonly closed: ReadonlySet<SessionId>
}

async function readLog(
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
