import type { SignInMethod } from '../../../client/contract/agents.ts'
import { isRecord } from '../../../lib/parse-json.ts'
import type { AgentDefinition } from '../launch/definition.ts'

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
const textsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : []
const longest = 500

/** The ways to sign in that an agent lists, whatever else is in them. */
export function signInMethods(listed: unknown): SignInMethod[] {
  if (!Array.isArray(listed)) return []
  return listed.filter(isRecord).flatMap((method): SignInMethod[] => {
    const id = textOf(method['id'])
    if (id === '' || id.length > 200) return []
    const meta = isRecord(method['_meta']) ? method['_meta'] : {}
    const vars = Array.isArray(method['vars']) ? method['vars'].filter(isRecord) : []
    const terminal = isRecord(meta['terminal-auth']) ? meta['terminal-auth'] : null
    const words = terminal === null ? [] : [textOf(terminal['command']), ...textsIn(terminal['args'])]
    return [
      {
        id,
        name: (textOf(method['name']) || id).slice(0, longest),
        description: textOf(method['description']).slice(0, longest),
        variables: vars.map(({ name }) => textOf(name)).filter(isVariable),
        key: isRecord(meta['api-key']),
        command: words[0] ? words.join(' ').slice(0, 2 * longest) : null,
      },
    ]
  })
}

/** A variable whose value people may give an agent: never one that changes which programs run. */
const isVariable = (name: string): boolean =>
  /^[A-Za-z_][A-Za-z0-9_]{0,199}$/.test(name) && !/^(SIGNALBOX_|LD_|DYLD_|NODE_OPTIONS$|PATH$|HOME$)/i.test(name)

/**
 * The command with which people sign in to an agent, in a terminal. It gets the variables of the configuration that say
 * where the agent keeps things, so that it signs in where sessions look; not its keys, since commands of terminals are shown.
 */
export function loginCommand({ login, env, openPaths }: AgentDefinition, program: string): string[] | null {
  if (login === null) return null
  const places = new Set(['HOME', 'PATH', ...openPaths.flatMap((path) => /^\$\{([A-Za-z0-9_]+)/.exec(path)?.[1] ?? [])])
  const set = Object.entries(env).filter(([name]) => places.has(name) || name.startsWith('XDG_'))
  const words = [program, ...login]
  return set.length === 0 ? words : ['/usr/bin/env', ...set.map(([name, value]) => `${name}=${value}`), ...words]
}
