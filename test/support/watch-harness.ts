import type { Screen, Signals } from '../../src/domain/terminal/screen.ts'
import type { Choice, Prompt, Verdict } from '../../src/domain/terminal/verdict.ts'
import type {
  KeyboardAnswer,
  Foreground,
  Mode,
  AnswerOutcome,
  WatchState,
} from '../../src/edges/terminal/worker/watch/types.ts'
import { createWatch } from '../../src/edges/terminal/worker/watch/watch.ts'
import { fakeClock } from './fake-clock.ts'

export type Scene = {
  /** The screen; the cursor is after the last line unless `cursorRow` is set. */
  lines: string[]
  cursorRow: number | null
  alternate: boolean
  fg: Foreground | null
  mode: Mode | null
  /** Before the terminal settings are known. */
  slow: Promise<void> | null
  /** What the screen says if the kernel does not decide. */
  says: 'waiting' | 'working' | 'unknown'
  confidence: number
  /** The prompt, if it is not the cursor's line. */
  question: string | null
  choices: Choice[]
}

export function promptOf(text: string, more: Partial<Prompt> = {}): Prompt {
  return {
    text,
    type: 'text',
    secret: false,
    choices: [],
    default: null,
    dangerous: false,
    dangerReason: null,
    suggestedInputs: [],
    matchedPattern: '.',
    ...more,
  }
}

export function screenOf(lines: readonly string[], cursorRow: number | null = null, alternate = false): Screen {
  const rows = 24
  const rest = lines.slice(-rows)
  const row = cursorRow ?? Math.max(0, rest.length - 1)
  const line = (text: string) => ({ text: text.trimEnd(), wrapped: false, marks: [] })
  return {
    cols: 80,
    rows,
    lines: Array.from({ length: rows }, (_, index) => line(rest[index] ?? '')),
    above: lines.slice(0, -rows).slice(-50).map(line),
    cursor: { row, col: rest[row]?.length ?? 0, hidden: false },
    alternate,
    bracketedPaste: false,
    applicationCursor: false,
    mouse: false,
    title: '',
    shellMark: null,
    progress: false,
  }
}

/** A fake terminal, a manual clock, and a detector that returns what the scene says. */
export function openWatchHarness(start: Partial<Scene> = {}, remote = false) {
  const clock = fakeClock()
  const scene: Scene = {
    lines: [''],
    cursorRow: null,
    alternate: false,
    fg: null,
    mode: null,
    slow: null,
    says: 'unknown',
    confidence: 0.9,
    question: null,
    choices: [],
    ...start,
  }
  const reports: WatchState[] = []
  const entered: KeyboardAnswer[] = []
  const outcomes: AnswerOutcome[] = []
  const order: string[] = []
  const cost = { screens: 0, probes: 0, modes: 0 }
  let offset = 0
  let runs = 0

  function detect(screen: Screen, signals: Signals): Verdict {
    const kernel = signals.remote ? null : signals.kernel
    const state = signals.exited
      ? 'exited'
      : kernel?.reading === 'read'
        ? 'waiting'
        : kernel?.reading === 'no'
          ? 'working'
          : scene.says
    const decidedBy = kernel && kernel.reading !== 'poll' ? 'kernel' : 'screen'
    return {
      state,
      prompt: state === 'waiting' ? seen(screen, signals) : null,
      confidence: scene.confidence,
      decidedBy,
      evidence: [],
    }
  }
  function seen(screen: Screen, { mode }: Signals): Prompt {
    const text = scene.question ?? screen.lines[screen.cursor.row]?.text.trim() ?? ''
    const secret = (mode?.canonical === true && !mode.echo) || /^password:/i.test(text)
    const type = secret ? 'password' : /[$#]$/.test(text) ? 'command' : 'text'
    return promptOf(text || '[none]', { secret, type, choices: scene.choices })
  }

  const watch = createWatch({
    emulator: {
      screen() {
        cost.screens += 1
        return screenOf(scene.lines, scene.cursorRow, scene.alternate)
      },
    },
    clock,
    probe() {
      cost.probes += 1
      return scene.fg
    },
    async modes() {
      cost.modes += 1
      await scene.slow
      return scene.mode
    },
    remote,
    detect,
    promptKey: ({ text, type }) => `${type}:${text}`,
    spentMs: () => 0,
    report: (state) => void (reports.push(state), order.push(`report ${state.state}`)),
    entered: (input) => void (entered.push(input), order.push('entered')),
    outcome: (outcome) => void (outcomes.push(outcome), order.push('outcome')),
  })

  const process = (reading: Foreground['reading'], program = 'demo') => {
    runs += 1
    scene.fg = { pid: 7, program, reading, mark: `7 ${runs}` }
  }

  return {
    watch,
    clock,
    scene,
    reports,
    entered,
    outcomes,
    order,
    cost,
    /**
     * Prints output:
     *  and \r as on a terminal.
     */
    print(text: string) {
      for (const piece of text.split(/(\n|\r)/)) {
        if (piece === '\n') scene.lines.push('')
        else if (piece === '\r') scene.lines[scene.lines.length - 1] = ''
        else scene.lines[scene.lines.length - 1] += piece
      }
      offset += Buffer.byteLength(text)
      watch.printed(Buffer.byteLength(text), offset)
    },
    type: (text: string, by = 'anna') => watch.typed(Buffer.from(text), { by }),
    /** Runs, then blocks in a read of the terminal. */
    reads: () => process('read'),
    polls: () => process('poll'),
    works: () => process('no'),
    mode(echo: boolean, canonical: boolean) {
      scene.mode = { echo, canonical }
    },
    async pass(ms: number) {
      for (let gone = 0; gone < ms; gone += 5) {
        clock.advance(Math.min(5, ms - gone))
        await new Promise((resolve) => setImmediate(resolve))
      }
    },
    states: () => reports.map(({ state }) => state),
    ids: () => reports.flatMap(({ prompt }) => (prompt ? [prompt.id] : [])),
  }
}

export type WatchHarness = ReturnType<typeof openWatchHarness>
