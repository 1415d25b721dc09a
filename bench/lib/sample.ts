/** The median of several rounds, and their spread. */
export type Sample = { readonly median: number; readonly low: number; readonly high: number; readonly rounds: number }

export function sampleOf(values: readonly number[]): Sample {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  const lower = sorted[Math.ceil(middle) - 1] ?? Number.NaN
  const upper = sorted[Math.floor(middle)] ?? Number.NaN
  return { median: (lower + upper) / 2, low: sorted[0] ?? lower, high: sorted.at(-1) ?? upper, rounds: sorted.length }
}

/** Round by round, so that a disturbance of the machine affects both sides of a ratio. */
export const ratioOf = (ours: readonly number[], theirs: readonly number[]): Sample =>
  sampleOf(ours.map((value, round) => value / (theirs[round] ?? Number.NaN)))

/** A B A B …: one warm-up of each that does not count, then the rounds that do. */
export async function interleaved<K extends string>(
  rounds: number,
  sides: Readonly<Record<K, () => Promise<number>>>,
): Promise<Record<K, number[]>> {
  const names = Object.keys(sides) as K[]
  const measured = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<K, number[]>
  for (let round = 0; round <= rounds; round += 1)
    for (const name of names) {
      const value = await sides[name]()
      if (round > 0) measured[name].push(value)
    }
  return measured
}
