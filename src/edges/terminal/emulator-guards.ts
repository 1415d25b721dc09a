import type { IFunctionIdentifier, IParser, IUnicodeVersionProvider } from '@xterm/headless'
import { charWidth } from '../../lib/text-width.ts'

/** A character with more marks on it than any script needs would grow one cell without bound. */
const mostJoined = 16

/** The state in the upper bits counts what was joined; the emulator hands it back with the next character. */
export const boundedWidths: IUnicodeVersionProvider = {
  version: 'bounded',
  wcwidth: charWidth,
  charProperties(code, preceding) {
    const width = charWidth(code)
    const before = (preceding >> 1) & 3
    if (width > 0 || preceding === 0 || before === 0) return width << 1
    const joined = (preceding >> 3) + 1
    if (joined > mostJoined) return preceding & ~1
    return (joined << 3) | (before << 1) | 1
  },
}

/** What these repeat is repeated one by one: beyond this the sequence is an attack, not a drawing. */
const mostRepeats = 4096
const repeating: IFunctionIdentifier[] = [
  ...['L', 'M', 'S', 'T', '@', 'P', 'X', 'b', 'I', 'Z'].map((final) => ({ final })),
  ...["'", ' '].flatMap((intermediates) => ['@', 'A', '}', '~'].map((final) => ({ intermediates, final }))),
]

/** Drops what would cost time or memory without bound. */
export function guard(parser: IParser): void {
  for (const id of repeating)
    parser.registerCsiHandler(id, ([count]) => typeof count === 'number' && count > mostRepeats)
  // Links are kept for each line they are on, with no limit; nobody follows one here.
  parser.registerOscHandler(8, () => true)
  parser.registerOscHandler(1, () => true)
}
