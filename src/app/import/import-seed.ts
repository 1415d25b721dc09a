import { dirname, join, resolve } from 'node:path'
import { patiently, type Database } from '../../db/open.ts'
import { ok, type Result } from '../../lib/result.ts'
import { importAsks } from './asks.ts'
import { importBridgeState } from './bridge-state.ts'
import { importChats } from './chats.ts'
import { identityOf, placeOf, timeOr } from './convert.ts'
import { countConfigs, importGroups } from './groups.ts'
import { importPeople } from './people.ts'
import { readSeed } from './read-seed.ts'
import { importSessions } from './sessions.ts'
import type { ImportReport } from './tally.ts'
import type { Work } from './work.ts'

/** Ends the transaction of a dry run. */
class Undo extends Error {}

/**
 * Imports the central database of NanoClaw, in one transaction. Rows that are here already stay as they are, so a
 * second import of the same file changes nothing.
 */
export async function importSeed(
  database: Database,
  { file, now, dryRun }: { file: string; now: string; dryRun: boolean },
): Promise<Result<ImportReport>> {
  const read = readSeed(file)
  if (!read.ok) return read
  const { seed, tally } = read.value
  const run = () =>
    database.write.transaction().execute(async (tx) => {
      await database.flavor.lock(tx, ['import'])
      await importAll({
        tx,
        seed,
        tally,
        now,
        // The file is data/v2.db of an installation.
        groupsDir: join(dirname(dirname(resolve(file))), 'groups'),
        groups: new Map(),
        chats: new Map(),
        people: new Map(),
        sessions: new Map(),
        newGroups: new Set(),
        newWirings: new Set(),
      })
      if (dryRun) throw new Undo()
    })
  await patiently(database, run).catch((error: unknown) => {
    if (!(error instanceof Undo)) throw error
  })
  return ok(tally.report())
}

async function importAll(work: Work): Promise<void> {
  await importGroups(work)
  countConfigs(work)
  await importPeople(work)
  await importChats(work)
  await importSessions(work)
  await importAsks(work)
  await importStrangers(work)
  await importBridgeState(work)
}

async function importStrangers({ tx, seed, tally, now, chats, groups }: Work): Promise<void> {
  for (const row of seed.unregistered_senders) {
    const firstSeen = timeOr(row.first_seen, now)
    const added = await tx
      .insertInto('unregistered_senders')
      .values({
        channel_type: row.channel_type,
        platform_id: placeOf(row.channel_type, row.platform_id),
        user_id: row.user_id === null ? null : identityOf(row.user_id, row.channel_type),
        sender_name: row.sender_name?.slice(0, 200) ?? null,
        reason: row.reason,
        messaging_group_id: chats.get(row.messaging_group_id ?? '') ?? null,
        agent_group_id: groups.get(row.agent_group_id ?? '') ?? null,
        message_count: Math.max(1, Math.trunc(row.message_count ?? 1)),
        first_seen: firstSeen,
        last_seen: timeOr(row.last_seen, firstSeen),
      })
      .onConflict((conflict) => conflict.doNothing())
      .returning('reason')
      .execute()
    tally.imported('unregistered_senders', added.length > 0)
  }
}
