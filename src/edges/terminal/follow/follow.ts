import { watch, type FSWatcher } from 'node:fs'
import { basename, dirname } from 'node:path'
import { createWakeSignal } from '../../../lib/wake-signal.ts'
import type { Fault, Result } from '../../../lib/result.ts'
import { createHeldFile, inodeOf, type HeldFile } from './held-file.ts'
import type { FileMark } from './mark.ts'
import { identityOf, openFile } from './open-file.ts'
import { createTypescript } from './typescript.ts'
import { createSerialQueue } from '../../../lib/serial-queue.ts'

export type LogFollowDeps = {
  readonly path: string
  /** Where to begin, and its epoch. */
  readonly position: number
  readonly epoch?: number
  /** Its mark from the last time it was followed. */
  readonly mark?: FileMark | null
  /** Written by `script`: lines that `script` itself adds are left out. */
  readonly typescript: boolean
  /** Whether this path may be read. Checked again each time a file is opened. */
  checkPath(path: string): Promise<Result<void>>
  /** How often to poll if the system does not notify; null: only when `look` is called. */
  readonly pollMs?: number | null
}

export type FollowSink = {
  /** Awaited before more is read. `position` is the position of the first byte in the file. */
  bytes(chunk: Buffer, position: number): Promise<void>
  /** The file was restarted: the next bytes are from its start. */
  epoch(epoch: number, why: 'truncated' | 'replaced'): void
  /** A mark to recognise it by later. */
  mark?(mark: FileMark): Promise<void>
  /** Why nothing can be read at the moment; null: it can again. */
  trouble(fault: Fault | null): void
}

export type Following = {
  readonly epoch: number
  readonly position: number
  /** Reads what there is now. */
  look(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

const defaultPollMs = 500
const markEveryMs = 1000

/** Follows a log through growth, truncation, rotation, deletion and return. */
export function followFile(deps: LogFollowDeps, sink: FollowSink): Following {
  const { path } = deps
  const changed = createWakeSignal()
  const stopped = new AbortController()
  let epoch = deps.epoch ?? 0
  let position = deps.position
  let file: HeldFile | null = null
  /** The file that was read last. */
  let known: string | null = null
  let last = deps.mark ?? null
  let marked = { at: 0, epoch: -1, position: -1 }
  let isMissing = false
  let trouble: string | null = null
  let lines = deps.typescript ? createTypescript() : null
  const looks = createSerialQueue()

  function say(fault: Fault | null): void {
    if ((fault?.code ?? null) === trouble) return
    trouble = fault?.code ?? null
    sink.trouble(fault)
  }

  function beginAnew(why: 'truncated' | 'replaced'): void {
    epoch += 1
    position = 0
    lines = deps.typescript ? createTypescript() : null
    sink.epoch(epoch, why)
  }

  async function handOn(chunk: Buffer, at: number): Promise<void> {
    position = at + chunk.length
    const pieces = lines ? lines.push(chunk, at) : [{ bytes: chunk, position: at }]
    for (const piece of pieces) if (piece.bytes.length > 0) await sink.bytes(piece.bytes, piece.position)
  }

  async function drain(held: HeldFile): Promise<void> {
    const again = async () => {
      beginAnew('truncated')
      await held.beginAt(position)
    }
    if (await held.wasRewritten(position)) await again()
    for (let chunk = await held.read(position); chunk !== null; chunk = await held.read(position)) {
      if (stopped.signal.aborted) return
      if (chunk === 'rewritten') await again()
      else await handOn(chunk, position)
    }
    // A possible start of one of `script`'s own lines is complete now.
    for (const piece of lines?.settle() ?? []) await sink.bytes(piece.bytes, piece.position)
  }

  async function close(): Promise<void> {
    const held = file
    file = null
    await held?.close()
  }

  /** Switches to the file at the path now, after the earlier one was read to its end. */
  async function takeUp(): Promise<void> {
    const opened = await openFile(path, deps.checkPath)
    if (!opened.ok) return say(opened.fault)
    if (file) await close()
    file = createHeldFile(opened.value)
    if (known !== null && known !== file.identity) beginAnew('replaced')
    else if (file.size < position) beginAnew('truncated')
    else if (last && (await isAnother(file, last))) beginAnew('replaced')
    last = null
    known = file.identity
    say(null)
    await file.beginAt(position)
    await remember(file, true)
    await drain(file)
    await remember(file, false)
  }

  /** Rotated or rewritten while it was not followed: its length alone does not show that. */
  async function isAnother(held: HeldFile, mark: FileMark): Promise<boolean> {
    if (mark.epoch !== epoch) return mark.epoch > epoch
    return mark.inode !== inodeOf(held) || (await held.before(mark.position)) !== mark.before
  }

  async function remember(held: HeldFile, now: boolean): Promise<void> {
    if (!sink.mark || (marked.epoch === epoch && marked.position === position)) return
    if (!now && Date.now() - marked.at < markEveryMs) return
    marked = { at: Date.now(), epoch, position }
    const before = await held.before(position)
    if (before !== null) await sink.mark({ epoch, inode: inodeOf(held), position, before })
  }

  async function lookOnce(): Promise<void> {
    try {
      if (file) await drain(file)
      if (file) await remember(file, false)
      if (stopped.signal.aborted) return
      const there = await identityOf(path)
      const wasMissing = isMissing
      isMissing = !there.ok
      if (file && there.ok && there.value === file.identity) return say(null)
      // Between renaming and creating a log there is no file for a moment: that is not an error.
      if (file && !there.ok && !wasMissing) return
      if (file && !there.ok) return say(there.fault)
      await takeUp()
    } catch (error) {
      await close()
      say(readFault(path, error))
    }
  }

  function look(): Promise<void> {
    return looks.run(() => (stopped.signal.aborted ? undefined : lookOnce()))
  }

  async function goOn(pollMs: number): Promise<void> {
    using _ = watching(path, () => changed.wake())
    while (!stopped.signal.aborted) {
      const seen = changed.count()
      await look()
      await changed.after(seen, pollMs, stopped.signal)
    }
  }

  const running = deps.pollMs === null ? Promise.resolve() : goOn(deps.pollMs ?? defaultPollMs)

  return {
    get epoch() {
      return epoch
    },
    get position() {
      return position
    },
    look,
    async [Symbol.asyncDispose]() {
      stopped.abort()
      await running
      await looks.idle()
      if (file) await remember(file, true).catch(() => {})
      await close()
    },
  }
}

/** Watches its directory, so that a new file of the same name is noticed. If that fails, polling has to do. */
function watching(path: string, changed: () => void): Disposable {
  let watcher: FSWatcher | null = null
  try {
    watcher = watch(dirname(path), { persistent: false }, (_, name) => {
      if (name === null || name === basename(path)) changed()
    })
    watcher.on('error', () => watcher?.close())
  } catch {
    watcher = null
  }
  return { [Symbol.dispose]: () => watcher?.close() }
}

function readFault(path: string, error: unknown): Fault {
  const { code } = error as NodeJS.ErrnoException
  return {
    kind: 'unavailable',
    code: 'file_read_error',
    message: `${path} could not be read (${code ?? String(error)}).`,
    hint: 'Signalbox tries again automatically.',
  }
}
