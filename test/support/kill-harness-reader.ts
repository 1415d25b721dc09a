import { request as send, type ClientRequest } from 'node:http'

/** An outside reader of the events that remembers the last id and reconnects after each gap. */
export type EventReader = {
  connect(socketPath: string): void
  /** Ids of the events in the order they arrived, each once. */
  readonly seen: readonly string[]
  /** How many arrived again. */
  repeats(): number
  /** Whether a later event was ever followed by a new earlier one. */
  readonly faults: readonly string[]
  /** Resolves when this event has been seen. */
  until(eventId: string): Promise<void>
  close(): void
}

export function createEventReader(): EventReader {
  const seen: string[] = []
  const known = new Set<string>()
  const faults: string[] = []
  const waiting = new Map<string, () => void>()
  let repeats = 0
  let lastId = '0.0'
  let current: ClientRequest | null = null

  function take(frame: string): void {
    const fields = new Map(
      frame.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
    )
    const data = fields.get('data')
    const id = fields.get('id')
    if (data === undefined || id === undefined) return
    const event: { id: string; cursor: string } = JSON.parse(data)
    if (event.cursor !== id) faults.push(`event ${event.id} came under id ${id} with cursor ${event.cursor}`)
    if (known.has(event.id)) {
      repeats += 1
      return
    }
    if (!after(id, lastId)) faults.push(`event ${event.id} at ${id} came after ${lastId}`)
    lastId = id
    known.add(event.id)
    seen.push(event.id)
    waiting.get(event.id)?.()
  }

  return {
    seen,
    faults,
    repeats: () => repeats,
    connect(socketPath) {
      const request = send({
        socketPath,
        path: '/api/events',
        headers: { host: 'localhost', 'last-event-id': lastId },
        agent: false,
      })
      current = request
      request.on('error', () => {})
      request.on('response', (response) => {
        if (response.statusCode !== 200) faults.push(`the event stream answered ${response.statusCode}`)
        let rest = ''
        response.setEncoding('utf8')
        response.on('error', () => {})
        response.on('data', (text: string) => {
          const frames = (rest + text).split('\n\n')
          rest = frames.pop() ?? ''
          frames.forEach(take)
        })
      })
      request.end()
    },
    until: (eventId) =>
      known.has(eventId) ? Promise.resolve() : new Promise((resolve) => waiting.set(eventId, resolve)),
    close: () => void current?.destroy(),
  }
}

function after(id: string, before: string): boolean {
  const [tx = 0, seq = 0] = id.split('.').map((part) => Number.parseInt(part, 36))
  const [lastTx = 0, lastSeq = 0] = before.split('.').map((part) => Number.parseInt(part, 36))
  return tx > lastTx || (tx === lastTx && seq > lastSeq)
}
