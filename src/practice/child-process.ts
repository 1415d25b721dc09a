import { spawn } from 'node:child_process'

export type ChildResult = { exitCode: number | null; signal: string | null; output: string }

const mostKept = 64 * 1024
const running = new Set<number>()

process.once('exit', () => {
  for (const pid of running) endGroup(pid)
})

/** Runs a command until it ends or is aborted, and ends its process group. */
export async function runChild(
  argv: readonly [string, ...string[]],
  cwd: string,
  signal: AbortSignal,
): Promise<ChildResult> {
  signal.throwIfAborted()
  const [program, ...args] = argv
  const child = spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  const { pid } = child
  let output = ''
  const keep = (chunk: Buffer): void => {
    output = (output + chunk.toString()).slice(-mostKept)
  }
  child.stdout.on('data', keep)
  child.stderr.on('data', keep)
  if (pid !== undefined) running.add(pid)

  return new Promise((resolve, reject) => {
    const abort = (): void => {
      if (pid !== undefined) endGroup(pid)
      reject(new Error('cancelled'))
    }
    const settle = (): void => {
      if (pid !== undefined) running.delete(pid)
      signal.removeEventListener('abort', abort)
    }
    signal.addEventListener('abort', abort, { once: true })
    child.on('error', (error) => {
      settle()
      resolve({ exitCode: null, signal: null, output: error.message })
    })
    child.on('close', (exitCode, ended) => {
      settle()
      resolve({ exitCode, signal: ended, output })
    })
  })
}

/** Starts a process in its own session, which outlives us; returns its pid. */
export function leaveChild(command: string, cwd: string): number | undefined {
  const child = spawn('sh', ['-c', command], { cwd, stdio: 'ignore', detached: true })
  child.on('error', () => {})
  child.unref()
  return child.pid
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has already ended.
  }
}
