// The packed cases of test/fixtures/prompts, to look at and to change:
//   npm run fixtures -- list [SET] | show ID | unpack [DIR] | pack [DIR]
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseCase } from '../src/edges/terminal/corpus.ts'
import {
  promptCase,
  promptCases,
  promptSets,
  writePromptCases,
  type PromptCase,
  type PromptSet,
} from '../test/support/prompt-cases.ts'
import { root } from './lib/say.mjs'

const usage = `npm run fixtures -- list [SET]    ids of ${promptSets.join(', ')}
npm run fixtures -- show ID       one case, and what its screen was sent
npm run fixtures -- unpack [DIR]  writes DIR/SET/ID.json (.cache/prompts unless named)
npm run fixtures -- pack [DIR]    packs DIR/SET/ID.json again`

const [verb = '', arg] = process.argv.slice(2)
const directory = arg ?? join(root, '.cache', 'prompts')
const pretty = (value: unknown): string => JSON.stringify(value, null, 2)

const verbs: Record<string, () => void> = {
  list: () => {
    for (const set of arg === undefined ? promptSets : [setNamed(arg)])
      for (const { id } of promptCases(set)) console.log(`${set}\t${id}`)
  },
  show: () => {
    const found = promptSets.flatMap((set) =>
      promptCases(set).flatMap(({ id, recording }) => (id === arg ? [{ set, recording }] : [])),
    )
    if (found.length === 0) throw new Error(`no case '${arg ?? ''}' (npm run fixtures -- list)`)
    for (const { set, recording } of found) {
      const sent = parseCase(recording).chunks.map(({ b64 }) => Buffer.from(b64, 'base64').toString())
      console.log(`${set}\n${pretty(recording)}\n${JSON.stringify(sent.join(''))}`)
    }
  },
  unpack: () => {
    for (const set of promptSets) {
      const cases = promptCases(set)
      mkdirSync(join(directory, set), { recursive: true })
      if (readdirSync(join(directory, set)).length > 0) throw new Error(`${join(directory, set)} is not empty`)
      for (const { id, recording } of cases) writeFileSync(join(directory, set, `${id}.json`), `${pretty(recording)}\n`)
      console.log(`${join(directory, set)}: ${cases.length} cases`)
    }
  },
  pack: () => {
    // Read all cases before writing: a bad one must not leave half a corpus.
    const read = promptSets.map((set): [PromptSet, PromptCase[]] => [set, casesIn(join(directory, set))])
    for (const [set, cases] of read) {
      writePromptCases(set, cases)
      console.log(`${set}: ${cases.length} cases`)
    }
  },
}

function setNamed(name: string): PromptSet {
  const set = promptSets.find((each) => each === name)
  if (!set) throw new Error(`no set '${name}' (${promptSets.join(', ')})`)
  return set
}

function casesIn(folder: string): PromptCase[] {
  return readdirSync(folder).map((name) => {
    try {
      const found = promptCase(readFileSync(join(folder, name), 'utf8'))
      parseCase(found.recording)
      if (name !== `${found.id}.json`) throw new Error(`its id is ${found.id}`)
      return found
    } catch (error) {
      throw new Error(`${join(folder, name)}: ${(error as Error).message}`, { cause: error })
    }
  })
}

try {
  const run = verbs[verb]
  if (!run) throw new Error(usage)
  run()
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
}
