import { sql } from 'kysely'
import { newRandomId } from '../lib/id.ts'
import type { Logger } from '../lib/log.ts'
import { LeaseLost, type Lease, type Leases } from './leases.ts'

export type LeaseTimes = { leaseMs: number; renewMs: number; retryMs: number }

/** A holder that is killed, paused or cut off is replaced within `leaseMs` plus one attempt of the next one. */
const usualTimes: LeaseTimes = { leaseMs: 10_000, renewMs: 3_000, retryMs: 1_000 }

// The database's clock, as text like all other times: the nodes' clocks may differ.
const inMs = (ms: string) =>
  `to_char((clock_timestamp() + ${ms} * interval '1 millisecond') at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

const take = `
  insert into leases (name, holder, fence, expires_at) values ($1, $2, 1, ${inMs('$3::int')})
  on conflict (name) do update
    set holder = excluded.holder, fence = leases.fence + 1, expires_at = excluded.expires_at
    where leases.expires_at <= ${inMs('0')} or starts_with(leases.holder, $4::text)
  returning fence`

const renew = `
  update leases set expires_at = ${inMs('$4::int')} where name = $1 and holder = $2 and fence = $3 returning fence`

const giveBack = `update leases set expires_at = ${inMs('0')} where name = $1 and holder = $2 and fence = $3`

/**
 * Leases as rows. The fence grows with every change of holder, and a guarded transaction locks the row with its own
 * fence: a node that was paused or cut off can't write after another has taken over.
 */
export async function postgresLeases(deps: {
  url: string
  nodeId: string
  log: Logger
  times?: LeaseTimes
}): Promise<Leases & AsyncDisposable> {
  const { url, nodeId, log } = deps
  const { leaseMs, renewMs, retryMs } = deps.times ?? usualTimes
  const { default: pg } = await import('pg')
  // Separate connections: a lease must not be lost because all others are busy.
  const pool = new pg.Pool({
    connectionString: url,
    max: 2,
    application_name: 'signalbox leases',
    connectionTimeoutMillis: leaseMs,
    query_timeout: leaseMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  })
  pool.on('error', () => {})
  const int8 = 20
  pg.types.setTypeParser(int8, Number)
  // Each process is a separate holder, even if its data directory, with the node id, is a copy.
  const holder = `${nodeId}/${newRandomId<string>()}`
  const asked = new Set<string>()

  async function fenceFrom(statement: string, values: readonly unknown[]): Promise<number | null> {
    const { rows } = await pool.query<{ fence: number }>(statement, [...values])
    return rows[0]?.fence ?? null
  }

  async function acquire(name: string): Promise<Lease | null> {
    const sentAt = performance.now()
    // At its start this node is the only one with its id (the home lock ensures it), so its leases from before a kill are free.
    const own = asked.has(name) ? null : `${nodeId}/`
    const fence = await fenceFrom(take, [name, holder, leaseMs, own])
    asked.add(name)
    return fence === null ? null : hold(name, fence, sentAt)
  }

  function hold(name: string, fence: number, sentAt: number): Lease {
    const over = new AbortController()
    let until = sentAt + leaseMs
    let next: NodeJS.Timeout | undefined
    let end: NodeJS.Timeout | undefined
    let renewing: Promise<void> = Promise.resolve()

    function lose(why: string): void {
      if (over.signal.aborted) return
      log.warn({ lease: name, fence, why }, 'lease lost; another node may take over')
      stop()
    }
    function stop(): void {
      clearTimeout(next)
      clearTimeout(end)
      over.abort()
    }
    function arm(afterMs: number): void {
      clearTimeout(end)
      // Counted from when the request was sent; the database counts from a later time.
      end = setTimeout(lose, Math.max(0, until - performance.now()), 'not renewed in time')
      next = setTimeout(() => {
        renewing = again()
      }, afterMs)
    }
    async function again(): Promise<void> {
      const at = performance.now()
      try {
        const kept = await fenceFrom(renew, [name, holder, fence, leaseMs])
        if (over.signal.aborted) return
        if (kept === null) return lose('another node holds it')
        until = at + leaseMs
        arm(renewMs)
      } catch (error) {
        if (over.signal.aborted) return
        log.warn({ lease: name, error: String(error) }, 'lease not renewed; trying again')
        arm(retryMs)
      }
    }
    arm(renewMs)

    return {
      lost: over.signal,
      async guard(tx) {
        if (over.signal.aborted) throw new LeaseLost(name)
        // The lock makes the next holder wait for the end of this transaction; PostgreSQL ends an idle one.
        const held = sql`select 1 from leases where name = ${name} and holder = ${holder} and fence = ${fence} for share`
        const { rows } = await held.execute(tx)
        if (rows.length > 0) return
        lose('another node holds it')
        throw new LeaseLost(name)
      },
      async [Symbol.asyncDispose]() {
        const held = !over.signal.aborted
        stop()
        if (!held) return
        await renewing
        await pool
          .query(giveBack, [name, holder, fence])
          .catch((error: unknown) =>
            log.warn({ lease: name, error: String(error) }, 'lease not given back; it expires'),
          )
      },
    }
  }

  return { acquire, [Symbol.asyncDispose]: () => pool.end() }
}
