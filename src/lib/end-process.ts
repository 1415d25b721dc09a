import { isatty } from 'node:tty'
import { withTimeLimit } from './time-limit.ts'

const readersMs = 500

/**
 * Ends this process now, with this exit code, whatever is still open. For when all work is done and saved; if possible,
 * close everything and set `process.exitCode` instead.
 *
 * Does not use `process.exit()`: that joins V8's background threads without ending the isolate first, and a thread that
 * waits for the main thread to collect garbage never finishes. The process would hang forever, with its locks held.
 * Replacing the process with another program waits for no thread and keeps the exit code, which a signal to ourselves
 * would not.
 */
export function endProcess(code: number): never {
  process.exitCode = code
  try {
    process.emit('exit', code)
  } catch {
    // A listener must not prevent the exit.
  }
  leaveTerminalInOrder()
  try {
    process.execve?.('/bin/sh', ['sh', '-c', `exit ${process.exitCode}`], {})
  } catch {
    // There is no shell, so the exit code is lost.
  }
  process.kill(process.pid, 'SIGKILL')
  throw new Error('a process outlives SIGKILL')
}

/** The same after pending output is flushed. A stalled reader delays the exit by at most half a second. */
export async function endOnceSaid(code: number): Promise<never> {
  const left = [process.stdout, process.stderr].map(
    (stream) => new Promise<void>((resolve) => stream.write('', () => resolve())),
  )
  await withTimeLimit(Promise.all(left), readersMs)
  return endProcess(code)
}

/** Node restores the terminal only on its own ways to exit. */
function leaveTerminalInOrder(): void {
  try {
    if (isatty(0) && process.stdin.isRaw) process.stdin.setRawMode(false)
  } catch {
    // The terminal is gone, and we are exiting.
  }
}
