import { called } from '../called.ts'
import { cleanLine, cleanText } from '../clean-text.ts'
import type { Client } from '../../client/client.ts'
import type { Handler } from '../command.ts'
import type { Context } from '../context.ts'
import { findSession } from '../find.ts'
import { shortId } from '../ids.ts'
import type { Colour } from '../output.ts'
import { show } from '../show.ts'
import type { catchUpFlags } from '../table/terminals.ts'
import { relativeTime, timeBack } from '../times.ts'

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
  show(context, caught, () => words(caught, context))
}

/** A span, a date, or a cursor as it was given. */
const sinceOf = (text: string, now: number): string =>
  /^\d{1,6}[smhdwy]$|^\d{4}-\d\d-\d\d/.test(text) ? timeBack('since', text, now) : text

function words({ events, summary, omitted }: CaughtUp, context: Context): string {
  const { paint } = context.out
  const told = events.map(({ at, sessionId, severity, kind, text, context: around, times, askId }) => {
    const colour = colours[severity]
    const head = [relativeTime(at, context.now()), sessionId === null ? '' : shortId(sessionId), kind]
    const often = times > 1 ? ` (${times} times)` : ''
    const said = `${cleanLine(text)}${often}`
    return [
      `${paint('dim', head.filter((part) => part !== '').join('  '))}  ${colour ? paint(colour, said) : said}`,
      ...around.map((line) => paint('dim', `  │ ${cleanText(line).replaceAll('\n', ' ').trimEnd()}`)),
      ...(askId === null ? [] : [`  Answer: ${called()} asks show ${shortId(askId)}`]),
    ].join('\n')
  })
  const left = Object.values(omitted).reduce((sum, count) => sum + count, 0)
  return [
    cleanText(summary),
    ...told,
    ...(left > 0 ? [`${left} more are left out: they matter less than --severity, or had no room in --budget.`] : []),
  ].join('\n\n')
}
