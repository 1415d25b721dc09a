import type { Handler } from '../command.ts'
import type { sshFlags } from '../table/run.ts'
import { detachOptions } from '../terminal/detach-keys.ts'
import { startProgram } from '../terminal/start-program.ts'

/** Runs ssh unchanged in a terminal of the keeper. */
export const ssh: Handler<typeof sshFlags> = async ({ args, flags }, context) => {
  const to = destinationOf(args)
  return startProgram(
    context,
    { argv: ['ssh', ...args], type: 'ssh', name: flags.name, host: to?.host, user: to?.user },
    detachOptions(flags),
  )
}

// The options of ssh that take a value, in the same word or in the next.
const takesValue = /(?<!^)[BbcDEeFIiJLlmOoPpQRSWw]/

type SshDestination = { host: string; user: string | undefined }

/** Host and user of an ssh command line, as written; null if it names no host. */
export function destinationOf(words: readonly string[]): SshDestination | null {
  let login: string | undefined
  const left = [...words]
  for (let word = left.shift(); word !== undefined; word = left.shift()) {
    if (!word.startsWith('-') || word === '-') return { ...written(word), ...(login !== undefined && { user: login }) }
    if (word === '--') continue
    const at = word.search(takesValue)
    if (at === -1) continue
    const value = word.slice(at + 1) || left.shift()
    if (word[at] === 'l') login = value
    if (word[at] === 'o') login ??= /^user[= ]\s*(\S+)$/i.exec(value ?? '')?.[1]
  }
  return null
}

/** `user@host` or `ssh://user@host:port`; a user name may contain an @. */
function written(word: string): SshDestination {
  const isAddress = word.startsWith('ssh://')
  const whole = isAddress ? word.slice('ssh://'.length).replace(/\/$/, '') : word
  const at = whole.lastIndexOf('@')
  const host = whole.slice(at + 1)
  return {
    host: isAddress ? host.replace(/:\d+$/, '') : host,
    user: at === -1 ? undefined : whole.slice(0, at),
  }
}
