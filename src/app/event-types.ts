import type { Change } from './command.ts'
import { eventSchemas } from './slices.ts'

export const isLogged = (type: Change['type']): boolean => eventSchemas.get(type) !== 'tables'

/** Every event type of the log, and so of `GET /api/events`. */
export const eventTypes: readonly string[] = [...eventSchemas].flatMap(([type, schema]) =>
  schema === 'tables' ? [] : [type],
)

/** What `GET /api/events?live=` adds: sent once and never stored. */
export const liveTypes = ['message.chunk', 'message.updated', 'terminal.state'] as const
