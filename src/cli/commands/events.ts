import { pathOf, type Client } from '../../client/client.ts'
import { api } from '../../client/contract.ts'
import type { Event } from '../../domain/audit/schema.ts'
import type { Handler } from '../command.ts'
import type { Context } from '../context.ts'
import { eventLine } from '../event-text.ts'
import { exit, wrongUsage } from '../failure.ts'
import { findSession } from '../find-by-id.ts'
import { follow } from '../follow.ts'
import { formatJson } from '../output.ts'
import { namesOfPeople } from '../people.ts'
import type { eventFlags } from '../table/records.ts'

const usual = 20

export const events: Handler<typeof eventFlags> = async ({ flags }, context) => {
  if (flags.after !== undefined && !flags.follow) throw wrongUsage('--after needs --follow.')
  if (flags.limit !== undefined && flags.follow) throw wrongUsage("--limit can't be used with --follow.")
  const connection = await context.api()
  const { client } = connection
  const session = flags.session === undefined ? undefined : await findSession(client, flags.session)
  const filter = { ...(session && { session }), ...(flags.type !== undefined && { type: flags.type }) }
  const print = await printer(context)
  if (!flags.follow) {
    const page = await client.searchAudit({ query: { ...filter, limit: flags.limit ?? usual } })
    for (const event of page.events.toReversed()) await print(event)
    return exit.ok
  }
  const signal = context.interrupted()
  await follow({
    open: (after) => {
      const path = pathOf(api.streamEvents, { query: filter })
      const resume: Record<string, string> = after === null ? {} : { 'last-event-id': after }
      return connection.stream(path, { accept: 'text/event-stream', ...resume }, signal)
    },
    after: flags.after ?? (await newestCursor(client)),
    onEvent: print,
    onGap: (why, waitMs) => {
      if (!context.json) context.out.note(`${why} Retrying in ${Math.round(waitMs / 1000)} s.`)
    },
    signal,
  })
  return exit.interrupted
}

/** The current end of the log, so that a gap before the first event loses nothing. */
async function newestCursor(client: Client): Promise<string | null> {
  const page = await client.searchAudit({ query: { limit: 1 } }).catch(() => null)
  return page?.events[0]?.cursor ?? null
}

async function printer(context: Context): Promise<(event: Event) => Promise<void>> {
  const { out } = context
  if (context.json) return (event) => out.write(`${formatJson(event, false)}\n`)
  const people = await namesOfPeople((await context.api()).client)
  return (event) => out.write(`${eventLine(event, people, out.paint)}\n`)
}
