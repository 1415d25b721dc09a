import type { Output } from '../output.ts'

/** Blocks of different kinds are separated by an empty line. */
export type BlockKind = 'said' | 'tool' | 'plan' | 'note'

/** Output with its layout state. Held back while a question is asked. */
export type LiveScreen = {
  begin(kind: BlockKind): void
  /** Appends text to the block. */
  add(text: string): void
  lines(lines: readonly string[]): void
  /** Ends the last line. */
  finish(): void
  /** Written to standard error. */
  note(text: string): void
  hold(): Disposable
  /** Resolves when the output takes more. */
  flush(): Promise<void>
}

export function createScreen(out: Pick<Output, 'write' | 'note' | 'width'>): LiveScreen {
  // If not a terminal, notes and conversation are separate streams, so a note needs no new line.
  const isTerminal = Number.isFinite(out.width)
  let waiting: { text: string; note: boolean }[] = []
  let atLineStart = true
  let last: BlockKind | null = null
  let holds = 0

  const put = (text: string, note = false) => {
    if (text === '') return
    const newest = waiting.at(-1)
    if (newest && !newest.note && !note) newest.text += text
    else waiting.push({ text, note })
    if (!note) atLineStart = text.endsWith('\n')
  }
  const freshLine = () => {
    if (!atLineStart) put('\n')
  }
  const screen: LiveScreen = {
    begin(kind) {
      freshLine()
      if (last !== null && (last !== kind || kind === 'said')) put('\n')
      last = kind
    },
    add: (text) => put(text),
    finish: freshLine,
    lines(lines) {
      freshLine()
      for (const line of lines) put(`${line}\n`)
    },
    note(text) {
      if (isTerminal) freshLine()
      put(text, true)
    },
    hold() {
      holds += 1
      return {
        [Symbol.dispose]() {
          holds -= 1
        },
      }
    },
    async flush() {
      if (holds > 0) return
      const ready = waiting
      waiting = []
      for (const { text, note } of ready) {
        if (note) out.note(text)
        else await out.write(text)
      }
    },
  }
  return screen
}
