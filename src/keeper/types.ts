import type { Result } from '../lib/result.ts'
import type { Foreground } from '../lib/tty-probe.ts'
import type { RelaySpec } from './relay.ts'

export type ChildSpec = {
  /** Chosen by the caller; spawning a known id gives the child that is there. */
  id: string
  argv: readonly [string, ...string[]]
  cwd: string
  /** Complete: nothing of the keeper's own environment goes along. */
  env: Readonly<Record<string, string>>
  /** Handed back in list(). */
  label: Readonly<Record<string, string>>
  /**
   * 'acknowledged': nothing is dropped before ack; where memory and disk are full the child is not read on.
   * A ring keeps the last so many bytes of stdout and stderr together, and never holds the child up.
   */
  output: 'acknowledged' | { ring: number }
  /** Opened before it is started, for what has a network of its own. */
  relay?: RelaySpec
  /** Runs in a terminal of this size: stdin, stdout and stderr are one, output is acknowledged, env says which TERM. */
  pty?: Size
}

export type Size = { cols: number; rows: number }

export type Exit = { code: number | null; signal: string | null }

export type ChildInfo = {
  id: string
  pid: number
  label: Record<string, string>
  startedAt: string
  /** First byte still kept. */
  from: number
  /** End of what was printed. */
  to: number
  /** Set once everything printed is known; `to` is final then. */
  exit: Exit | null
  /** Null where it runs without a terminal. */
  pty: TerminalInfo | null
}

/** With where the output ended when it was seen: what it printed before is in there. */
export type Probed = Foreground & { to: number }

export type TerminalInfo = Size & {
  /** The program's side, /dev/pts/N. */
  tty: string | null
  /** Bytes typed so far, by whomever. */
  inputs: number
  /** How many people have it before them. */
  attached: number
}

/** What must still be so for bytes to be written. */
export type WriteCondition = {
  /** End of what was printed. */
  to: number
  /** Bytes typed so far. */
  inputs: number
  /** The process that waits, and its wait as the probe marked it; null: that is not looked at. */
  waits: { pid: number; mark: string } | null
}

/** `why` says what came between: it printed, somebody typed, or the program ran. */
export type ConditionalWrite = { written: boolean; why: 'printed' | 'typed' | 'ran' | null }

/** `by` is 'keyboard' for whoever is attached, else the key of the write. The counts are those after the bytes. */
export type TypedListener = (
  bytes: Uint8Array,
  at: { to: number; inputs: number; by: string; /** No bytes: the terminal has another size now. */ size?: Size },
) => void

export type ChildListener = {
  /** Awaited before the next bytes. Where it throws, listening ends with a line in the log and without an exit. */
  data(bytes: Uint8Array, offset: number): void | Promise<void>
  /** After the last byte. */
  exit(exit: Exit): void
}

export type Keeper = {
  spawn(spec: ChildSpec): Promise<Result<ChildInfo>>
  list(): Promise<ChildInfo[]>
  /** Bytes from `from` on, in order, then live. A slow listener slows its own child only. One listener a child. */
  listen(id: string, from: number, listener: ChildListener): Promise<Result<Disposable>>
  /** Done when the child's stdin queue has the bytes. A key seen before: done, and nothing is written. */
  write(id: string, key: string, bytes: string | Uint8Array): Promise<Result<void>>
  /** Bytes for a terminal, written only if nothing changed since the caller looked, and something showed since the last. */
  writeIf(id: string, key: string, bytes: string | Uint8Array, cond: WriteCondition): Promise<Result<ConditionalWrite>>
  /** Refused where somebody attached has the size, unless forced. */
  resize(id: string, size: Size, options?: { force?: boolean }): Promise<Result<void>>
  /** To whatever runs in the terminal's foreground. */
  signal(id: string, name: NodeJS.Signals): Promise<Result<void>>
  /** What runs in the terminal's foreground and whether it waits, seen by its ancestor, who may look; null: can't be told. */
  probe(id: string): Promise<Result<Probed | null>>
  /** What a terminal says to the program by itself (its kind, the cursor's place); where somebody is attached, theirs does. */
  reply(id: string, bytes: Uint8Array): void
  /** What is typed into a terminal from now on; nowhere kept. */
  typed(id: string, listener: TypedListener): Disposable
  ack(id: string, offset: number): void
  /** The last 64 KiB. */
  stderr(id: string): Promise<string>
  /** What a ring child holds now. */
  read(id: string): Promise<{ text: Uint8Array; truncated: boolean }>
  closeStdin(id: string): Promise<void>
  /** Closes stdin, waits for a voluntary end, then SIGTERM and SIGKILL; done when nothing of it is left. */
  end(id: string, graceMs: number): Promise<Exit>
  /** Exited children stay listed until forgotten; a living one is not forgotten. */
  forget(id: string): Promise<void>
  /** Ends every child, then the keeper. People's terminals go on, and the keeper with them, unless told. */
  stop(options?: { terminals?: boolean; patienceMs?: number }): Promise<void>
  /** Whether it can give a child a relay: one that is older can't. */
  readonly relays: boolean
  /** The connection is gone. */
  readonly closed: Promise<void>
  /** Disconnects, and leaves everything running. */
  [Symbol.asyncDispose](): Promise<void>
}

/** What an attached person's terminal is told. */
export type AttachListener = {
  /** Awaited before the next bytes: who takes them slowly slows the program. */
  data(bytes: Uint8Array, offset: number): void | Promise<void>
  /** After the last byte. */
  exit(exit: Exit): void
  /** The terminal's size is now another's. */
  size(cols: number, rows: number): void
  /** The keeper let go of us, or is gone; the program goes on or not. */
  detached?(why: string): void
}

export type Attachment = {
  /** Where the bytes begin that it is told. */
  readonly from: number
  /** Done when they are on their way, in order. */
  write(bytes: string | Uint8Array): Promise<Result<void>>
  resize(cols: number, rows: number): Promise<Result<void>>
  detach(): Promise<void>
}

/** A connection that works terminals beside the server's, and replaces nobody. */
export type Attached = {
  /** Only terminals. */
  spawn(spec: ChildSpec & { pty: Size }): Promise<Result<ChildInfo>>
  list(): Promise<ChildInfo[]>
  /** From a byte that is still kept, the first one kept where that is gone, or from now on. */
  attach(id: string, options: Size & { from: number | 'now' }, listener: AttachListener): Promise<Result<Attachment>>
  readonly closed: Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}
