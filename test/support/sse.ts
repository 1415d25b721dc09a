import { request, type IncomingMessage } from 'node:http'
import { optionsOf, type Api } from './api.ts'
import { within } from './until.ts'

export type LogEvent = {
  id: string
  cursor: string
  at: string
  type: string
  actor: string
  stream: string
  sessionId: string | null
  ownerUserId: string | null
  data: Record<string, unknown>
}

/** A reader of `GET /api/events`. */
export type Reader = AsyncDisposable & {
  /** All events received so far. */
  readonly heard: readonly LogEvent[]
  /** The id of the last event, as a browser would send it back. */
  lastId(): string | undefined
  /** The first matching event, past or future. */
  first(fits: (event: LogEvent) => boolean, what?: string): Promise<LogEvent>
  /** Resolves when the server ends the stream. */
  readonly ended: Promise<void>
  /** Stops reading from the connection, like a hanging client. */
  stall(): void
  goOn(): void
  close(): void
}

export async function openEvents(api: Api, options: { query?: string; lastEventId?: string } = {}): Promise<Reader> {
  const { query = '', lastEventId } = options
  const headers = { ...api.headers, accept: 'text/event-stream', ...(lastEventId && { 'last-event-id': lastEventId }) }
  const call = request({ ...optionsOf(api.place), path: `/api/events${query}`, headers, agent: false })
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    call.on('response', resolve)
    call.on('error', reject)
    call.end()
  })
  if (response.statusCode !== 200) {
    call.destroy()
    throw new Error(`GET /api/events${query} gave ${response.statusCode}`)
  }
  const heard: LogEvent[] = []
  const waiting = new Set<() => void>()
  let rest = ''
  let lastId: string | undefined
  response.setEncoding('utf8')
  response.on('data', (chunk: string) => {
    const frames = (rest + chunk).split('\n\n')
    rest = frames.pop() ?? ''
    for (const frame of frames) take(frame)
    for (const wake of waiting) wake()
  })

  function take(frame: string): void {
    const fields = new Map(
      frame.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
    )
    const data = fields.get('data')
    if (data === undefined) return
    lastId = fields.get('id')
    const event = JSON.parse(data) as LogEvent
    if (event.type !== fields.get('event')) throw new Error(`an event ${event.type} came as ${fields.get('event')}`)
    heard.push(event)
  }

  const ended = new Promise<void>((resolve) => {
    response.on('close', resolve)
    response.on('error', () => resolve())
  })
  call.on('error', () => undefined)

  return {
    heard,
    ended,
    lastId: () => lastId,
    first: (fits, what = 'the event') =>
      within(
        new Promise((resolve) => {
          const look = () => {
            const found = heard.find(fits)
            if (!found) return
            waiting.delete(look)
            resolve(found)
          }
          waiting.add(look)
          look()
        }),
        what,
      ),
    stall: () => void response.pause(),
    goOn: () => void response.resume(),
    close: () => void call.destroy(),
    async [Symbol.asyncDispose]() {
      call.destroy()
      await ended
    },
  }
}
