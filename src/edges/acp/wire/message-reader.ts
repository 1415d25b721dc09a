import type { Logger } from '../../../lib/log.ts'
import { isDialect } from '../calls/dialect.ts'
import { createFraming } from './framing.ts'
import { isRecord, parseJson } from '../../../lib/parse-json.ts'

type Fields = Readonly<Record<string, unknown>>

const longestLine = 16 * 1024 * 1024
/** At most this many skipped lines are logged. */
const mostNamed = 20

/** Parses the agent's output into messages with offsets, and hands each to its handler. Invalid lines are skipped. */
export function createMessageReader(deps: {
  start: number
  log: Logger
  update(fields: Fields, offset: number): void
  dialect(call: { method: string }, offset: number): void
  call(message: object, offset: number): void
}) {
  let odd = 0
  let upTo = deps.start

  function skip(offset: number, why: string, bytes: number): void {
    odd += 1
    if (odd <= mostNamed) deps.log.warn({ offset, why, bytes }, 'skipped a line of the agent')
    if (odd === mostNamed) deps.log.warn({}, 'further invalid lines are ignored silently')
  }

  const framing = createFraming({
    start: deps.start,
    longest: longestLine,
    tooLong: (offset, bytes) => skip(offset, 'too long', bytes),
  })

  function take(text: string, offset: number): void {
    const read = parseJson(text, isRecord)
    if (!read.ok) return skip(offset, read.fault.code === 'malformed_json' ? 'not JSON' : 'not a message', text.length)
    const message = read.value
    const { method, params } = message as { method?: unknown; params?: { update?: unknown } | null }
    if (method === 'session/update') {
      const update = params?.update
      if (typeof update === 'object' && update !== null) deps.update(update as Fields, offset)
      else skip(offset, 'an update without content', text.length)
    } else if (isDialect(method)) deps.dialect(message as { method: string }, offset)
    else if (typeof method === 'string' || 'id' in message) deps.call(message, offset)
    else skip(offset, 'not a message', text.length)
  }

  return {
    push(bytes: Uint8Array): void {
      for (const line of framing.push(bytes)) {
        upTo = line.offset
        // A bad line must not stop the reading of later ones.
        try {
          take(line.text, line.offset)
        } catch (error) {
          skip(line.offset, String(error), line.text.length)
        }
      }
      upTo = framing.lineStart()
    },
    /** All lines before this offset were handed on. */
    readUpTo: (): number => upTo,
    isDialect: (message: object): boolean => 'method' in message && isDialect(message.method),
  }
}
