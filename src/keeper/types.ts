import type { Result } from '../lib/result.ts'

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
}

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
}

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
  /** Ends every child, then the keeper. */
  stop(): Promise<void>
  /** The connection is gone. */
  readonly closed: Promise<void>
  /** Disconnects, and leaves everything running. */
  [Symbol.asyncDispose](): Promise<void>
}
