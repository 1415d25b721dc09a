// Fits the weights of words that show danger, and judges detection on families of programs that they were not fitted on.
//   npm run detect:fit [-- --write]
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { promptSource } from '../src/domain/terminal/detect/detect.ts'
import { ruleDanger } from '../src/domain/terminal/detect/understand/danger/danger.ts'
import { featuresOf } from '../src/domain/terminal/detect/understand/danger/features.ts'
import { leastScore, reasonOf, scoreOf } from '../src/domain/terminal/detect/understand/danger/likely.ts'
import { readPrompt } from '../src/domain/terminal/detect/understand/understand.ts'
import { parseCase, replay } from '../src/edges/terminal/corpus.ts'
import { goldenPrompts } from '../test/support/golden-prompts.ts'
import { promptCases, promptSets, type PromptCase } from '../test/support/prompt-cases.ts'
import { unseenPrompts } from '../test/support/unseen-prompts.ts'
import { floors, predictAll, scoreOf as detectorScore, share, unseenScore, type Measure } from './detect-score.ts'
import { fitWeights, partOf, weightsFile, type Example, type Weights } from './lib/fit-weights.ts'

const parts = 5
const file = join(import.meta.dirname, '../src/domain/terminal/detect/understand/danger/weights.ts')

/** A prompt with what the rules say about it, and what its label says. */
type Judged = Example & { id: string; rule: boolean; nameable: boolean }

/** The single drawn prompts are of many programs. */
const familyOf = ({ family, id }: Pick<PromptCase, 'family' | 'id'>): string => (family === 'drawn' ? id : family)

async function recordedExamples(cases: readonly PromptCase[]): Promise<Judged[]> {
  const examples: Judged[] = []
  for (const each of cases) {
    const { label, recording, id } = each
    if (!label.waiting || label.dangerous_ambiguous) continue
    const { screen, signals } = await replay(parseCase(recording))
    const asked = readPrompt(promptSource(screen, signals))
    const rule = ruleDanger(asked) !== null
    const nameable = reasonOf(asked) !== null
    examples.push({ id, rule, nameable, features: featuresOf(asked), family: familyOf(each), counts: label.dangerous })
  }
  return examples
}

/** The prompts of the golden tests, each a family of its own. */
const goldenExamples = (): Example[] =>
  goldenPrompts().map(({ source, dangerous }) => {
    const asked = readPrompt(source)
    return { features: featuresOf(asked), family: source.text, counts: dangerous }
  })

/** The score of each example by weights that were fitted without its part of the families. */
function scoresLeftOut(examples: readonly Judged[], others: readonly Example[]): number[] {
  const fits = Array.from({ length: parts }, (_, out) =>
    fitWeights([...examples, ...others].filter(({ family }) => partOf(family, parts) !== out)),
  )
  const none: Weights = new Map<string, number>()
  return examples.map(({ features, family }) => scoreOf(fits[partOf(family, parts)] ?? none, features))
}

function recallAndPrecision(examples: readonly Judged[], warns: (at: number) => boolean): string {
  const warned = examples.filter((_, at) => warns(at))
  const right = warned.filter(({ counts }) => counts).length
  const recall = right / examples.filter(({ counts }) => counts).length
  return `recall ${recall.toFixed(3)}  precision ${(right / warned.length).toFixed(3)}`
}

function dangerTable(examples: readonly Judged[], scores: readonly number[]): string {
  const likely = (at: number, least: number): boolean => (scores[at] ?? 0) > least && examples[at]?.nameable === true
  const known = (at: number): boolean => examples[at]?.rule ?? false
  return [
    `danger, ${examples.length} prompts, ${examples.filter(({ counts }) => counts).length} dangerous; weights judged on families left out of the fit`,
    `  rules alone                 ${recallAndPrecision(examples, known)}`,
    ...[2, 1, 0.5, 0, -0.5, -1].map((least) => {
      const label = `above ${least}`.padEnd(11)
      const alone = recallAndPrecision(examples, (at) => likely(at, least))
      const both = recallAndPrecision(examples, (at) => known(at) || likely(at, least))
      return `  weights ${label} alone ${alone}   with the rules ${both}`
    }),
  ].join('\n')
}

/** The whole detector on each part of the families, with weights fitted on the other parts. */
async function partsTable(
  cases: readonly PromptCase[],
  examples: readonly Judged[],
  scores: readonly number[],
): Promise<string> {
  const warns = new Map(
    examples.map(({ id, rule, nameable }, at) => [id, rule || (nameable && (scores[at] ?? 0) > leastScore)]),
  )
  const rows = await predictAll(cases)
  for (const { id, said } of rows) said.dangerous = said.waiting && (warns.get(id) ?? said.dangerous)
  const measures = Object.keys(floors) as Measure[]
  const each = Array.from({ length: parts }, (_, part) =>
    detectorScore(rows.filter((row) => partOf(familyOf(row), parts) === part)),
  )
  const whole = detectorScore(rows)
  const lines = measures.map((measure) => {
    const shares = each.map((score) => share(score[measure]).toFixed(3))
    return `  ${measure.padEnd(20)} ${shares.join('  ')}   together ${share(whole[measure]).toFixed(3)}`
  })
  const families = new Set(cases.map(familyOf)).size
  return [`the detector on each fifth of ${families} families, fitted on the other four`, ...lines].join('\n')
}

function unseenTable(): string {
  const prompts = unseenPrompts()
  const lines = Object.entries(unseenScore(prompts)).map(([measure, { right, of }]) => {
    const value = share({ right, of }).toFixed(3)
    return `  ${measure.padEnd(20)} ${value}  ${right} of ${of}`
  })
  return [`the detector on ${prompts.length} prompts that no recorded case covers`, ...lines].join('\n')
}

const { values } = parseArgs({ options: { write: { type: 'boolean' } } })
const cases = promptSets.flatMap(promptCases)
const examples = await recordedExamples(cases)
const golden = goldenExamples()
if (values.write) {
  writeFileSync(file, weightsFile(fitWeights([...examples, ...golden])))
  console.log(`written: ${file}; run again without --write to judge it`)
} else {
  const scores = scoresLeftOut(examples, golden)
  console.log(await partsTable(cases, examples, scores))
  console.log(unseenTable())
  console.log(dangerTable(examples, scores))
}
