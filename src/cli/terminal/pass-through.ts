import type { AttachListener, Attachment, Exit } from '../../keeper-client/client.ts'
import type { Result } from '../../lib/result.ts'
import { withTimeLimit } from '../../lib/time-limit.ts'
import type { DetachKeys } from './detach-keys.ts'
import { createKeyboard, type Leaving } from './keyboard.ts'
import type { OldOutput } from './old-output.ts'
import type { OwnTerminal, Size } from './own-terminal.ts'
import type { ScreenModes } from './screen-modes.ts'

/** The program's side: what it prints comes by the listener, what is typed goes by the line. */
export type Line = Pick<Attachment, 'write' | 'resize' | 'detach'>
export type Dial = (size: Size, listener: AttachListener) => Promise<Result<Line>>

export type Ending =
  | { kind: 'exited'; exit: Exit }
  | { kind: 'detached'; by: Leaving }
  /** The keeper is gone, or let go of us; `at` is where to go on. */
  | { kind: 'lost'; at: number | null }

type Deps = {
  own: OwnTerminal
  dial: Dial
  /** Resolves when the line is dead. */
  closed: Promise<unknown>
  detachKeys: DetachKeys
  /** The program was at work before we came: what ends our input or our output does not end it. */
  visits: boolean
  /** What the program made of our terminal; kept where the line is lost and taken up again. */
  modes: ScreenModes
  /** Shown before anything else: the screen as it is. */
  first?: string
  /** What becomes of output from before we came. */
  old?: OldOutput
}

/** What was typed before leaving is handed over, unless the program reads nothing. */
const lastWordsMs = 1000

/** Joins our terminal to a program's until one of them leaves. Nothing of either is changed on the way. */
export async function passThrough(deps: Deps): Promise<Result<Ending>> {
  const { own, modes } = deps
  const ended = Promise.withResolvers<Ending>()
  const reached = Promise.withResolvers<Line>()
  let at: number | null = null
  let shown: Promise<void> = Promise.resolve()
  const show = (bytes: Uint8Array) => {
    modes.seen(bytes)
    shown = own.write(bytes)
    return shown
  }
  const putBack = () => own.writeNow(modes.undo())
  process.once('exit', putBack)
  // Ours is raw before the first byte comes: what is shown in between would be changed.
  const { detachKeys, visits } = deps
  const keyboard = createKeyboard({ own, line: reached.promise, detachKeys, visits, leave: ended.resolve })
  try {
    if (deps.first) await show(Buffer.from(deps.first))
    const dialled = await deps.dial(own.size(), {
      data(bytes, offset) {
        at = offset + bytes.length
        return show(deps.old?.(bytes, offset) ?? bytes)
      },
      exit: (exit) => ended.resolve({ kind: 'exited', exit }),
      // Ours stays as large as it is, whoever else is there.
      size() {},
      detached: () => ended.resolve({ kind: 'lost', at }),
    })
    if (!dialled.ok) return dialled
    const line = dialled.value
    reached.resolve(line)
    void deps.closed.then(() => ended.resolve({ kind: 'lost', at }))
    const ending = await ended.promise
    // A program that ended leaves the terminal as it likes; one that was left gets no chance to.
    if (ending.kind === 'exited') await shown
    if (ending.kind === 'detached') {
      putBack()
      await withTimeLimit(keyboard.sent(), lastWordsMs)
    }
    await line.detach()
    return { ok: true, value: ending }
  } finally {
    process.off('exit', putBack)
    keyboard[Symbol.dispose]()
  }
}
