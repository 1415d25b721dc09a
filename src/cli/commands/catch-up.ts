import { called } from '../called.ts'
import { cleanLine, cleanText } from '../clean-text.ts'
import { caughtUpText } from '../../client/caught-up-words.ts'
import type { Client } from '../../client/client.ts'
import type { Ask } from '../../domain/ask/schema.ts'
import type { Handler } from '../command.ts'
import type { Context } from '../context.ts'
import { findSession } from '../find.ts'
import { shortId } from '../ids.ts'
import type { Colour } from '../output.ts'
import { namesOfPeople } from '../people.ts'
import type { catchUpFlags } from '../table/terminals.ts'
import { relativeTime, timeBack } from '../times.ts'
import { actorWords } from '../words.ts'
import { wrapLines } from '../wrap-lines.ts'

type CaughtUp = Awaited<ReturnType<Client['catchUp']>>
type Severity = CaughtUp['events'][number]['severity']

const colours: Partial<Record<Severity, Colour>> = { critical: 'red', high: 'yellow' }

export const catchUp: Handler<typeof catchUpFlags> = async ({ flags }, context) => {
  const { client } = await context.api()
  const caught = await client.catchUp({
    query: {
      ...(flags.session !== undefined && { sessionId: await findSession(client, flags.session) }),
      ...(flags.since !== undefined && { since: sinceOf(flags.since, context.now()) }),
      ...(flags.budget !== undefined && { tokenBudget: flags.budget }),
      // The parser took no other words.
      ...(flags.severity !== undefined && { minSeverity: flags.severity as Severity }),
    },
  })
  if (context.json) return context.out.json(caught)
  context.out.print(words(caught, context, await knownOf(caught, client)))
}

/** A span, a date, or a cursor as it was given. */
const sinceOf = (text: string, now: number): string => (isCursor.test(text) ? text : timeBack('since', text, now))
const isCursor = /^[0-9a-z]+\.[0-9a-z]+(?:;|$)/

type Known = { people: ReadonlyMap<string, string>; asks: ReadonlyMap<string, Ask> }

/** Names of people, and asks as they stand now: the events hold ids of both. */
async function knownOf({ events }: CaughtUp, client: Client): Promise<Known> {
  if (!events.some(({ askId }) => askId !== null)) return { people: new Map(), asks: new Map() }
  const [people, open, newest] = await Promise.all([
    namesOfPeople(client),
    client.listAsks({ query: { status: 'open', limit: 100 } }),
    client.listAsks({ query: { limit: 100 } }),
  ])
  return { people, asks: new Map([...open.asks, ...newest.asks].map((ask) => [ask.id, ask])) }
}

function words({ events, summary, omitted }: CaughtUp, context: Context, { people, asks }: Known): string {
  const { paint, width } = context.out
  const who = (actor: string) => actorWords(actor, people)
  const told = events.map(({ at, sessionId, severity, kind, text, context: around, times, askId }) => {
    const colour = colours[severity]
    const head = [relativeTime(at, context.now()), ...(sessionId === null ? [] : [shortId(sessionId)]), kind].join('  ')
    const often = times > 1 ? ` (${times} times)` : ''
    const ask = askId === null ? undefined : asks.get(askId)
    const said = `${cleanLine(caughtUpText(text, { who, ask }))}${often}`
    // Broken before it is painted: colours take no room.
    const broken = wrapLines(`${head}  ${said}`, width, 2).slice(head.length)
    return [
      `${paint('dim', head)}${colour ? paint(colour, broken) : broken}`,
      ...around.map((line) => paint('dim', `  │ ${cleanText(line).replaceAll('\n', ' ').trimEnd()}`)),
      ...(ask?.status === 'open' ? [`  Answer: ${called()} asks show ${shortId(ask.id)}`] : []),
    ].join('\n')
  })
  const left = Object.values(omitted).reduce((sum, count) => sum + count, 0)
  return [wrapLines(cleanText(summary), width), ...told, ...(left > 0 ? [wrapLines(leftOut(left), width)] : [])].join(
    '\n\n',
  )
}

const leftOut = (count: number): string =>
  `${count} more are left out: they matter less than --severity, or had no room in --budget.`
