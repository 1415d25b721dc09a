import { wordsOf } from '../words/words-of.ts'
import type { DangerContext } from './context.ts'
import { featuresOf, zonesOf } from './features.ts'
import { isOnlyShown } from './doubt.ts'
import { meaningsOf, type Meaning } from './meanings.ts'
import { clip } from './reason.ts'
import { weights } from './weights.ts'

/** Above this, a prompt is more likely dangerous than not. */
export const leastScore = 0

/** `0.4|Y delete|asks means pays`: a weight, then all features that have it. */
const readWeights = (): ReadonlyMap<string, number> =>
  new Map(
    weights
      .split('\n')
      .map((line) => line.split('|'))
      .flatMap(([weight, ...names]) => names.map((name) => [name, Number(weight)] as const)),
  )

let known: ReadonlyMap<string, number> | undefined

/** How much a prompt is like those that could do harm. */
export const scoreOf = (weight: ReadonlyMap<string, number>, features: ReadonlySet<string>): number =>
  [...features].reduce((total, name) => total + (weight.get(name) ?? 0), 0)

const says: Partial<Record<Meaning, string>> = {
  pays: 'may spend money',
  publishes: 'may publish something',
  exposes: 'may make something public',
  grants: 'may grant rights',
  trusts: 'may trust something unverified',
  destroys: 'may destroy something',
  replaces: 'may overwrite something',
  loses: 'may lose something',
  removes: 'may remove something',
  stops: 'may stop something that runs',
  forces: 'may force something',
}

/** A danger that no rule names: the words together are like those of dangerous prompts, and one of them says what it could do. */
export const likelyDanger = (asked: DangerContext): string | null => {
  const reason = reasonOf(asked)
  if (reason === null) return null
  known ??= readWeights()
  return scoreOf(known, featuresOf(asked)) > leastScore ? reason : null
}

/** What the words say that an answer could do; null if they say nothing of the kind. */
export const reasonOf = (asked: DangerContext): string | null => {
  if (asked.question === '' || asked.type === 'command' || isOnlyShown(asked.question)) return null
  const lines = zonesOf(asked).flatMap(([, texts]) => texts)
  const meant = lines.map((line) => meaningsOf(line, wordsOf(line)))
  for (const [meaning, may] of Object.entries(says) as [Meaning, string][]) {
    const line = lines[meant.findIndex((meanings) => meanings.has(meaning))]
    if (line !== undefined) return clip(`${may}: ${line}`)
  }
  return null
}
