import { Buffer } from 'node:buffer'
import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { corpusFiles, predict, readCase, type Case } from './corpus.ts'

let directory = ''
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'signalbox-corpus-'))
})
afterEach(() => rm(directory, { recursive: true, force: true }))

const piece = (t_ms: number, text: string) => ({ t_ms, b64: Buffer.from(text).toString('base64') })
const recorded: Case = {
  id: 'rm-i',
  cols: 80,
  rows: 24,
  end_ms: 1000,
  exited: false,
  chunks: [piece(0, '$ '), piece(100, "rm -i a\r\nrm: remove regular file 'a'? ")],
  inputs: [piece(90, 'rm -i a\r')],
}

describe('the files of a corpus', () => {
  it('are those of the directory, or else of its cases folder', async () => {
    await mkdir(join(directory, 'cases'))
    await writeFile(join(directory, 'cases', 'b.json'), '{}')
    await writeFile(join(directory, 'README.md'), '')
    expect(await corpusFiles(directory)).toEqual([join(directory, 'cases', 'b.json')])
    await writeFile(join(directory, 'a.json'), '{}')
    expect(await corpusFiles(directory)).toEqual([join(directory, 'a.json')])
  })

  it('are none in an empty directory; a missing directory is an error', async () => {
    expect(await corpusFiles(directory)).toEqual([])
    await expect(corpusFiles(join(directory, 'nowhere'))).rejects.toThrow('ENOENT')
  })
})

describe('a recorded case', () => {
  it.each([
    ['not JSON', '{', /JSON/],
    ['not a case', '{"id":"x"}', /cols/],
    ['an impossible terminal size', JSON.stringify({ ...recorded, cols: 1e9 }), /cols/],
    ['invalid bytes', JSON.stringify({ ...recorded, chunks: [{ t_ms: 0, b64: '!' }] }), /chunks/],
  ])('that is %s is refused with the reason', async (_name, text, reason) => {
    const file = join(directory, 'x.json')
    await writeFile(file, text)
    await expect(readCase(file)).rejects.toThrow(reason)
  })

  it('is read without its label', async () => {
    const file = join(directory, 'x.json')
    await writeFile(file, JSON.stringify({ ...recorded, label: { waiting: false }, family: 'coreutils' }))
    expect(await readCase(file)).toEqual(recorded)
  })

  it('becomes a prediction', async () => {
    const { prediction } = await predict(recorded)
    expect(prediction).toMatchObject({
      id: 'rm-i',
      waiting: true,
      type: 'yes_no',
      prompt_text: "rm: remove regular file 'a'?",
      dangerous: true,
    })
  })

  it('is judged as it was at its end', async () => {
    const later = { ...recorded, chunks: [...recorded.chunks, piece(2000, 'y\r\n$ ')] }
    expect((await predict(later)).prediction.prompt_text).toBe("rm: remove regular file 'a'?")
  })

  it('does not wait once a line was entered and nothing came', async () => {
    const answered = { ...recorded, inputs: [piece(500, 'y\r')] }
    expect((await predict(answered)).prediction).toMatchObject({ waiting: false, type: 'none', prompt_text: '' })
    // Hidden input leaves only a line end behind.
    const chunks = [piece(0, 'Enter password for alice:'), piece(510, '\r\n')]
    const unseen = { ...recorded, chunks, inputs: [piece(500, 'secret\r')] }
    expect((await predict(unseen)).prediction.waiting).toBe(false)
    expect((await predict({ ...unseen, inputs: [] })).prediction.waiting).toBe(true)
    const exited = { ...recorded, exited: true }
    expect((await predict(exited)).prediction.waiting).toBe(false)
  })
})
