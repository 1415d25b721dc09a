import type { Attachment } from '../../keeper-client/client.ts'
import { createDetacher, type DetachKeys } from './detach-keys.ts'
import type { OwnTerminal } from './own-terminal.ts'

export type Leaving = 'keys' | 'SIGHUP' | 'SIGTERM' | 'SIGPIPE' | 'SIGINT' | 'SIGQUIT'

type Deps = {
  own: OwnTerminal
  /** What is typed before it is there waits for it. */
  line: Promise<Pick<Attachment, 'write' | 'resize'>>
  detachKeys: DetachKeys
  /** The program was at work before we came, and goes on when we are done. */
  visits: boolean
  leave(ending: { kind: 'detached'; by: Leaving }): void
}

const endOfInput = 4
const bytesOf = { SIGINT: Uint8Array.of(3), SIGQUIT: Uint8Array.of(28) }
/** So long the second of the detach keys may take. */
const patienceMs = 1000
const mostWaiting = 256 * 1024

/** What our terminal sends goes to the program, but for the keys that leave it. */
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
    // Who pastes faster than the program reads is slowed; who only types can always leave.
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
      // A script that looks in has no input, and the program goes on reading its own.
      if (visits) return
      // Ctrl-D ends an empty line, so one that is not empty takes two: the first only hands it over.
      send(last === 10 || last === 13 ? Uint8Array.of(endOfInput) : Uint8Array.of(endOfInput, endOfInput))
    },
    resized: ({ cols, rows }) => void line.then((there) => there.resize(cols, rows)),
    leave: detach,
    // Where nobody types, Ctrl-C is meant for us.
    interrupt: (signal) => (visits && !own.typed ? detach(signal) : send(bytesOf[signal])),
    // Who reads a program's output no more has done with it: `signalbox run -- yes | head`.
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
