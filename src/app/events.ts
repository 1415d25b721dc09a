import type { Event } from '../domain/audit/schema.ts'
import type { StoredEvent } from '../domain/audit/store.ts'
import type { UserId } from '../domain/user/id.ts'
import type { Change } from './command.ts'
import { eventSchemas, sliceOf } from './slices.ts'

type Envelope = Omit<StoredEvent, 'type' | 'data'> & {
  /** People who see the event because it names them, in addition to its audience. */
  readonly named: readonly UserId[]
}

type EventWith<T extends Change['type']> = Envelope & {
  readonly type: T
  readonly data: Extract<Change, { type: T }>['data']
}

/**
 * A log event, checked once. An event of another version that this one can't read is `unreadable`: shown as written, and
 * nothing acts on it.
 */
export type LoggedEvent =
  | { [T in Change['type']]: EventWith<T> }[Change['type']]
  | (Envelope & {
      readonly type: 'unreadable'
      readonly data: Readonly<Record<string, never>>
      readonly written: Pick<StoredEvent, 'type' | 'data'>
    })

type Family<T extends string> = T extends `${infer F}.${string}` ? F : never
export type EventOf<F extends Family<Change['type']>> = Extract<LoggedEvent, { type: `${F}.${string}` }>

/** Whether it belongs to one of these families: `ask` stands for all types that begin with `ask.`. */
export const isOf = <F extends Family<Change['type']>>(
  event: LoggedEvent,
  ...families: readonly F[]
): event is EventOf<F> => (families as readonly string[]).includes(event.type.slice(0, event.type.indexOf('.')))

/** Read from the tables: its data may be from another version. */
export function readEvent(stored: StoredEvent): LoggedEvent {
  const schema = eventSchemas.get(stored.type)
  if (schema && schema !== 'tables' && schema().safeParse(stored.data).success) return trusted(stored)
  const { type, data, ...envelope } = stored
  return { ...envelope, named: [], type: 'unreadable', data: {}, written: { type, data } }
}

/** Just written by this node, so its data has the right type. */
export function trusted(stored: StoredEvent): LoggedEvent {
  const change = stored as unknown as Change
  return { ...stored, named: sliceOf(change).named?.(change) ?? [] } as LoggedEvent
}

/** The type as written, even if the rest is unreadable. */
export const writtenType = (event: LoggedEvent): string =>
  event.type === 'unreadable' ? event.written.type : event.type

/** The form that clients see. */
export function shownEvent(event: LoggedEvent): Event {
  const { id, cursor, at, actor, stream, sessionId, ownerUserId, agentGroupId } = event
  const { type, data } = event.type === 'unreadable' ? event.written : event
  // Logged data is JSON according to its schemas.
  return { id, cursor, at, type, actor, stream, sessionId, ownerUserId, agentGroupId, data: data as Event['data'] }
}

export const isLogged = (type: Change['type']): boolean => eventSchemas.get(type) !== 'tables'

/** Every event type of the log, and so of `GET /api/events`. */
export const eventTypes: readonly string[] = [...eventSchemas].flatMap(([type, schema]) =>
  schema === 'tables' ? [] : [type],
)

/** What `GET /api/events?live=` adds: sent once and never stored. */
export const liveTypes = ['message.chunk', 'message.updated', 'terminal.state'] as const
