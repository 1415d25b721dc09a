import { comparePlaces, start } from '../../domain/audit/cursor.ts'
import type { SessionId } from '../../domain/session/id.ts'
import { actorName, type Standing } from '../../domain/user/actor.ts'
import { iso, type Clock } from '../../lib/clock.ts'
import { fail, notFound, ok, type Result } from '../../lib/result.ts'
import type { App } from '../app.ts'
import { fit, type Omitted, type Shape } from './budget.ts'
import { ahead, formatLook, parseLook, type LookCursor } from './cursor.ts'
import { foldItems } from './fold.ts'
import type { Severity } from './item.ts'
import type { ReadMarks } from './read-marks.ts'
import { readLog } from './read-log.ts'
import { readTerminals, type TerminalMeans } from './read-terminals.ts'
import { summaryOf } from './summary.ts'

export type CatchUpInput<T> = {
  readonly who: Standing
  /** Null: everything the viewer may see. */
  readonly sessionId: SessionId | null
  /** A cursor or a time; null: since the viewer's last look. */
  readonly since: string | null
  readonly tokens: number
  readonly minSeverity: Severity
  /** The output form of one item; its size is what counts as tokens. */
  readonly shape: Shape<T>
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
