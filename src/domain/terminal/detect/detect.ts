import type { Screen, Signals } from '../screen.ts'
import type { Prompt, Verdict, DecidedBy, Evidence } from '../verdict.ts'
import { oneLine } from './text/strip.ts'
import { viewOf, type View } from './text/view.ts'
import { understand, type PromptSource } from './understand/understand.ts'
import { lookAt, type LookResult } from './waiting/look.ts'
import { listsCommands, shapeOf } from './waiting/shape.ts'

/** Whether the program waits for input, and for what; strongest signal first. Deterministic. */
export function detect(screen: Screen, signals: Signals): Verdict {
  const view = viewOf(screen)
  const seen = lookAt(view)
  const { state, confidence, decidedBy, evidence } = judge(seen, screen, signals)
  const prompt = state === 'waiting' ? promptOf(sourceIn(view, seen, signals)) : null
  return { state, prompt, confidence, decidedBy, evidence }
}

const longestAbove = 300

/** The prompt that a screen shows, if it shows one. */
export function promptSource(screen: Screen, signals: Signals): PromptSource {
  const view = viewOf(screen)
  return sourceIn(view, lookAt(view), signals)
}

const promptOf = (source: PromptSource): Prompt => ({ text: source.text, ...understand(source) })

function sourceIn(view: View, seen: LookResult, signals: Signals): PromptSource {
  const program = signals.remote ? null : (signals.kernel?.program ?? null)
  const text = seen.text === '' ? nothingShown(view, program) : seen.text
  const { mode } = signals
  return {
    text,
    line: view.before,
    above: view.lines.slice(Math.max(0, view.at - 30), view.at).map((line) => line.text.slice(0, longestAbove)),
    menu: seen.menu,
    fullScreen: seen.fullScreen,
    secretByMode: mode !== null && mode.canonical && !mode.echo,
    canonical: mode?.canonical ?? null,
    program,
  }
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

type Judged = Pick<Verdict, 'state' | 'confidence' | 'decidedBy' | 'evidence'>

/** Milliseconds of silence. Before that, a program that printed something like a prompt may still be printing. */
const settled = { editor: 30, connected: 45, sure: 150, likely: 200, begun: 600, keys: 1500 }

/** Weighs the signals, strongest first; reports every signal it used. */
function judge(seen: LookResult, screen: Screen, signals: Signals): Judged {
  const evidence = [...gather(seen, screen, signals)]
  const verdict = (state: Verdict['state'], confidence: number, decidedBy: DecidedBy): Judged => ({
    state,
    confidence: Math.round(Math.min(0.99, confidence) * 100) / 100,
    decidedBy,
    evidence,
  })
  const kernel = signals.remote ? null : signals.kernel
  if (signals.exited) return verdict('exited', 0.99, 'kernel')
  if (kernel?.reading === 'read') return verdict('waiting', 0.99, 'kernel')
  if (kernel?.reading === 'no') return verdict('working', 0.98, 'kernel')
  const { mode } = signals
  const raw = kernel !== null && mode !== null && !mode.canonical
  // A program that reads keys may ignore one; for others an entered line is an answer.
  if (signals.typed === 'line' && (!raw || signals.quietMs < settled.keys)) return verdict('working', 0.75, 'silence')
  if (mode !== null && mode.canonical && !mode.echo && !signals.remote) return verdict('waiting', 0.93, 'terminal_mode')
  // Some shells mark where input begins, but not when a command runs: the line must still be open.
  if (screen.shellMark === 'input' && (seen.unended || seen.says === 'waiting'))
    return verdict('waiting', 0.95, 'screen')
  if (screen.progress && seen.weight < 0.93) return verdict('working', 0.8, 'screen')
  if (seen.says === 'working')
    return raw && seen.unended && signals.quietMs >= settled.begun
      ? verdict('waiting', 0.7, 'terminal_mode')
      : verdict('working', seen.weight, seen.by)
  if (signals.quietMs < untilSure(seen, screen, signals, raw)) return verdict('unknown', 0.5, 'silence')
  return verdict('waiting', seen.weight + (raw ? 0.05 : quietBonus(signals.quietMs)), seen.by)
}

function untilSure(seen: LookResult, screen: Screen, { kernel, remote }: Signals, raw: boolean): number {
  if (seen.weight < 0.65) return settled.begun
  if (seen.weight < 0.85 && !raw) return settled.likely
  if (screen.bracketedPaste && !screen.alternate) return settled.editor
  return kernel !== null || remote ? settled.connected : settled.sure
}

/** Silence alone proves little, so it only adjusts the confidence. */
const quietBonus = (quietMs: number): number => (quietMs >= 1000 ? 0.04 : quietMs >= 400 ? 0.02 : -0.03)

function* gather(
  seen: LookResult,
  screen: Screen,
  { kernel, mode, remote, typed, quietMs, exited }: Signals,
): Generator<Evidence> {
  if (exited) yield { signal: 'kernel', says: 'nothing', detail: 'the program has ended' }
  yield kernelEvidence(kernel, remote)
  yield modeEvidence(mode)
  if (screen.shellMark !== null)
    yield { signal: 'screen', says: markSays[screen.shellMark], detail: `the shell says: ${screen.shellMark}` }
  if (screen.progress)
    yield { signal: 'screen', says: 'working', detail: 'the program shows progress in the title bar' }
  yield { signal: seen.by, says: seen.says, detail: seen.why }
  if (typed === 'line')
    yield { signal: 'silence', says: 'working', detail: 'a line was entered and nothing has been printed since' }
  yield { signal: 'silence', says: 'nothing', detail: `quiet for ${Math.round(quietMs)} ms` }
}

const markSays = { prompt: 'nothing', input: 'waiting', running: 'nothing', done: 'nothing' } as const

function kernelEvidence(kernel: Signals['kernel'], remote: boolean): Evidence {
  if (kernel === null) return { signal: 'kernel', says: 'nothing', detail: "the process can't be inspected here" }
  if (remote)
    return { signal: 'kernel', says: 'nothing', detail: 'the program runs elsewhere: only the connection is visible' }
  if (kernel.reading === 'read')
    return { signal: 'kernel', says: 'waiting', detail: `${kernel.program} reads the terminal` }
  if (kernel.reading === 'no')
    return { signal: 'kernel', says: 'working', detail: `${kernel.program} does not read the terminal` }
  return { signal: 'kernel', says: 'nothing', detail: `${kernel.program} is waiting for an event, perhaps a key` }
}

function modeEvidence(mode: Signals['mode']): Evidence {
  if (mode === null) return { signal: 'terminal_mode', says: 'nothing', detail: 'the terminal mode is unknown' }
  if (mode.canonical && !mode.echo)
    return { signal: 'terminal_mode', says: 'waiting', detail: 'input is hidden: a secret' }
  const detail = mode.canonical ? 'line input with echo' : 'single-key input'
  return { signal: 'terminal_mode', says: 'nothing', detail }
}
