import { existsSync } from 'node:fs'
import type { Check } from '../../client/contract/system.ts'
import type { LoadedConfig } from '../../config/index.ts'
import type { Context } from '../context.ts'
import { bad, good, reason, warn } from './check.ts'

const name = 'database'

/** Checks without creating anything: a missing file stays missing. */
export async function checkDatabase(context: Context, loaded: LoadedConfig): Promise<Check> {
  const kind = loaded.config.database.url === null ? 'SQLite' : 'PostgreSQL'
  try {
    const maintenance = await context.parts.maintenance()
    if (kind === 'SQLite' && !existsSync(maintenance.databaseFile(loaded.dataDir)))
      return good(name, 'SQLite, missing: the first start creates it')
    const { current, newest } = await maintenance.databaseStatus(loaded)
    if (current > newest)
      return bad(
        name,
        `${kind} has schema ${current}; this Signalbox knows up to ${newest}`,
        'Start the newer Signalbox again, or restore the backup made before the upgrade.',
      )
    if (current < newest)
      return warn(
        name,
        `${kind}, schema ${current} of ${newest}`,
        'The next start brings it up to date, or: signalbox db migrate',
      )
    return good(name, `${kind}, schema ${current}, up to date`)
  } catch (error) {
    const hint =
      kind === 'SQLite'
        ? 'Check who owns signalbox.db in the data directory; backups are in backups/ there.'
        : 'Check database.url, and that the database server is running and accepts this user.'
    return bad(name, `${kind} can't be opened: ${reason(error)}`, hint)
  }
}
