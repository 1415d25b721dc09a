import { widthOf } from '../../src/lib/text-width.ts'
import type { Mark, Screen, Signals } from '../../src/domain/terminal/screen.ts'

type Flags = Partial<Omit<Screen, 'lines' | 'above' | 'cursor'>> & { hidden?: boolean; marks?: Record<number, Mark[]> }

/** A drawn screen: `▮` is the cursor, `↩` at the end of a line means that the terminal wrapped it. */
export function drawn(picture: string, { hidden = false, marks = {}, ...flags }: Flags = {}): Screen {
  const { cols = 80, rows = 24 } = flags
  const shown = picture.replace(/^\n/, '').split('\n')
  const row = shown.findIndex((line) => line.includes('▮'))
  const before = shown[row]?.split('▮')[0] ?? ''
  const col = widthOf(before)
  const lines = Array.from({ length: rows }, (_, index) => ({
    text: (shown[index] ?? '').replace('▮', '').replace(/↩$/, ''),
    wrapped: shown[index - 1]?.endsWith('↩') ?? false,
    marks: marks[index] ?? [],
  }))
  return {
    cols,
    rows,
    lines,
    above: [],
    cursor: { row: Math.max(0, row), col, hidden },
    alternate: false,
    bracketedPaste: false,
    applicationCursor: false,
    mouse: false,
    title: '',
    shellMark: null,
    progress: false,
    ...flags,
  }
}

/** A recording: no process and no mode is known, and it has been quiet for a second. */
export const recorded: Signals = {
  exited: false,
  quietMs: 1000,
  typed: 'nothing',
  kernel: null,
  mode: null,
  remote: false,
}
