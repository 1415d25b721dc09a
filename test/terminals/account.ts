import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'

/** An account with a password on this machine, while the tests run. */
export type Account = Disposable & { name: string; password: string; home: string }

/** Null if we may not create one. */
export function openAccount(home: string): Account | null {
  if (process.getuid?.() !== 0) return null
  const name = `sbt${randomBytes(4).toString('hex')}`
  const password = `Pw-${randomBytes(6).toString('hex')}`
  const run = (program: string, args: string[], input = '') =>
    execFileSync(program, args, { input, stdio: ['pipe', 'pipe', 'pipe'] })
  try {
    run('useradd', ['--create-home', '--home-dir', home, '--shell', '/bin/bash', '--skel', '/var/empty', name])
    run('chpasswd', [], `${name}:${password}\n`)
  } catch {
    return null
  }
  return {
    name,
    password,
    home,
    [Symbol.dispose]() {
      // Programs it left running delay nobody.
      run('userdel', ['--force', name])
    },
  }
}
