import type { Ask } from '../../../../src/domain/ask/schema.ts'
import type { Message } from '../../../../src/domain/message/schema.ts'

export type TimelineEntry = { kind: 'message'; key: string; message: Message } | { kind: 'ask'; key: string; ask: Ask }

/**
 * Messages in order, with asks at the time they were opened. Asks older than the oldest known message are left out until
 * older messages are read, unless `whole` says there are none.
 */
export function timelineOf(messages: readonly Message[], asks: readonly Ask[], whole: boolean): TimelineEntry[] {
  const first = messages[0]?.timestamp ?? ''
  const settled = asks
    .filter(({ status, createdAt }) => status !== 'open' && (whole || createdAt >= first))
    .toSorted((a, b) => (a.createdAt < b.createdAt ? -1 : a.createdAt > b.createdAt ? 1 : 0))
  const entries: TimelineEntry[] = []
  let at = 0
  for (const message of messages) {
    for (let ask = settled[at]; ask && ask.createdAt < message.timestamp; ask = settled[++at])
      entries.push(entryOf(ask))
    entries.push({ kind: 'message', key: message.id, message })
  }
  return [...entries, ...settled.slice(at).map(entryOf)]
}

const entryOf = (ask: Ask): TimelineEntry => ({ kind: 'ask', key: ask.id, ask })
