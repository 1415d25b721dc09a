import type { Client } from '../client/client.ts'
import type { Session } from '../domain/session/schema.ts'
import type { FlagValues } from './command.ts'
import { findSession, findUser } from './find-by-id.ts'
import type { auditExportFlags } from './table/records.ts'
import { timeBack } from './times.ts'

type Filter = Omit<FlagValues<typeof auditExportFlags>, 'output'>
type Query = { type?: string; actor?: string; session?: Session['id']; since?: string; until?: string; text?: string }

/** The filter flags as the API's query. */
export async function auditQuery(client: Client, flags: Filter, now: number): Promise<Query> {
  return {
    ...(flags.type !== undefined && { type: flags.type }),
    ...(flags.text !== undefined && { text: flags.text }),
    ...(flags.since !== undefined && { since: timeBack('since', flags.since, now) }),
    ...(flags.until !== undefined && { until: timeBack('until', flags.until, now) }),
    ...(flags.actor !== undefined && { actor: await actorName(client, flags.actor) }),
    ...(flags.session !== undefined && { session: await findSession(client, flags.session) }),
  }
}

/** The log stores `user:<id>`; people type names. */
const actorName = async (client: Client, text: string): Promise<string> =>
  /^(?:user|agent|policy|system):/.test(text) ? text : `user:${await findUser(client, text)}`
