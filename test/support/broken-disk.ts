import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const run = (program: string, ...args: string[]) => execFileSync(program, args, { stdio: 'pipe' })
const isRoot = () => process.getuid?.() === 0

type Skip = { skip: (note?: string) => never }

/** A separate file system of this many megabytes. Needs root to mount it. */
export function smallDisk(megabytes: number, context: Skip): { path: string } & Disposable {
  const path = mkdtempSync(join(tmpdir(), 'sbd-'))
  try {
    run('mount', '-t', 'tmpfs', '-o', `size=${megabytes}m,mode=700`, 'tmpfs', path)
  } catch {
    rmSync(path, { recursive: true })
    context.skip('a separate disk needs the right to mount (root on Linux)')
  }
  return {
    path,
    [Symbol.dispose]() {
      run('umount', '--lazy', path)
      rmSync(path, { recursive: true, force: true })
    },
  }
}

/** A read-only directory; a read-only mount for root, who ignores permissions. */
export function readOnly(path: string, context: Skip): Disposable {
  if (!isRoot()) {
    chmodSync(path, 0o500)
    return { [Symbol.dispose]: () => chmodSync(path, 0o700) }
  }
  try {
    run('mount', '--bind', path, path)
    run('mount', '-o', 'remount,ro,bind', path)
  } catch {
    context.skip('for root a read-only directory needs the right to mount')
  }
  return { [Symbol.dispose]: () => run('umount', '--lazy', path) }
}

/** The same for one file, whose directory stays writable. */
export function readOnlyFile(path: string, context: Skip): Disposable {
  if (isRoot()) return readOnly(path, context)
  chmodSync(path, 0o400)
  return { [Symbol.dispose]: () => chmodSync(path, 0o600) }
}
