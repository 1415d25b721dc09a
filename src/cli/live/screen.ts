import type { Output } from '../output.ts'

/** Things of one kind stand together; between kinds is an empty line. */
export type BlockKind = 'said' | 'tool' | 'plan' | 'note'

/** What is on the terminal, as far as the next line must know. Held back while somebody is asked something. */
export type Screen = {
  begin(kind: BlockKind): void
  /** As it comes, within the block. */
  add(text: string): void
  lines(lines: readonly string[]): void
  /** The last line is whole. */
  finish(): void
  /** Beside the conversation, to standard error. */
  note(text: string): void
  hold(): Disposable
  /** Resolves when there is room for more. */
  flush(): Promise<void>
}

export function createScreen(out: Pick<Output, 'write' | 'note' | 'width'>): Screen {
  // Elsewhere a remark goes another way than the conversation, and breaks none of its lines.
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
  const screen: Screen = {
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
