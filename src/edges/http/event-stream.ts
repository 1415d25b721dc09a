import type { ServerResponse } from 'node:http'
import { changesAccess, mayChangeAccess, updateHeardSessions } from '../../app/listener-access.ts'
import type { App } from '../../app/app.ts'
import { comparePlaces, type Place } from '../../domain/audit/cursor.ts'
import { shownEvent, type LoggedEvent } from '../../app/events.ts'
import { hears } from '../../domain/audit/hears.ts'
import type { SessionId } from '../../domain/session/schema.ts'
import type { UserId } from '../../domain/user/id.ts'
import { iso, type Clock } from '../../lib/clock.ts'
import type { Logger } from '../../lib/log.ts'
import type { Caller } from './auth.ts'

export type StreamFilter = {
  sessionId?: SessionId | undefined
  types?: readonly string[] | undefined
  /** A session whose live output is sent too, or `terminals` for the states of all terminals. */
  live?: SessionId | 'terminals' | undefined
  /** A person has it on screen now. */
  looking?: boolean | undefined
}

/** Server-sent events for any number of readers: each event is read and serialized once. */
export type EventStream = {
  open(out: ServerResponse, caller: Caller, after: Place | null, filter: StreamFilter): Promise<void>
  readers(): number
  /** Whether a person has this session on screen, as far as this node knows; null: a view without a session. */
  isLooking(userId: UserId, sessionId: SessionId | null): boolean
  close(): void
}

type EventReader = {
  out: ServerResponse
  caller: Caller
  filter: StreamFilter
  extra: Set<SessionId>
  /** Repos this reader may not use. */
  hidden: ReadonlySet<string>
  live: boolean
  place: Place
  /** Subscriptions to live output. */
  bus: Disposable[]
}

const pageSize = 500
/** Slow readers are cut off at this many buffered bytes; they resume with their last id. */
const mostBuffered = 1024 * 1024
const heartbeatMs = 15_000
const slowestMs = 30_000
const headers = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
}

export function createEventStream(deps: { app: App; clock: Clock; log: Logger }): EventStream {
  const { app, clock, log } = deps
  const readers = new Set<EventReader>()
  const listening = app.tail.listen((events) => {
    if (readers.size === 0) return
    const frames = events.map((event) => frameOf(event))
    // Most readers get the whole batch, so its bytes are made once.
    const whole = Buffer.from(frames.join(''))
    const mayChange = events.some(mayChangeAccess)
    for (const reader of readers) {
      // A reader gets events up to the change of its access, and none after it.
      const until = mayChange ? events.findIndex((event) => changesAccess(event, listenerOf(reader))) : -1
      if (reader.live) pass(reader, until < 0 ? events : events.slice(0, until + 1), frames, whole)
      if (until >= 0) drop(reader, 'access changed')
    }
  })
  const heartbeat = setInterval(() => {
    const now = iso(clock.now())
    for (const reader of readers) {
      const { expiresAt } = reader.caller
      if (expiresAt !== null && expiresAt <= now) drop(reader, 'login or token expired')
      else if (reader.live) write(reader, ': still here\n\n')
    }
  }, heartbeatMs)
  heartbeat.unref()

  /** One write per reader and batch. `frames` and `whole` are the whole batch; `events` may be only its beginning. */
  function pass(reader: EventReader, events: readonly LoggedEvent[], frames: readonly string[], whole: Buffer): void {
    const last = events.at(-1)
    if (!last) return
    const { place, filter, caller } = reader
    const everything = caller.viewer.sees === 'all' && !filter.sessionId && !filter.types
    const chosen = frames.filter((_frame, index) => {
      const event = events[index]
      return event && comparePlaces(event.place, place) > 0 && (everything || wanted(reader, event))
    })
    if (chosen.length > 0) write(reader, chosen.length === frames.length ? whole : chosen.join(''))
    if (comparePlaces(last.place, place) > 0) reader.place = last.place
  }

  function wanted(reader: EventReader, event: LoggedEvent): boolean {
    const { viewer } = reader.caller
    updateHeardSessions(viewer, event, reader.extra)
    const { sessionId, types } = reader.filter
    if (sessionId !== undefined && event.sessionId !== sessionId) return false
    if (types !== undefined && !types.some((type) => matches(type, event.type))) return false
    return hears(viewer, event, reader.extra, reader.hidden)
  }

  function write(reader: EventReader, bytes: string | Buffer): void {
    // Without chunks the body is what the socket gets; the response would hold each piece back for a tick. Before the reader
    // is live its headers may not be sent yet.
    const to = (reader.live && reader.out.socket) || reader.out
    to.write(bytes)
    if (reader.out.writableLength > mostBuffered) drop(reader, 'reads too slowly')
  }

  function forget(reader: EventReader): void {
    readers.delete(reader)
    for (const heard of reader.bus.splice(0)) heard[Symbol.dispose]()
  }

  function drop(reader: EventReader, why: string): void {
    forget(reader)
    log.info({ why, buffered: reader.out.writableLength }, 'event reader cut off')
    if (why === 'reads too slowly') reader.out.destroy()
    else reader.out.end()
  }

  /** Live output of a session. It is not in the log, so it has no event id. */
  async function subscribeLive(reader: EventReader): Promise<void> {
    const { sessionId, live, types, looking } = reader.filter
    const { actor } = reader.caller
    if (looking && actor.kind === 'person') reader.bus.push(subscribeWebChats(reader, actor.userId))
    if (live === 'terminals') reader.bus.push(subscribeTerminals(reader))
    for (const id of new Set([sessionId, live])) {
      if (id === undefined || id === 'terminals') continue
      const session = await app.read.session(reader.caller.standing, id)
      if (!session.ok || !readers.has(reader)) continue
      const heard = app.live.subscribe(id, ({ type, data }) => {
        if (types === undefined || types.some((one) => matches(one, type)))
          write(reader, `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`)
      })
      reader.bus.push(heard)
    }
  }

  /** Tells a person which of their web chats to read again. */
  const subscribeWebChats = (reader: EventReader, userId: UserId): Disposable =>
    app.live.watch('web_chat.changed', ({ type, data }) => {
      const { userId: whose, agentGroupId } = data as { userId: UserId; agentGroupId: string }
      if (whose === userId && readers.has(reader))
        write(reader, `event: ${type}\ndata: ${JSON.stringify({ agentGroupId })}\n\n`)
    })

  /** Tells which terminals changed their state, so that lists reload them. */
  function subscribeTerminals(reader: EventReader): Disposable {
    const seen = new Map<SessionId, Promise<boolean>>()
    const maySee = (id: SessionId) => app.read.session(reader.caller.standing, id).then(({ ok }) => ok)
    return app.live.watch('terminal.state', ({ sessionId, type }) => {
      if (sessionId === null) return
      const visible = seen.get(sessionId) ?? maySee(sessionId)
      seen.set(sessionId, visible)
      void visible.then((yes) => {
        // Not cached: it may be delegated to them later.
        if (!yes) seen.delete(sessionId)
        if (yes && readers.has(reader)) write(reader, `event: ${type}\ndata: ${JSON.stringify({ sessionId })}\n\n`)
      })
    })
  }

  /** Sends the log from the reader's place to the tail, then switches the reader to live events. */
  async function catchUp(reader: EventReader): Promise<void> {
    while (readers.has(reader)) {
      const upTo = app.tail.position()
      // Read after the position, so that a session delegated in between is either included or still to come.
      if (reader.caller.viewer.sees !== 'all') {
        reader.extra = new Set(await app.read.heardSessions(reader.caller.standing))
        reader.hidden = new Set(await app.read.hiddenRepos(reader.caller.standing))
      }
      const page = await app.read.events(reader.caller.standing, reader.place, pageSize, reader.filter)
      if (!page.ok) return drop(reader, 'access changed')
      const last = page.value.at(-1)
      if (last) {
        reader.place = last.place
        reader.out.write(page.value.map(frameOf).join(''))
        if (reader.out.writableNeedDrain && !(await drained(reader.out))) return drop(reader, 'reads too slowly')
      }
      if (page.value.length === pageSize) continue
      // Everything up to this position was sent or is not visible to this reader.
      if (comparePlaces(upTo, reader.place) > 0) reader.place = upTo
      if (comparePlaces(app.tail.position(), reader.place) > 0) continue
      reader.live = true
      return
    }
  }

  return {
    async open(out, caller, after, filter) {
      const extra = new Set<SessionId>()
      const place = after ?? app.tail.position()
      const reader: EventReader = { out, caller, filter, extra, hidden: new Set(), live: false, place, bus: [] }
      readers.add(reader)
      const gone = () => forget(reader)
      out.on('close', gone)
      out.on('error', gone)
      // Without chunks: the stream ends with its connection, and each write is one piece instead of four.
      out.removeHeader('transfer-encoding')
      // Names the user, so that a page notices if someone else is signed in by now.
      out.writeHead(200, 'userId' in caller.actor ? { ...headers, 'x-signalbox-user': caller.actor.userId } : headers)
      // Subscribed before the first byte, so that what the reader loads after it leaves no gap.
      await subscribeLive(reader)
      out.write('retry: 1000\n\n')
      await catchUp(reader)
    },
    readers: () => readers.size,
    isLooking: (userId, sessionId) =>
      [...readers].some(
        ({ caller: { actor }, filter }) =>
          filter.looking === true &&
          actor.kind === 'person' &&
          actor.userId === userId &&
          (filter.live === 'terminals' ? null : (filter.live ?? filter.sessionId ?? null)) === sessionId,
      ),
    close() {
      clearInterval(heartbeat)
      listening[Symbol.dispose]()
      for (const reader of readers) reader.out.end()
      readers.clear()
    },
  }
}

const frameOf = (event: LoggedEvent): string => {
  const shown = shownEvent(event)
  return `id: ${shown.cursor}\nevent: ${shown.type}\ndata: ${JSON.stringify(shown)}\n\n`
}

const matches = (wantedType: string, type: string): boolean =>
  wantedType.endsWith('*') ? type.startsWith(wantedType.slice(0, -1)) : type === wantedType

const listenerOf = ({ caller: { actor, viewer }, filter }: EventReader) => ({
  actor,
  viewer,
  hearsLive: (id: SessionId | null) =>
    filter.live === 'terminals' || (id !== null && (filter.live === id || filter.sessionId === id)),
})

/** Whether the reader accepted the data in time. */
const drained = (out: ServerResponse): Promise<boolean> =>
  new Promise((resolve) => {
    const settle = (took: boolean) => {
      clearTimeout(timer)
      out.off('drain', drain)
      out.off('close', gone)
      resolve(took)
    }
    const drain = () => settle(true)
    const gone = () => settle(false)
    const timer = setTimeout(gone, slowestMs)
    out.on('drain', drain)
    out.on('close', gone)
  })
