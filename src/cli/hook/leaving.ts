const lookMs = 2000

/** Aborted when Claude Code no longer waits: it ends the hook, or is itself gone. */
export function nobodyWaits(env: NodeJS.ProcessEnv): { readonly signal: AbortSignal } & Disposable {
  const leaving = new AbortController()
  const leave = () => leaving.abort()
  const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const
  for (const name of signals) process.on(name, leave)
  const parent = process.ppid
  // A shell may stand between, and outlive it.
  const claude = Number(env['CLAUDE_PID'] ?? Number.NaN)
  const watch = setInterval(() => {
    if (process.ppid !== parent || (Number.isInteger(claude) && !isRunning(claude))) leave()
  }, lookMs).unref()
  return {
    signal: leaving.signal,
    [Symbol.dispose]() {
      clearInterval(watch)
      for (const name of signals) process.off(name, leave)
    },
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // Of another user, and there.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
