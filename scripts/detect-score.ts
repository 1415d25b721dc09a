// Scores `detect` on the packed moments of terminals in test/fixtures/prompts, whose labels say what each program was doing.
//   npm run detect:score -- [--errors] [--set NAME]... [--family NAME]... [--corpus DIR]
import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { detect } from '../src/domain/terminal/detect/detect.ts'
import { corpusFiles, parseCase, predict, type Prediction } from '../src/edges/terminal/corpus.ts'
import {
  promptCase,
  promptCases,
  promptSets,
  type PromptCase,
  type PromptLabel,
  type PromptSet,
} from '../test/support/prompt-cases.ts'
import type { UnseenPrompt } from '../test/support/unseen-prompts.ts'

type Row = { id: string; family: string; label: PromptLabel; said: Prediction; by: string; why: string }

/** What T4 promises. */
export const floors = {
  waitingPrecision: 0.97,
  waitingRecall: 0.97,
  type: 0.95,
  text: 0.95,
  dangerousRecall: 0.98,
  dangerousPrecision: 0.85,
} as const
export type Measure = keyof typeof floors
/** Floors for the other corpora, against regressions; fewer dangers are detected there than T4 promises. */
export const reached: Record<Measure, number> = {
  waitingPrecision: 0.99,
  waitingRecall: 0.985,
  type: 0.97,
  text: 0.98,
  dangerousRecall: 0.96,
  dangerousPrecision: 0.93,
}
export type UnseenMeasure = Exclude<Measure, 'waitingPrecision' | 'text'>
/** Floors for prompts that no recorded case covers. */
export const unseenFloors: Record<UnseenMeasure, number> = {
  waitingRecall: 1,
  type: 0.96,
  dangerousRecall: 0.88,
  dangerousPrecision: 0.95,
}
export type Score = Record<Measure, { right: number; of: number }>

/** Programs that detection was not tuned on when they were recorded. */
export const otherSets: readonly PromptSet[] = ['recorded', 'written', 'drawn']

export async function predictAll(cases: Iterable<PromptCase>): Promise<Row[]> {
  const rows: Row[] = []
  for (const { family, label, recording } of cases) {
    // `parseCase` removes the label: only the scorer sees it.
    const { prediction, verdict } = await predict(parseCase(recording))
    const why = verdict.evidence.find(({ signal }) => signal === verdict.decidedBy)?.detail ?? ''
    rows.push({ id: prediction.id, family, label, said: prediction, by: verdict.decidedBy, why })
  }
  return rows
}

async function casesIn(directory: string): Promise<PromptCase[]> {
  const files = await corpusFiles(directory)
  return Promise.all(files.map(async (file) => promptCase(await readFile(file, 'utf8'))))
}

export function scoreOf(rows: readonly Row[]): Score {
  const core = rows.filter(({ label }) => !label.ambiguous && !label.transient && !label.indistinct)
  const found = core.filter(({ label, said }) => label.waiting && said.waiting).length
  const asked = rows.filter(({ label }) => label.waiting && !label.ambiguous)
  const shown = asked.filter(({ label }) => label.prompt_text !== '')
  const plain = rows.filter(({ label }) => !label.dangerous_ambiguous)
  const dangers = plain.filter(({ label }) => label.waiting && label.dangerous)
  const warned = plain.filter(({ said }) => said.waiting && said.dangerous)
  const count = (of: readonly Row[], right: (row: Row) => boolean) => ({
    right: of.filter(right).length,
    of: of.length,
  })
  return {
    waitingPrecision: { right: found, of: core.filter(({ said }) => said.waiting).length },
    waitingRecall: { right: found, of: core.filter(({ label }) => label.waiting).length },
    type: count(asked, typeIsRight),
    text: count(shown, (row) => row.said.waiting && textIsRight(row)),
    dangerousRecall: count(dangers, ({ said }) => said.waiting && said.dangerous),
    dangerousPrecision: count(warned, ({ label }) => label.waiting && label.dangerous),
  }
}

/** The prompts of test/fixtures/prompts/unseen.txt have no text to compare, and all of them wait. */
export function unseenScore(prompts: readonly UnseenPrompt[]): Record<UnseenMeasure, { right: number; of: number }> {
  const rows = prompts.map((asked) => ({ ...asked, said: detect(asked.screen, asked.signals).prompt }))
  const count = (of: typeof rows, right: (row: (typeof rows)[number]) => boolean) => ({
    right: of.filter(right).length,
    of: of.length,
  })
  return {
    waitingRecall: count(rows, ({ said }) => said !== null),
    type: count(rows, ({ said, types }) => types.includes(said?.type ?? 'none')),
    dangerousRecall: count(
      rows.filter(({ dangerous }) => dangerous),
      ({ said }) => said?.dangerous === true,
    ),
    dangerousPrecision: count(
      rows.filter(({ said }) => said?.dangerous),
      ({ dangerous }) => dangerous,
    ),
  }
}

export const share = ({ right, of }: { right: number; of: number }): number => (of === 0 ? 1 : right / of)

export const below = (score: Score, least: Record<Measure, number> = floors): Measure[] =>
  (Object.keys(floors) as Measure[]).filter((measure) => share(score[measure]) < least[measure])

const typeIsRight = ({ label, said }: Row): boolean =>
  said.waiting && (said.type === label.type || (label.type_alt ?? []).includes(said.type))

function textIsRight({ label, said }: Row): boolean {
  const text = tidy(said.prompt_text)
  return [label.prompt_text, ...(label.prompt_alt ?? [])].some((wanted) => {
    const bare = undecorated(wanted)
    return tidy(wanted) === text || (bare !== '' && bare === undecorated(said.prompt_text))
  })
}

const tidy = (text: string): string => text.normalize('NFC').replaceAll(/\s+/g, ' ').trim()

/** Without what libraries draw before and after a question. */
const undecorated = (text: string): string =>
  tidy(text)
    .replace(/^(?:[?>] +|[^\p{L}\p{N}"'([<*/:$#%>.]+)/u, '')
    .replace(/[\s›‣…»]+$/u, '')

function faultsOf(row: Row): string[] {
  const { label, said } = row
  if (label.waiting !== said.waiting) return [said.waiting ? 'said to wait, but works' : 'said to work, but waits']
  if (!label.waiting) return []
  const faults: string[] = []
  if (!typeIsRight(row)) faults.push(`type ${said.type}, not ${label.type}`)
  if (label.prompt_text !== '' && !textIsRight(row))
    faults.push(`text ${JSON.stringify(said.prompt_text)}, not ${JSON.stringify(label.prompt_text)}`)
  if (!label.dangerous_ambiguous && label.dangerous !== said.dangerous)
    faults.push(label.dangerous ? 'danger not seen' : 'danger where there is none')
  return faults
}

function table(rows: readonly Row[]): string {
  const score = scoreOf(rows)
  const lines = (Object.keys(floors) as Measure[]).map((measure) => {
    const { right, of } = score[measure]
    const value = share(score[measure])
    return `${value < floors[measure] ? '✗' : '✓'} ${measure.padEnd(20)} ${value.toFixed(3)}  floor ${floors[measure].toFixed(2)}  ${right} of ${of}`
  })
  return lines.join('\n')
}

function errors(rows: readonly Row[]): string {
  return rows
    .flatMap((row) => {
      const { ambiguous, transient, indistinct } = row.label
      const kind = ambiguous ? ' (ambiguous)' : transient ? ' (transient)' : indistinct ? ' (indistinct)' : ''
      return faultsOf(row).map(
        (fault) => `${row.id}${kind}: ${fault}\n    ${row.by}, ${row.said.confidence}; ${row.why}`,
      )
    })
    .join('\n')
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      errors: { type: 'boolean' },
      corpus: { type: 'string' },
      set: { type: 'string', multiple: true, default: ['tuned'] },
      family: { type: 'string', multiple: true },
    },
  })
  const unknown = values.set.filter((name) => !(promptSets as readonly string[]).includes(name))
  if (unknown.length > 0) throw new Error(`no set '${unknown.join("', '")}' (${promptSets.join(', ')})`)
  const named = promptSets.filter((set) => values.set.includes(set))
  const all = values.corpus === undefined ? named.flatMap(promptCases) : await casesIn(values.corpus)
  const started = Date.now()
  const rows = await predictAll(values.family ? all.filter(({ family }) => values.family?.includes(family)) : all)
  console.log(`${rows.length} recorded terminals in ${((Date.now() - started) / 1000).toFixed(1)} s\n${table(rows)}`)
  if (values.errors) console.log(`\n${errors(rows)}`)
  process.exitCode = below(scoreOf(rows)).length > 0 ? 1 : 0
}
