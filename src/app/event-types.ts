import type { Change } from './command.ts'
import { kept } from './slices.ts'

export const isLogged = (type: Change['type']): boolean => kept[type] === 'log'

/** Everything the log, and so `GET /api/events`, can carry. */
export const eventTypes: readonly string[] = Object.entries(kept).flatMap(([type, where]) =>
  where === 'log' ? [type] : [],
)

/** What `GET /api/events?live=` adds: told once and never stored. */
export const liveTypes = ['message.chunk', 'message.updated', 'terminal.state'] as const
