import { execFileSync } from 'node:child_process'
import { open } from 'node:fs/promises'
import { join } from 'node:path'

/** A door a program waits at until everybody is there. */
export type Gate = {
  /** Who reads a line of it has waited. */
  readonly path: string
  /** The same program, that waits first. */
  behind(command: string): string[]
  /** For as many as wait there. */
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
