import type { Change } from './command.ts'
import { eventSchemas } from './slices.ts'

export const isLogged = (type: Change['type']): boolean => eventSchemas.get(type) !== 'tables'

/** Everything the log, and so `GET /api/events`, can carry. */
export const eventTypes: readonly string[] = [...eventSchemas].flatMap(([type, schema]) =>
  schema === 'tables' ? [] : [type],
)

/** What `GET /api/events?live=` adds: told once and never stored. */
export const liveTypes = ['message.chunk', 'message.updated', 'terminal.state'] as const
