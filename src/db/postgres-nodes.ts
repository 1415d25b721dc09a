import { sql } from 'kysely'
import type { Logger } from '../lib/log.ts'
import { backoff } from '../lib/backoff.ts'
import type { Position } from './flavor.ts'
import type { Database } from './open.ts'

const channel = 'signalbox_log'

/**
 * Wakes the nodes that share a PostgreSQL database. The notice is a separate statement after the commit: NOTIFY inside a
 * transaction serializes all commits of the database. Several notices at once become one.
 */
export function postgresNodes(database: Database, url: string, log: Logger) {
  let sending: Promise<unknown> | null = null
  let again = false
  let furthest: Position = { tx: 0, seq: 0 }
  async function send(): Promise<void> {
    try {
      do {
        again = false
        await sql`select pg_notify(${channel}, ${`${furthest.tx}.${furthest.seq}`})`.execute(database.write)
      } while (again)
    } catch (error) {
      log.warn({ error: String(error) }, 'other nodes were not notified; they check within a second')
    } finally {
      sending = null
    }
  }
  return {
    notify(place: Position) {
      if (place.tx > furthest.tx || (place.tx === furthest.tx && place.seq > furthest.seq)) furthest = place
      again = true
      sending ??= send()
    },
    async listen(wake: (place?: Position) => void): Promise<AsyncDisposable> {
      const { default: pg } = await import('pg')
      let stopped = false
      let client: InstanceType<typeof pg.Client> | null = null
      let retry: NodeJS.Timeout | undefined
      let failures = 0
      async function connect(): Promise<void> {
        const next = new pg.Client({
          connectionString: url,
          application_name: 'signalbox listener',
          connectionTimeoutMillis: 10_000,
        })
        next.on('notification', ({ payload }) => wake(placeOf(payload)))
        next.on('error', () => reconnect(next))
        next.on('end', () => reconnect(next))
        try {
          await next.connect()
          await next.query(`listen ${channel}`)
          if (stopped) {
            await next.end()
            return
          }
          client = next
          failures = 0
          wake()
        } catch (error) {
          log.warn({ error: String(error) }, 'not connected to notices from other nodes; trying again')
          reconnect(next)
        }
      }
      function reconnect(lost: InstanceType<typeof pg.Client>): void {
        if (stopped || retry !== undefined) return
        lost.removeAllListeners()
        lost.on('error', () => {})
        void lost.end().catch(() => {})
        client = null
        failures += 1
        retry = setTimeout(
          () => {
            retry = undefined
            connecting = connect()
          },
          backoff(failures, 100, 5000),
        )
      }
      let connecting = connect()
      return {
        async [Symbol.asyncDispose]() {
          stopped = true
          clearTimeout(retry)
          await connecting
          await sending
          await client?.end()
        },
      }
    },
  }
}

function placeOf(payload: string | undefined): Position | undefined {
  const [tx, seq] = (payload ?? '').split('.').map(Number)
  return Number.isSafeInteger(tx) && Number.isSafeInteger(seq) ? { tx: tx ?? 0, seq: seq ?? 0 } : undefined
}
