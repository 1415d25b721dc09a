import type { Screen, Signals } from '../screen.ts'
import type { Prompt, Verdict } from '../verdict.ts'
import { oneLine } from './text/strip.ts'
import { viewOf, type View } from './text/view.ts'
import { understand } from './understand/understand.ts'
import { lookAt, type LookResult } from './waiting/look.ts'
import { judge } from './waiting/judge.ts'
import { listsCommands, shapeOf } from './waiting/shape.ts'

/** Whether the program waits for input, and for what; strongest signal first. Deterministic. */
export function detect(screen: Screen, signals: Signals): Verdict {
  const view = viewOf(screen)
  const seen = lookAt(view)
  const { state, confidence, decidedBy, evidence } = judge(seen, screen, signals)
  const prompt = state === 'waiting' ? promptOf(view, seen, signals) : null
  return { state, prompt, confidence, decidedBy, evidence }
}

const longestAbove = 500

function promptOf(view: View, seen: LookResult, signals: Signals): Prompt {
  const program = signals.remote ? null : (signals.kernel?.program ?? null)
  const text = seen.text === '' ? nothingShown(view, program) : seen.text
  const { mode } = signals
  const understood = understand({
    text,
    line: view.before,
    above: view.lines.slice(Math.max(0, view.at - 30), view.at).map((line) => line.text.slice(0, longestAbove)),
    menu: seen.menu,
    fullScreen: seen.fullScreen,
    secretByMode: mode !== null && mode.canonical && !mode.echo,
    canonical: mode?.canonical ?? null,
    program,
  })
  return { text, ...understood }
}

/** If a program reads without a prompt: the question right above, else its name. Other text would mislead. */
function nothingShown({ lines, at, screen }: View, program: string | null): string {
  const last = lines[at - 1]?.text.trim() ?? ''
  if (listsCommands(last)) return oneLine(last)
  const above = screen.alternate ? labelAbove(screen) : last
  if (shapeOf(`${above} `).strength === 'strong') return oneLine(above)
  return `[${program ?? (screen.title === '' ? 'no prompt' : screen.title)}]`
}

/** Full-screen programs put the label of a field right above it, in the same column. */
function labelAbove({ lines, cursor }: Screen): string {
  if (cursor.row === 0 || (cursor.hidden && cursor.row < lines.length - 2)) return ''
  const above = lines[cursor.row - 1]?.text ?? ''
  const label = above.slice(cursor.col).split(/\s{3,}/)[0] ?? ''
  return above.slice(0, cursor.col).endsWith(' ') || cursor.col === 0 ? (/^\p{L}.*[:?]$/u.exec(label)?.[0] ?? '') : ''
}

/** The same prompt has the same key, regardless of spacing. */
export const promptKey = ({ text, type }: Pick<Prompt, 'text' | 'type'>): string =>
  `${type}:${text.normalize('NFC').replaceAll(/\s+/g, ' ').trim()}`
