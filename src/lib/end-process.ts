import { isatty } from 'node:tty'
import { withTimeLimit } from './time-limit.ts'

const readersMs = 500

/**
 * Ends this process now, with this exit code, whatever is still open. For when everything is done and safe; whoever can
 * sets `process.exitCode` instead, and has nothing left open.
 *
 * Not by `process.exit()`: that joins V8's background threads without ending the isolate first, and one that waits for the
 * main thread to collect garbage is never done. The process then stays for ever, with its locks held. A program that takes
 * our place asks no thread, and keeps the exit code, which a signal to ourselves would not.
 */
export function endProcess(code: number): never {
  process.exitCode = code
  try {
    process.emit('exit', code)
  } catch {
    // Whoever listens does not keep us from ending.
  }
  leaveTerminalInOrder()
  try {
    process.execve?.('/bin/sh', ['sh', '-c', `exit ${process.exitCode}`], {})
  } catch {
    // No shell here: it costs the exit code.
  }
  process.kill(process.pid, 'SIGKILL')
  throw new Error('a process outlives SIGKILL')
}

/** The same, once what was said has left us. A reader who does not read holds us up for half a second only. */
export async function endOnceSaid(code: number): Promise<never> {
  const left = [process.stdout, process.stderr].map(
    (stream) => new Promise<void>((resolve) => stream.write('', () => resolve())),
  )
  await withTimeLimit(Promise.all(left), readersMs)
  return endProcess(code)
}

/** Node puts it back at the end of its own ways to end only. */
function leaveTerminalInOrder(): void {
  try {
    if (isatty(0) && process.stdin.isRaw) process.stdin.setRawMode(false)
  } catch {
    // It is gone, and we with it.
  }
}
