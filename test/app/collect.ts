import type { Follower } from '../../src/app/follow.ts'
import type { StoredEvent } from '../../src/domain/audit/store.ts'

/** A follower that keeps what it was handed. */
export function collector(name: string, more: Partial<Follower> = {}): Follower & { seen: StoredEvent[] } {
  const seen: StoredEvent[] = []
  return { name, scope: 'node', from: 'start', handle: (event) => void seen.push(event), ...more, seen }
}

export const idsOf = (events: readonly StoredEvent[]): string[] => events.map((event) => event.id)
