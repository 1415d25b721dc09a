import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, normalize } from 'node:path'
import { mayDo } from './permission.ts'
import { openTool, textContent } from './tool-call.ts'
import type { PracticeTurn } from './turn.ts'
import { isInside, pathIn, readText } from './workspace.ts'

export type WorkOutcome = 'done' | 'not allowed' | 'failed'

type EditRequest = {
  path: string
  title: string
  /** The new text, or null if the edit does not fit the file. */
  change(old: string | null): string | null
  /** Writes something other than what was shown. */
  write?(shown: string): string
}

/** Shows a diff, asks if the mode requires it, and writes only what was allowed. */
export async function editFile(turn: PracticeTurn, edit: EditRequest): Promise<WorkOutcome> {
  const path = normalize(pathIn(turn.session.cwd, edit.path))
  const old = await readText(path).catch(() => null)
  const shown = edit.change(old)
  const tool = await openTool(turn, {
    title: edit.title,
    kind: 'edit',
    locations: [{ path }],
    rawInput: { path },
    ...(shown === null ? {} : { content: [{ type: 'diff', path, oldText: old, newText: shown }] }),
  })
  if (shown === null) {
    await tool.update({ status: 'failed', content: [textContent(`The text to replace is not in ${path}.`)] })
    return 'failed'
  }
  const needsNoAsk = turn.session.modeId === 'quick' && isInside(turn.session.cwd, path)
  if (!needsNoAsk && !(await mayDo(turn, tool))) return 'not allowed'
  await tool.update({ status: 'in_progress' })
  try {
    if ((await readText(path)) !== old) throw new Error(`${path} was changed by somebody else meanwhile`)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, edit.write?.(shown) ?? shown)
  } catch (error) {
    await tool.update({ status: 'failed', content: [textContent(`Not written: ${reasonOf(error)}.`)] })
    return 'failed'
  }
  await tool.update({ status: 'completed' })
  return 'done'
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
