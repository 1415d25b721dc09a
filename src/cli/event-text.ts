import type { Event } from '../domain/audit/schema.ts'
import { cleanLine } from './clean-text.ts'
import { isWholeId, shortId } from './ids.ts'
import type { Paint } from './output.ts'
import { actorText } from './display-text.ts'

const unsaid = /Hash$|^sessionId$/

/** `title=… status=…`: the facts of an event without hashes and nulls, ids shortened. */
export function factsOf({ data }: Pick<Event, 'data'>, people: ReadonlyMap<string, string>): string {
  return Object.entries(data)
    .flatMap(([name, value]) => {
      if (value === null || unsaid.test(name)) return []
      const shown = idWords(typeof value === 'string' ? value : JSON.stringify(value), people)
      return [`${name}=${/\s/.test(shown) ? JSON.stringify(shown) : shown}`]
    })
    .join(' ')
}

function idWords(text: string, people: ReadonlyMap<string, string>): string {
  const person = people.get(text.replace(/^user:/, ''))
  if (person !== undefined) return person
  return isWholeId(text) ? shortId(text) : text
}

/** Local time, to compare with the clock. */
function clockTime(at: string): string {
  const date = new Date(at)
  const two = (part: number): string => String(part).padStart(2, '0')
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
}

/** One event on one line. */
export function eventLine(event: Event, people: ReadonlyMap<string, string>, paint: Paint): string {
  const session = event.sessionId === null ? '' : ` ${paint('dim', `session ${shortId(event.sessionId)}`)}`
  const facts = cleanLine(factsOf(event, people))
  const who = cleanLine(actorText(event.actor, people))
  const head = `${paint('dim', clockTime(event.at))}  ${paint('cyan', cleanLine(event.type))}  ${who}${session}`
  return facts === '' ? head : `${head}  ${facts}`
}
