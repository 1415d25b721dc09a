import { createParser } from 'eventsource-parser'

/** One message of an event stream. `id` is null for live messages, which are not stored. */
export type ServerSentEvent = { readonly id: string | null; readonly type: string; readonly data: string }

/** Takes chunks of an event stream and returns complete messages. */
export function createSseReader(): (piece: string) => ServerSentEvent[] {
  const ready: ServerSentEvent[] = []
  const parser = createParser({
    onEvent: ({ id, event, data }) => void ready.push({ id: id ?? null, type: event ?? 'message', data }),
  })
  return (piece) => {
    parser.feed(piece)
    return ready.splice(0)
  }
}
