/** One case: what it shows, and whether it counts. */
export type Example = { features: ReadonlySet<string>; family: string; counts: boolean }
export type Weights = ReadonlyMap<string, number>

const rounds = 14
const step = 0.15
/** Pulls weights towards 0: a feature must earn its weight. */
const pull = 0.003
/** A feature that fewer families show says more about them than about prompts. */
const fewestFamilies = 3

/** Logistic regression with a step per feature that shrinks as it is used; the mean of the later rounds. The same input gives the same weights. */
export function fitWeights(examples: readonly Example[]): Weights {
  const shown = Map.groupBy(
    examples.flatMap(({ features, family }) => [...features].map((name) => ({ name, family }))),
    ({ name }) => name,
  )
  const names = [...shown]
    .filter(([, uses]) => new Set(uses.map(({ family }) => family)).size >= fewestFamilies)
    .map(([name]) => name)
    .toSorted()
  const index = new Map(names.map((name, at) => [name, at]))
  const rows = examples.map(({ features, counts }) => ({
    at: Int32Array.from([...features].flatMap((name) => index.get(name) ?? [])),
    wanted: counts ? 1 : 0,
  }))
  const weight = new Float64Array(names.length)
  const used = new Float64Array(names.length).fill(0.1)
  const sum = new Float64Array(names.length)
  const random = randomFrom(1)
  for (let round = 0; round < rounds; round += 1) {
    for (const { at, wanted } of shuffled(rows, random)) {
      const error = 1 / (1 + Math.exp(-at.reduce((total, one) => total + (weight[one] ?? 0), 0))) - wanted
      for (const one of at) {
        const slope = error + pull * (weight[one] ?? 0)
        used[one] = (used[one] ?? 0) + slope * slope
        weight[one] = (weight[one] ?? 0) - (step * slope) / Math.sqrt(used[one])
      }
    }
    if (round >= rounds / 2) for (const [at, value] of weight.entries()) sum[at] = (sum[at] ?? 0) + value
  }
  return new Map(names.map((name, at) => [name, (sum[at] ?? 0) / Math.floor(rounds / 2)]))
}

/** The part of the families, 0 to `parts` - 1, that a family always belongs to. */
export function partOf(family: string, parts: number): number {
  let hash = 2_166_136_261
  for (const char of family) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 16_777_619)
  return (hash >>> 0) % parts
}

function randomFrom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

function shuffled<T>(items: readonly T[], random: (below: number) => number): T[] {
  const mixed = [...items]
  for (let at = mixed.length - 1; at > 0; at -= 1) {
    const other = random(at + 1)
    const [one, two] = [mixed[at], mixed[other]]
    if (one === undefined || two === undefined) continue
    mixed[at] = two
    mixed[other] = one
  }
  return mixed
}

const lineLength = 150
/** Smaller weights change nothing that matters. */
const smallest = 0.1

/** The module that detection reads weights from: `WEIGHT|NAME|NAME`, one line or more for each weight. */
export function weightsFile(weights: Weights): string {
  const kept = [...weights].filter(([, weight]) => Math.abs(weight) >= smallest)
  const groups = [...Map.groupBy(kept, ([, weight]) => weight.toFixed(1))].toSorted(
    ([one], [two]) => Number(two) - Number(one),
  )
  const lines = groups.flatMap(([weight, named]) => {
    const rows: string[] = []
    let row = weight
    for (const name of named.map(([each]) => each).toSorted()) {
      if (row.length + name.length > lineLength) {
        rows.push(row)
        row = weight
      }
      row += `|${name}`
    }
    rows.push(row)
    return rows
  })
  return [
    '// Written by `npm run detect:fit -- --write`: what a word or a sign counts for danger. likely.ts reads it.',
    'export const weights = `',
    ...lines,
    '`',
    '',
  ].join('\n')
}
