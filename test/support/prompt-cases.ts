// The moments of terminals that detection is scored on: test/fixtures/prompts/SET.ndjson.zst, one case per line.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { zstdCompressSync, zstdDecompressSync, constants } from 'node:zlib'

/** `tuned`: the cases detection was tuned on. The others came later: recorded, written from memory, single drawn prompts. */
export const promptSets = ['tuned', 'recorded', 'written', 'drawn'] as const
export type PromptSet = (typeof promptSets)[number]

export type PromptLabel = {
  waiting: boolean
  type: string
  type_alt?: string[]
  prompt_text: string
  prompt_alt?: string[]
  dangerous: boolean
  dangerous_ambiguous?: unknown
  ambiguous?: unknown
  transient?: unknown
  indistinct?: unknown
}
/** `recording` is the whole case, of which a predictor may use only what README.md says. */
export type PromptCase = { id: string; family: string; label: PromptLabel; recording: unknown }

const folder = join(import.meta.dirname, '..', 'fixtures', 'prompts')
const fileOf = (set: PromptSet): string => join(folder, `${set}.ndjson.zst`)

/** The JSON of each case, ordered by id. */
export const promptLines = (set: PromptSet): string[] =>
  zstdDecompressSync(readFileSync(fileOf(set)))
    .toString()
    .trimEnd()
    .split('\n')

export const promptCases = (set: PromptSet): PromptCase[] => promptLines(set).map(promptCase)

/** Throws if the id, the family or the label is missing: an unlabelled case tests nothing. */
export function promptCase(json: string): PromptCase {
  const recording: unknown = JSON.parse(json)
  const { id, family, label } = recording as Partial<PromptCase>
  if (!id || !family || typeof label?.waiting !== 'boolean' || typeof label.prompt_text !== 'string')
    throw new Error(`${id ?? json.slice(0, 60)}: id, family or label is missing`)
  return { id, family, label, recording }
}

export function writePromptCases(set: PromptSet, cases: readonly PromptCase[]): void {
  const lines = cases
    .toSorted((one, other) => (one.id < other.id ? -1 : 1))
    .map(({ recording }) => `${JSON.stringify(recording)}\n`)
  const params = { [constants.ZSTD_c_compressionLevel]: 19, [constants.ZSTD_c_checksumFlag]: 1 }
  writeFileSync(fileOf(set), zstdCompressSync(lines.join(''), { params }))
}
