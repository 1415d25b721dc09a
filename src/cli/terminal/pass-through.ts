import type { AttachListener, Attachment, Exit } from '../../keeper-client/client.ts'
import type { Result } from '../../lib/result.ts'
import { withTimeLimit } from '../../lib/time-limit.ts'
import { type DetachKeys, createDetacher } from './detach-keys.ts'
import type { OldOutput } from './old-output.ts'
import type { OwnTerminal, Size } from './own-terminal.ts'
import type { ScreenModes } from './screen-modes.ts'

/** The program's side: output comes through the listener, input goes through this. */
export type ProgramInput = Pick<Attachment, 'write' | 'resize' | 'detach'>
export type Dial = (size: Size, listener: AttachListener) => Promise<Result<ProgramInput>>

export type PassThroughEnd =
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
export async function passThrough(deps: Deps): Promise<Result<PassThroughEnd>> {
  const { own, modes } = deps
  const ended = Promise.withResolvers<PassThroughEnd>()
  const reached = Promise.withResolvers<ProgramInput>()
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
    await own.ready()
    keyboard[Symbol.dispose]()
  }
}

type Leaving = 'keys' | 'SIGHUP' | 'SIGTERM' | 'SIGPIPE' | 'SIGINT' | 'SIGQUIT'

type KeyboardDeps = {
  own: OwnTerminal
  /** Keys typed before it is connected wait for it. */
  line: Promise<Pick<Attachment, 'write' | 'resize'>>
  detachKeys: DetachKeys
  /** The program was running before we attached, and keeps running afterwards. */
  visits: boolean
  leave(ending: { kind: 'detached'; by: Leaving }): void
}

const endOfInput = 4
const bytesOf = { SIGINT: Uint8Array.of(3), SIGQUIT: Uint8Array.of(28) }
/** How long the second detach key may take. */
const patienceMs = 1000
const mostWaiting = 256 * 1024

/** Passes our input to the program, except the detach keys. */
function createKeyboard({
  own,
  line,
  detachKeys,
  visits,
  leave,
}: KeyboardDeps): Disposable & { sent(): Promise<void> } {
  const detacher = createDetacher(own.typed ? detachKeys : { text: 'none', bytes: [] })
  let later: NodeJS.Timeout | undefined
  let last = 10
  let left = false
  let waiting = 0
  let sending: Promise<unknown> = Promise.resolve()

  const send = (bytes: Uint8Array) => {
    last = bytes.at(-1) ?? last
    waiting += bytes.length
    // A paste is slowed down to the program's pace; typing can always detach.
    if (waiting > mostWaiting) own.pause()
    sending = line
      .then((there) => there.write(bytes))
      .finally(() => {
        waiting -= bytes.length
        if (waiting <= mostWaiting && !left) own.resume()
      })
  }
  const detach = (by: Leaving) => leave({ kind: 'detached', by })

  const opened = own.open({
    keys(bytes) {
      clearTimeout(later)
      const { pass, detach: leaves } = detacher.feed(bytes)
      if (pass.length > 0) send(pass)
      if (leaves) detach('keys')
      else if (detacher.holding) later = setTimeout(() => send(detacher.release()), patienceMs)
    },
    end() {
      if (own.typed) return detach('SIGHUP')
      // A script that only watches has no input, and the program keeps reading its own.
      if (visits) return
      // Ctrl-D ends only an empty line, so a non-empty one needs two: the first sends the line.
      send(last === 10 || last === 13 ? Uint8Array.of(endOfInput) : Uint8Array.of(endOfInput, endOfInput))
    },
    resized: ({ cols, rows }) => void line.then((there) => there.resize(cols, rows)),
    leave: detach,
    // Without a keyboard, Ctrl-C is meant for us.
    interrupt: (signal) => (visits && !own.typed ? detach(signal) : send(bytesOf[signal])),
    // The reader of the output is gone, so the program is no longer needed: `signalbox run -- yes | head`.
    deaf() {
      if (!visits) send(bytesOf.SIGINT)
      detach('SIGPIPE')
    },
  })

  return {
    /** Everything typed so far is on its way. */
    async sent() {
      await sending
    },
    [Symbol.dispose]() {
      left = true
      clearTimeout(later)
      opened[Symbol.dispose]()
    },
  }
}
