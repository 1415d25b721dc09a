import type { RiskLevel } from './schema.ts'

/** An inbox entry, reduced to what its position depends on. */
export type WaitingItem = {
  /** The viewer may answer it. */
  readonly mine: boolean
  readonly risk: RiskLevel
  /** The action could do harm, whatever its risk level. */
  readonly dangerous: boolean
  /** An alert that only a person can resolve. */
  readonly escalated: boolean
  readonly expiresAt: string | null
  readonly since: string
  readonly key: string
}

export type Urgency = 'critical' | 'high' | 'normal'

const soonMs = 5 * 60 * 1000

const ranks = { harm: 0, escalated: 1, high: 2, expiring: 3, other: 4 } as const

function rankOf({ risk, dangerous, escalated, expiresAt }: WaitingItem, now: number): number {
  if (risk === 'critical' || dangerous) return ranks.harm
  if (escalated) return ranks.escalated
  if (risk === 'high') return ranks.high
  return expiresAt !== null && Date.parse(expiresAt) - now <= soonMs ? ranks.expiring : ranks.other
}

export function urgencyOf(waiting: WaitingItem, now: number): Urgency {
  const rank = rankOf(waiting, now)
  return rank === ranks.harm ? 'critical' : rank === ranks.other ? 'normal' : 'high'
}

/** Most urgent first: what the viewer may answer, then what could do harm, then by waiting time. */
export function byUrgency<W extends WaitingItem>(waiting: readonly W[], now: number): W[] {
  const ranked = waiting.map((one) => ({ one, rank: rankOf(one, now) }))
  return ranked
    .toSorted(
      (a, b) =>
        Number(b.one.mine) - Number(a.one.mine) ||
        a.rank - b.rank ||
        compare(a.one.since, b.one.since) ||
        compare(a.one.key, b.one.key),
    )
    .map(({ one }) => one)
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
