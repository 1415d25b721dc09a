import { execFileSync } from 'node:child_process'
import { open } from 'node:fs/promises'
import { join } from 'node:path'

/** A gate where programs wait until all have started. */
export type Gate = {
  /** A program that reads a line from it has passed. */
  readonly path: string
  /** The same program, after waiting at the gate. */
  behind(command: string): string[]
  /** Opens the gate for this many programs. */
  open(): Promise<void>
}

let made = 0

export function makeGate(folder: string): Gate {
  made += 1
  const path = join(folder, `gate-${made}`)
  execFileSync('mkfifo', [path])
  return {
    path,
    behind: (command) => ['sh', '-c', `read -r _ < '${path}'; ${command}`],
    async open() {
      await using file = await open(path, 'w')
      await file.write('go\n')
    },
  }
}
