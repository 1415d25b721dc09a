import { programName } from '../program-name.ts'
import { cleanLine, cleanText } from '../clean-text.ts'
import type { Client } from '../../client/client.ts'
import type { Handler } from '../command.ts'
import type { Context } from '../context.ts'
import { findSession } from '../find-by-id.ts'
import { shortId } from '../ids.ts'
import type { Colour } from '../output.ts'
import type { catchUpFlags } from '../table/terminals.ts'
import { relativeTime, timeBack } from '../times.ts'
import { wrapLines } from '../wrap-lines.ts'

type CatchUpEvent = Awaited<ReturnType<Client['catchUp']>>
type Severity = CatchUpEvent['events'][number]['severity']

const colours: Partial<Record<Severity, Colour>> = { critical: 'red', high: 'yellow' }

export const catchUp: Handler<typeof catchUpFlags> = async ({ flags }, context) => {
  const { client } = await context.api()
  const caught = await client.catchUp({
    query: {
      ...(flags.session !== undefined && { sessionId: await findSession(client, flags.session) }),
      ...(flags.since !== undefined && { since: sinceOf(flags.since, context.now()) }),
      ...(flags.budget !== undefined && { tokenBudget: flags.budget }),
      // The parser accepts only these values.
      ...(flags.severity !== undefined && { minSeverity: flags.severity as Severity }),
    },
  })
  if (context.json) return context.out.json(caught)
  context.out.print(words(caught, context, await openAsks(caught, client)))
}

/** A time span, a date, or a cursor. */
const sinceOf = (text: string, now: number): string => (isCursor.test(text) ? text : timeBack('since', text, now))
const isCursor = /^[0-9a-z]+\.[0-9a-z]+(?:;|$)/

/** Asks that are still open; the events may be older. */
async function openAsks({ events }: CatchUpEvent, client: Client): Promise<ReadonlySet<string>> {
  if (!events.some(({ askId }) => askId !== null)) return new Set()
  const { asks } = await client.listAsks({ query: { status: 'open', limit: 100 } })
  return new Set(asks.map(({ id }) => id))
}

function words({ events, summary, omitted }: CatchUpEvent, context: Context, open: ReadonlySet<string>): string {
  const { paint, width } = context.out
  const told = events.map(({ at, sessionId, severity, kind, text, context: around, times, askId }) => {
    const colour = colours[severity]
    const head = [relativeTime(at, context.now()), ...(sessionId === null ? [] : [shortId(sessionId)]), kind].join('  ')
    const often = times > 1 ? ` (${times} times)` : ''
    const said = `${cleanLine(text)}${often}`
    // Wrap before painting: colours take no columns.
    const broken = wrapLines(`${head}  ${said}`, width, 2).slice(head.length)
    return [
      `${paint('dim', head)}${colour ? paint(colour, broken) : broken}`,
      ...around.map((line) => paint('dim', `  │ ${cleanText(line).replaceAll('\n', ' ').trimEnd()}`)),
      ...(askId !== null && open.has(askId) ? [`  Answer: ${programName()} asks show ${shortId(askId)}`] : []),
    ].join('\n')
  })
  const left = Object.values(omitted).reduce((sum, count) => sum + count, 0)
  return [wrapLines(cleanText(summary), width), ...told, ...(left > 0 ? [wrapLines(leftOut(left), width)] : [])].join(
    '\n\n',
  )
}

const leftOut = (count: number): string => `${count} more left out: below --severity, or beyond --budget.`
