import type { AttachListener, Attachment, Exit } from '../../keeper-client/client.ts'
import type { Result } from '../../lib/result.ts'
import { withTimeLimit } from '../../lib/time-limit.ts'
import type { DetachKeys } from './detach-keys.ts'
import { createKeyboard, type Leaving } from './keyboard.ts'
import type { OldOutput } from './old-output.ts'
import type { OwnTerminal, Size } from './own-terminal.ts'
import type { ScreenModes } from './screen-modes.ts'

/** The program's side: output comes through the listener, input goes through this. */
export type Line = Pick<Attachment, 'write' | 'resize' | 'detach'>
export type Dial = (size: Size, listener: AttachListener) => Promise<Result<Line>>

export type Ending =
  | { kind: 'exited'; exit: Exit }
  | { kind: 'detached'; by: Leaving }
  /** The keeper is gone, or detached us; `at` is where to continue. */
  | { kind: 'lost'; at: number | null }

type Deps = {
  own: OwnTerminal
  dial: Dial
  /** Resolves when the connection is gone. */
  closed: Promise<unknown>
  detachKeys: DetachKeys
  /** The program was running before we attached: the end of our input or output does not end it. */
  visits: boolean
  /** The modes the program set on our terminal; kept when we attach again. */
  modes: ScreenModes
  /** Shown first: the current screen. */
  first?: string
  /** Filters output from before we attached. */
  old?: OldOutput
}

/** Keys typed before detaching are still sent, unless the program does not read. */
const lastWordsMs = 1000

/** Connects our terminal to a program's until one of them ends. Bytes pass unchanged. */
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
  // Raw mode before the first byte: otherwise output would be changed.
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
      // Our own size does not change.
      size() {},
      detached: () => ended.resolve({ kind: 'lost', at }),
    })
    if (!dialled.ok) return dialled
    const line = dialled.value
    reached.resolve(line)
    void deps.closed.then(() => ended.resolve({ kind: 'lost', at }))
    const ending = await ended.promise
    // A program that ended has restored the terminal; after detaching we have to.
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
