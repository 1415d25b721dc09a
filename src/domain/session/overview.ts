/** By what the overview sums up. */
export const overviewBy = ['day', 'agent', 'repo', 'person'] as const
export type OverviewBy = (typeof overviewBy)[number]

export type OverviewRow = {
  /** A day, the name of an agent, or an id; empty if a session has none. */
  readonly key: string
  readonly sessions: number
  readonly costUsd: number
  readonly asks: number
  /** By people; the others were answered by a policy, or not at all. */
  readonly answered: number
  readonly automatic: number
  readonly waitedSeconds: number
}
