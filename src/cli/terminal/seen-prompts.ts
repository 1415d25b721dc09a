import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { statOf } from '../../lib/proc-files.ts'

/** The prompt of each terminal that this shell was last shown: an answer is for that one, whatever is asked by then. */
export type SeenPrompts = {
  /** Null if none was shown here. */
  of(terminal: string): string | null
  note(shown: readonly { terminal: string; promptId: string | null }[]): void
}

const mostTerminals = 200
const mostShells = 50
const keptMs = 7 * 24 * 3_600_000

/** Kept in a file for each shell. What can't be kept was not seen: the prompt is shown before it is answered. */
export function seenPrompts(dataDir: string, shell = shellName()): SeenPrompts {
  const folder = join(dataDir, 'seen-prompts')
  const file = join(folder, shell)
  const read = (): Map<string, string> => {
    try {
      const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean)
      return new Map(lines.map((line) => line.split(' ', 2) as [string, string]))
    } catch {
      return new Map()
    }
  }
  return {
    of: (terminal) => read().get(terminal) ?? null,
    note(shown) {
      if (shown.length === 0) return
      const seen = read()
      for (const { terminal, promptId } of shown) {
        seen.delete(terminal)
        if (promptId !== null) seen.set(terminal, promptId)
      }
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 })
        const text = [...seen].slice(-mostTerminals).map((entry) => `${entry.join(' ')}\n`)
        const aside = `${file}.${process.pid}`
        writeFileSync(aside, text.join(''), { mode: 0o600 })
        renameSync(aside, file)
        removeOld(folder)
      } catch {
        rmSync(file, { force: true })
      }
    },
  }
}

/** Shells that are gone leave their files. */
function removeOld(folder: string): void {
  const names = readdirSync(folder)
  if (names.length <= mostShells) return
  for (const name of names) {
    const path = join(folder, name)
    const found = statSync(path, { throwIfNoEntry: false })
    if (found && found.mtimeMs < Date.now() - keptMs) rmSync(path, { force: true })
  }
}

/** Commands of one window, pane or script share their session in the kernel; its number may be used again after it ends. */
function shellName(): string {
  const own = statOf(process.pid)
  if (own === null || own.session === 0) return `parent-${process.ppid}`
  return `${own.session}-${statOf(own.session)?.started ?? '0'}`
}
