import { Buffer } from 'node:buffer'
import { readFile, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { detect } from '../../domain/terminal/detect/detect.ts'
import type { Screen, Signals } from '../../domain/terminal/screen.ts'
import type { Verdict } from '../../domain/terminal/verdict.ts'
import { createEmulator } from './emulator.ts'
import { anyJson, parseJson } from '../../lib/parse-json.ts'

const Piece = z.object({ t_ms: z.number(), b64: z.base64() })

/** The part of a recorded case that detection may see: the rest is the label. */
const Case = z.object({
  id: z.string().min(1),
  cols: z.int().min(1).max(2000),
  rows: z.int().min(1).max(2000),
  end_ms: z.number(),
  exited: z.boolean(),
  chunks: z.array(Piece),
  inputs: z.array(Piece).default([]),
})
export type Case = z.infer<typeof Case>

export type Prediction = {
  id: string
  waiting: boolean
  type: string
  prompt_text: string
  dangerous: boolean
  confidence: number
}

const largestFile = 64 * 1024 * 1024

/** The files of a corpus: DIR/*.json, or else DIR/cases/*.json. */
export async function corpusFiles(directory: string): Promise<string[]> {
  const here = await jsonFiles(directory)
  return here.length > 0 ? here : jsonFiles(join(directory, 'cases'))
}

async function jsonFiles(directory: string): Promise<string[]> {
  const names = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' && directory.endsWith('cases')) return []
    throw error
  })
  return names
    .filter((name) => name.endsWith('.json'))
    .toSorted()
    .map((name) => join(directory, name))
}

/** Throws an error that says what is wrong with the file. */
export async function readCase(file: string): Promise<Case> {
  const { size } = await stat(file)
  if (size > largestFile) throw new Error(`it has ${size} bytes; at most ${largestFile} are read`)
  const read = parseJson(await readFile(file, 'utf8'), anyJson)
  if (!read.ok) throw new Error(read.fault.message)
  return parseCase(read.value)
}

/** Throws an error that names the wrong fields. */
export function parseCase(value: unknown): Case {
  const parsed = Case.safeParse(value)
  if (!parsed.success) throw new Error(z.prettifyError(parsed.error).replaceAll('\n', ' '))
  return parsed.data
}

/** The screen at the moment of a case, and what is known about it. */
export async function replay(recorded: Case): Promise<{ screen: Screen; signals: Signals }> {
  const { cols, rows, chunks, end_ms: end } = recorded
  const emulator = createEmulator({ cols, rows, scrollback: 100 })
  try {
    const shown = chunks.filter(({ t_ms }) => t_ms <= end)
    await emulator.write(Buffer.concat(shown.map(({ b64 }) => Buffer.from(b64, 'base64'))))
    return { screen: emulator.screen(), signals: signalsOf(recorded, shown) }
  } finally {
    emulator.dispose()
  }
}

export async function predict(recorded: Case): Promise<{ prediction: Prediction; verdict: Verdict }> {
  const { screen, signals } = await replay(recorded)
  const verdict = detect(screen, signals)
  const { prompt, confidence } = verdict
  const prediction = {
    id: recorded.id,
    waiting: prompt !== null,
    type: prompt === null ? 'none' : prompt.type,
    prompt_text: prompt?.text ?? '',
    dangerous: prompt?.dangerous ?? false,
    confidence,
  }
  return { prediction, verdict }
}

/** A recording has neither processes nor terminal modes. */
function signalsOf({ inputs, end_ms: end, exited }: Case, shown: Case['chunks']): Signals {
  // A line end alone is what Enter looks like if typing is not echoed.
  const spoke = shown.findLast(({ b64 }) => !/^[\r\n]*$/.test(Buffer.from(b64, 'base64').toString('latin1')))?.t_ms ?? 0
  const last = shown.at(-1)?.t_ms ?? 0
  const typed = inputs
    .filter(({ t_ms }) => t_ms > spoke && t_ms <= end)
    .map(({ b64 }) => Buffer.from(b64, 'base64').toString('latin1'))
    .join('')
  return {
    exited,
    quietMs: Math.max(0, end - last),
    typed: typed === '' ? 'nothing' : /[\r\n]/.test(typed) ? 'line' : 'keys',
    kernel: null,
    mode: null,
    remote: false,
  }
}
