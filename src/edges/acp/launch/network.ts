import { createHash } from 'node:crypto'
import type { RelaySpec } from '../../../keeper-client/client.ts'
import { socketPath } from '../../../lib/socket-path.ts'
import { unvouchedServers } from '../../../app/agent-group/settings.ts'
import type { AgentDefinition } from './definition.ts'

/** What all agents with their own network share. */
export type NetworkDeps = {
  readonly dataDir: string
  /** Command line of the relay's inner half. */
  readonly inside: readonly [string, ...string[]]
  /** The server's socket for agents; null if they do not get our tools. */
  readonly gate: string | null
  /** Our own port, once known: never reachable. */
  ownPort(): number | null
  /** Ports that an agent's variables must not open: those of our database. */
  readonly guarded: readonly number[]
  /** False for short-lived programs: nothing is reachable. */
  readonly relays: boolean
}

export type OwnNetwork = {
  /** More arguments for bubblewrap, after all mounts. */
  readonly wrap: readonly string[]
  /** What runs before a command inside. */
  readonly entrance: readonly string[]
  /** Variables to set; null unsets. */
  readonly env: Readonly<Record<string, string | null>>
  readonly relay: RelaySpec | null
  /** The URL of our tools inside. */
  readonly ownUrl: string | null
  /** For people. */
  readonly text: string
}

// Above the ephemeral ports of the system and the usual ports of programs.
const proxyPort = 61_080
const gatePort = 61_081
/** The relay's socket inside. */
const insideSocket = '/tmp/.signalbox-relay'

/** Starts the relay, waits until it listens, then replaces the shell with the command. */
const script =
  '[ "$(NODE_OPTIONS= NODE_USE_ENV_PROXY= NODE_EXTRA_CA_CERTS= "$1" "$2" "$3" "$4" &)" = ready ] || exit 125; shift 4; exec "$@"'

/** A separate loopback, with the ports this agent may reach. */
export function ownNetwork(
  agent: AgentDefinition,
  sessionId: string,
  env: Readonly<Record<string, string>>,
  deps: NetworkDeps,
): OwnNetwork {
  const variables = proxyVariables(null)
  if (!deps.relays) return { wrap, entrance: [], env: variables, relay: null, ownUrl: null, text: alone }
  const own = deps.ownPort()
  const found = foundPorts(agent, env).filter((port) => !deps.guarded.includes(port))
  const ports = [...new Set([...agent.localPorts, ...found])].filter((port) => port !== own).toSorted((a, b) => a - b)
  const proxy = agent.network === 'none' ? null : free(proxyPort, ports)
  const gate = deps.gate === null ? null : free(gatePort, [...ports, proxy])
  const outside = agent.network === 'none' ? null : proxyOf(env)
  const spec = { ports, gate: deps.gate, outside }
  const mark = createHash('sha256')
    .update(JSON.stringify([sessionId, spec]))
    .digest('hex')
    .slice(0, 12)
  const relay = { ...spec, socket: socketPath(deps.dataDir, `relay-${mark}`) }
  const doors = gate === null ? [] : own === null ? [gate] : [gate, own]
  const plan = { socket: insideSocket, ports, gate: doors, proxy }
  const [program, ...args] = deps.inside
  return {
    wrap: [...wrap, '--ro-bind', relay.socket, insideSocket],
    entrance: ['/bin/sh', '-c', script, 'sh', program, ...args, JSON.stringify(plan)],
    env: proxyVariables(proxy),
    relay,
    ownUrl: gate === null ? null : `http://127.0.0.1:${gate}/mcp`,
    text: networkText(ports, gate !== null, proxy !== null),
  }
}

const wrap = ['--unshare-net']

const free = (wanted: number, taken: readonly (number | null)[]): number =>
  taken.includes(wanted) ? free(wanted + 2, taken) : wanted

/**
 * Local addresses that the operator configured for the agent are meant to be reachable. What others choose opens no port: the
 * model and effort of a session, and what admins of its agent group set without the machine right.
 */
function foundPorts({ mcpServers, choices, group }: AgentDefinition, env: Readonly<Record<string, string>>): number[] {
  const words = [choices?.model ?? '', choices?.effort ?? '']
  const chosen = words.flatMap((word) => [word, JSON.stringify(word)]).flatMap(localPortsIn)
  const unvouched = group ? unvouchedServers(group.settings) : []
  const others = Object.entries(env).flatMap(([name, value]) => (/^(all|https?|no)_proxy$/i.test(name) ? [] : [value]))
  const servers = mcpServers.flatMap((server) => {
    if (unvouched.includes(server.name)) return []
    return 'url' in server ? [server.url] : [...server.args, ...Object.values(server.env)]
  })
  return [...others, ...servers].flatMap(localPortsIn).filter((port) => !chosen.includes(port))
}

const localUrl =
  /\b(?:http|ws)s?:\/\/(?:[^\s/@"']*@)?(?:localhost|127(?:\.\d{1,3}){3}|0\.0\.0\.0|\[::1\]):(\d{1,5})\b/gi

export const localPortsIn = (text: string): number[] =>
  [...text.matchAll(localUrl)].map(([, port]) => Number(port)).filter((port) => port > 0 && port < 65_536)

/** The outer half uses the operator's proxy. */
export function proxyOf(env: Readonly<Record<string, string>>): { proxy: string | null; direct: string } {
  const value = (name: string) => env[name.toLowerCase()] || env[name]
  const named = value('HTTPS_PROXY') ?? value('HTTP_PROXY') ?? value('ALL_PROXY')
  const url = named === undefined ? null : URL.parse(/^\w+:\/\//.test(named) ? named : `http://${named}`)
  return { proxy: url?.protocol === 'http:' ? url.href : null, direct: value('NO_PROXY') ?? '' }
}

export function proxyVariables(port: number | null): Record<string, string | null> {
  const url = port === null ? null : `http://127.0.0.1:${port}`
  const both = (name: string, value: string | null) => ({ [name]: value, [name.toLowerCase()]: value })
  return {
    ...both('HTTP_PROXY', url),
    ...both('HTTPS_PROXY', url),
    ...both('ALL_PROXY', url),
    ...both('NO_PROXY', url && 'localhost,127.0.0.1,::1'),
    NODE_USE_ENV_PROXY: url && '1',
  }
}

const alone = 'own loopback; lets in nothing'
export const sharedNetwork = "shares this machine's network: it reaches other programs' ports"

function networkText(ports: readonly number[], gate: boolean, outside: boolean): string {
  const entries = [...ports.map(String), ...(gate ? ['Signalbox'] : [])]
  const names =
    entries.length < 2 ? (entries[0] ?? 'nothing') : `${entries.slice(0, -1).join(', ')} and ${entries.at(-1)}`
  return `own loopback; lets in ${names}; ${outside ? 'the outside world through a proxy' : 'nothing outside this machine'}`
}
