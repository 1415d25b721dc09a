import type { Follower } from '../../src/app/follow.ts'
import type { LoggedEvent } from '../../src/app/events.ts'

/** A follower that keeps the events it gets. */
export function collector(name: string, more: Partial<Follower> = {}): Follower & { seen: LoggedEvent[] } {
  const seen: LoggedEvent[] = []
  return { name, scope: 'node', from: 'start', handle: (event) => void seen.push(event), ...more, seen }
}

export const idsOf = (events: readonly LoggedEvent[]): string[] => events.map((event) => event.id)
