import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import * as z from 'zod'
import { jsonOrNull } from '../../lib/parse-json.ts'

/** The keychain of the system. Null: there is none, it is locked, or it does not answer. */
export type Keychain = {
  read(account: string): Promise<{ readonly value: string | null } | null>
  write(account: string, value: string): Promise<{ readonly value: string | null } | null>
}

const service = 'signalbox'
const usualLimitMs = 5000
const Reply = z.object({ value: z.string().nullable() })

/** Each call in a process of its own, which is killed if it takes too long. */
export function systemKeychain({ limitMs = usualLimitMs, env = process.env, program = ownProgram() } = {}): Keychain {
  // On Linux the keychain is a service of the desktop; a server without one need not look for it.
  const hasNone = process.platform === 'linux' && !env['DBUS_SESSION_BUS_ADDRESS']

  async function ask(account: string, set: string | null): Promise<{ value: string | null } | null> {
    if (hasNone) return null
    const child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'ignore'], env })
    const timer = setTimeout(() => child.kill('SIGKILL'), limitMs)
    try {
      const ended = new Promise<number | null>((resolve) => {
        child.on('error', () => resolve(null))
        child.on('close', resolve)
      })
      child.stdin.on('error', () => {})
      child.stdin.end(JSON.stringify({ service, account, set }))
      const [output, code] = await Promise.all([text(child.stdout), ended])
      return code === 0 ? jsonOrNull(output, Reply) : null
    } finally {
      clearTimeout(timer)
    }
  }
  return { read: (account) => ask(account, null), write: (account, value) => ask(account, value) }
}

function ownProgram(): string {
  const name = import.meta.url.endsWith('.ts') ? './keychain-program.ts' : './chat-keychain.js'
  return fileURLToPath(new URL(name, import.meta.url))
}
