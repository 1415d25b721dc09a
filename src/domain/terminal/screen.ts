/** A highlighted part of a line, in columns. */
export type Mark = { from: number; to: number; kind: 'inverse' | 'bold' | 'dim' | 'underline' | 'color' }

export type ScreenLine = {
  /** Keeps trailing spaces only if they were printed. */
  text: string
  /** The terminal wrapped here: this continues the line above. */
  wrapped: boolean
  marks: readonly Mark[]
}

/** What a person would see at one moment, and the cursor position. */
export type Screen = {
  cols: number
  rows: number
  /** The rows of the screen, top to bottom; always `rows` of them. */
  lines: readonly ScreenLine[]
  /** The last lines that scrolled out at the top, oldest first, at most 50. */
  above: readonly ScreenLine[]
  cursor: { row: number; col: number; hidden: boolean }
  /** A full-screen program uses the alternate screen. */
  alternate: boolean
  bracketedPaste: boolean
  applicationCursor: boolean
  mouse: boolean
  title: string
  /** OSC 133: the shell's own report of its state. */
  shellMark: 'prompt' | 'input' | 'running' | 'done' | null
  /** OSC 9;4: the program shows progress elsewhere. */
  progress: boolean
}

/** What else is known at that moment. Null: not available here. */
export type Signals = {
  exited: boolean
  /** Time since the last byte was printed. */
  quietMs: number
  /** What was typed since the last byte was printed: nothing, some keys, or a whole line. Null: unknown. */
  typed: 'nothing' | 'keys' | 'line' | null
  /** The foreground process: blocked reading this terminal, in a call that may read it (poll, select, epoll), or neither. */
  kernel: { reading: 'read' | 'poll' | 'no'; program: string } | null
  /** The mode of the terminal. */
  mode: { echo: boolean; canonical: boolean } | null
  /** The program runs remotely: the kernel's report is about ssh itself. */
  remote: boolean
}
