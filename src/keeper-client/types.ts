import type {
  ChildInfo,
  ChildSpec,
  ConditionalWrite,
  Exit,
  ForegroundProbe,
  PtySpec,
  Size,
  TypedAt,
  WriteCondition,
} from '../keeper/protocol/types.ts'
import type { Result } from '../lib/result.ts'

export type TypedListener = (bytes: Uint8Array, at: TypedAt) => void

export type ChildListener = {
  /** Awaited before the next bytes. If it throws, listening ends with a line in the log and without an exit. */
  data(bytes: Uint8Array, offset: number): void | Promise<void>
  /** After the last byte. */
  exit(exit: Exit): void
}

/** The keeper as a server sees it. */
export type Keeper = {
  spawn(spec: ChildSpec): Promise<Result<ChildInfo>>
  list(): Promise<ChildInfo[]>
  /** Bytes from `from` on, in order, then live. A slow listener slows only its own child. One listener per child. */
  listen(id: string, from: number, listener: ChildListener): Promise<Result<Disposable>>
  /** Done when the child's stdin queue has the bytes. With a key seen before, nothing is written. */
  write(id: string, key: string, bytes: string | Uint8Array): Promise<Result<void>>
  /** Types into a terminal only if nothing changed since the caller looked, and something was shown since the last answer. */
  writeIf(id: string, key: string, bytes: string | Uint8Array, cond: WriteCondition): Promise<Result<ConditionalWrite>>
  /** Refused while an attached person's screen sets the size, unless forced. */
  resize(id: string, size: Size, options?: { force?: boolean }): Promise<Result<void>>
  /** To the foreground of the terminal. */
  signal(id: string, name: NodeJS.Signals): Promise<Result<void>>
  /** What runs in the foreground and whether it waits. The keeper may look because it is the ancestor; null: unknown. */
  probe(id: string): Promise<Result<ForegroundProbe | null>>
  /** What a terminal itself answers to the program (its kind, the cursor position). Ignored if someone is attached: theirs does. */
  reply(id: string, bytes: Uint8Array): void
  /** What is typed into a terminal from now on. It is not stored. */
  typed(id: string, listener: TypedListener): Disposable
  ack(id: string, offset: number): void
  /** The last 64 KiB. */
  stderr(id: string): Promise<string>
  /** The current content of a ring. */
  read(id: string): Promise<{ text: Uint8Array; truncated: boolean }>
  closeStdin(id: string): Promise<void>
  /** Closes stdin, waits for a voluntary end, then SIGTERM and SIGKILL; done when no process of it is left. */
  end(id: string, graceMs: number): Promise<Exit>
  /** Exited children stay listed until forgotten; a living one is not forgotten. */
  forget(id: string): Promise<void>
  /** Ends every child, then the keeper. Terminals, and the keeper with them, keep running unless `terminals` is set. */
  stop(options?: { terminals?: boolean; patienceMs?: number }): Promise<void>
  /** Whether it can give a child a relay: an older one can't. */
  readonly relays: boolean
  /** The connection is gone. */
  readonly closed: Promise<void>
  /** Disconnects, and leaves everything running. */
  [Symbol.asyncDispose](): Promise<void>
}

/** What an attached person's terminal receives. */
export type AttachListener = {
  /** Awaited before the next bytes: a slow listener slows the program. */
  data(bytes: Uint8Array, offset: number): void | Promise<void>
  /** After the last byte. */
  exit(exit: Exit): void
  /** Another screen now sets the terminal's size. */
  size(cols: number, rows: number): void
  /** The keeper detached us, or is gone; the program may still be running. */
  detached?(why: string): void
}

export type Attachment = {
  /** The offset of the first byte it receives. */
  readonly from: number
  /** Done when they are on their way, in order. */
  write(bytes: string | Uint8Array): Promise<Result<void>>
  resize(cols: number, rows: number): Promise<Result<void>>
  detach(): Promise<void>
}

/** The keeper as an attached person's terminal sees it. It does not replace the server's connection. */
export type AttachClient = {
  /** Only terminals. */
  spawn(spec: ChildSpec & { pty: PtySpec }): Promise<Result<ChildInfo>>
  list(): Promise<ChildInfo[]>
  /** From an offset, from the first byte still kept if that one is gone, or from now on. */
  attach(id: string, options: Size & { from: number | 'now' }, listener: AttachListener): Promise<Result<Attachment>>
  /** Turns off what our own terminal, at this path, does to output. False if that failed. */
  plainOutput(tty: string): Promise<boolean>
  readonly closed: Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}
