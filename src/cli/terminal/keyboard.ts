import type { Attachment } from '../../keeper-client/client.ts'
import { createDetacher, type DetachKeys } from './detach-keys.ts'
import type { OwnTerminal } from './own-terminal.ts'

export type Leaving = 'keys' | 'SIGHUP' | 'SIGTERM' | 'SIGPIPE' | 'SIGINT' | 'SIGQUIT'

type Deps = {
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
export function createKeyboard({ own, line, detachKeys, visits, leave }: Deps): Disposable & { sent(): Promise<void> } {
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
