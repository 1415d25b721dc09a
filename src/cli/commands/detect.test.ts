import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Context } from '../context.ts'
import { detectCorpus } from './detect.ts'

let directory = ''
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'signalbox-detect-'))
})
afterEach(() => rm(directory, { recursive: true, force: true }))

const chunk = Buffer.from('Continue? [y/N] ').toString('base64')
const recorded = {
  id: 'one',
  cols: 80,
  rows: 24,
  end_ms: 900,
  exited: false,
  chunks: [{ t_ms: 0, b64: chunk }],
  inputs: [],
}

async function run(corpus: string | undefined) {
  const written: string[] = []
  const notes: string[] = []
  const out = {
    print: (text: string) => void written.push(`${text}\n`),
    write: async (text: string) => void written.push(text),
    note: (text: string) => void notes.push(text),
    json: () => undefined,
    width: 80,
    paint: (_colour: string, text: string) => text,
  }
  const context: Pick<Context, 'out'> = { out }
  // The rest of the context is not used.
  const code = await detectCorpus({ args: [], flags: { corpus } }, context as Context)
  return { code: code ?? 0, lines: written.join('').split('\n').filter(Boolean), notes }
}

describe('signalbox detect', () => {
  it('writes one prediction per line', async () => {
    await writeFile(join(directory, 'one.json'), JSON.stringify(recorded))
    await writeFile(join(directory, 'two.json'), JSON.stringify({ ...recorded, id: 'two', exited: true }))
    const { code, lines, notes } = await run(directory)
    expect({ code, notes }).toEqual({ code: 0, notes: [] })
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { id: 'one', waiting: true, type: 'yes_no', prompt_text: 'Continue? [y/N]', dangerous: false },
      { id: 'two', waiting: false, type: 'none', prompt_text: '', dangerous: false },
    ])
  })

  it('reports missing fields and a missing directory in plain words', async () => {
    await writeFile(join(directory, 'bad.json'), JSON.stringify({ ...recorded, id: undefined, cols: 'x' }))
    const { notes } = await run(directory)
    expect(notes[0]).toMatch(/bad\.json skipped: not a recorded case: id, cols are missing or wrong$/)
    await expect(run(join(directory, 'none'))).rejects.toThrow(/: file or directory not found\.$/)
  })

  it('reports unreadable files, continues with the others, and exits with an error', async () => {
    await writeFile(join(directory, 'bad.json'), '{')
    await writeFile(join(directory, 'one.json'), JSON.stringify(recorded))
    const { code, lines, notes } = await run(directory)
    expect(code).toBe(1)
    expect(lines).toHaveLength(1)
    expect(notes.join('\n')).toMatch(/bad\.json skipped[\s\S]*1 of 2 files/)
  })

  it('says what to name if no readable directory is given', async () => {
    await expect(run(undefined)).rejects.toMatchObject({ exit: 2, hint: expect.stringContaining('--corpus') as string })
    await expect(run(directory)).rejects.toMatchObject({ exit: 5, code: 'corpus_unreadable' })
    await expect(run(join(directory, 'nowhere'))).rejects.toMatchObject({ exit: 5, code: 'corpus_unreadable' })
  })
})
