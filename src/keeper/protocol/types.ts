import type { Foreground } from '../../lib/tty-probe.ts'

export type ChildSpec = {
  /** Chosen by the caller. Spawning a known id gives the child that is already there. */
  id: string
  argv: readonly [string, ...string[]]
  cwd: string
  /** Complete: nothing of the keeper's own environment is added. */
  env: Readonly<Record<string, string>>
  /** Returned by list(). */
  label: Readonly<Record<string, string>>
  /**
   * 'acknowledged': nothing is dropped before ack; if memory and disk are full, the child is not read any further.
   * A ring keeps the last bytes of stdout and stderr together, and never blocks the child.
   */
  output: 'acknowledged' | { ring: number }
  /** Opened before the child starts, for a child with its own network. */
  relay?: RelaySpec
  /** Runs in a terminal of this size: stdin, stdout and stderr are one, output is acknowledged, env has TERM. */
  pty?: PtySpec
  /** Of its files; left out: the keeper's. */
  umask?: number
}

/**
 * What a child with a network of its own may connect to. Plain data, sent with its start. A client of the
 * socket sends one line, `port NUMBER`, `gate` or `tcp HOST PORT`, and gets `ok` or `no REASON`; then bytes pass both ways.
 */
export type RelaySpec = {
  /** Where it listens. Children with the same socket share it; it is closed when the last of them is gone. */
  socket: string
  /** Ports of this machine's loopback. */
  ports: readonly number[]
  /** The server's Unix socket for agents. */
  gate: string | null
  /** Null: nothing outside this machine. A proxy is http://…; hosts in `direct` are reached without it. */
  outside: { proxy: string | null; direct: string } | null
}

/** Its modes are those of the caller's terminal: `like` is its path, `modes` is what `stty -g` prints about it. */
export type PtySpec = Size & { like?: string; modes?: string }

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
  /** Set when everything it printed is known; `to` is final then. */
  exit: Exit | null
  /** Null if it runs without a terminal. */
  pty: TerminalInfo | null
}

/** `to` is where the output ended when it was probed: everything printed before that is included. */
export type ForegroundProbe = Foreground & { to: number }

export type TerminalInfo = Size & {
  /** The program's side, /dev/pts/N. */
  tty: string | null
  /** Bytes typed so far, by anyone. */
  inputs: number
  /** Number of attached people. */
  attached: number
}

/** What must still be true for bytes to be written. */
export type WriteCondition = {
  /** End of what was printed. */
  to: number
  /** Bytes typed so far. */
  inputs: number
  /** The process that waits, and its wait as the probe marked it; null: not checked. */
  waits: { pid: number; mark: string } | null
  /** More keys of one answer: after the program has run, they need not wait for output. */
  goesOn?: boolean
}

/** `why` says what came between: the program printed, someone typed, or the program ran. */
export type ConditionalWrite = { written: boolean; why: 'printed' | 'typed' | 'ran' | null }

/** Where bytes were typed. `by` is 'keyboard' for attached people, else the key of the write. Counts include the bytes. */
export type TypedAt = {
  to: number
  inputs: number
  by: string
  /** Set with no bytes: the terminal has a new size. */
  size?: Size
}
