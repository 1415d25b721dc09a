const lookMs = 2000

/** Aborts when Claude Code no longer waits: it ended the hook, or is gone. */
export function watchCaller(env: NodeJS.ProcessEnv): { readonly signal: AbortSignal } & Disposable {
  const leaving = new AbortController()
  const leave = () => leaving.abort()
  const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const
  for (const name of signals) process.on(name, leave)
  const parent = process.ppid
  // A shell in between may outlive it.
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
    // It exists, but belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
