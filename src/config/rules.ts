import { BlockList, isIP } from 'node:net'
import { presetNames } from './agents.ts'
import { closest } from './closest.ts'
import type { Config } from './schema.ts'

/** A rule between keys. It runs only if none of its keys has a fault. */
export type ConfigRule = {
  readonly keys: readonly string[]
  readonly broken: (
    config: Config,
  ) => { readonly key: string; readonly message: string; readonly hint: string } | undefined
}

export function isLoopback(host: string): boolean {
  if (host === 'localhost') return true
  const family = isIP(host)
  if (family === 0) return false
  const loopback = new BlockList()
  loopback.addSubnet('127.0.0.0', 8, 'ipv4')
  loopback.addAddress('::1', 'ipv6')
  return loopback.check(host, family === 4 ? 'ipv4' : 'ipv6')
}

const exposed: ConfigRule = {
  keys: ['http.host', 'http.tls_cert', 'http.tls_key', 'http.trusted_proxies'],
  broken({ http, httpPort }) {
    const encrypted = http.tlsCert !== null || http.tlsKey !== null
    if (isLoopback(http.host) || encrypted || http.trustedProxies.length > 0) return undefined
    return {
      key: 'http.host',
      message: `${http.host} can be reached from other machines, and tokens and answers would cross the network unencrypted`,
      hint: [
        'To fix it, do one of these:',
        `- keep host = "127.0.0.1" and connect through SSH: ssh -L ${httpPort}:127.0.0.1:${httpPort} you@this-machine`,
        '- serve TLS: set http.tls_cert and http.tls_key',
        '- put a proxy with TLS in front and name its address in http.trusted_proxies',
      ].join('\n'),
    }
  },
}

const tlsPair: ConfigRule = {
  keys: ['http.tls_cert', 'http.tls_key'],
  broken({ http }) {
    if ((http.tlsCert === null) === (http.tlsKey === null)) return undefined
    const [there, missing] = http.tlsKey === null ? ['tls_cert', 'tls_key'] : ['tls_key', 'tls_cert']
    return { key: `http.${there}`, message: `is set, but http.${missing} is not`, hint: 'TLS needs both' }
  },
}

const hostCommand: ConfigRule = {
  keys: ['agents', 'host_cli'],
  broken({ agents, hostCli }) {
    const host = agents['host']
    if (host === undefined || hostCli !== null || host.command !== null || host.preset !== null) return undefined
    return { key: 'agents', message: '[agents.host] has no command', hint: 'set host_cli, or add command = "…"' }
  },
}

const knownDefault: ConfigRule = {
  keys: ['default_agent', 'agents', 'host_cli'],
  broken({ agents, defaultAgent, hostCli }) {
    const names = [...presetNames, ...Object.keys(agents), ...(hostCli === null ? [] : ['host'])]
    if (defaultAgent === null || names.includes(defaultAgent)) return undefined
    const meant = closest(defaultAgent, names)
    const hint = meant === undefined ? `known: ${[...new Set(names)].join(', ')}` : `did you mean "${meant}"?`
    return { key: 'default_agent', message: `agent "${defaultAgent}" not found`, hint }
  },
}

const ownPortNamed: ConfigRule = {
  keys: ['http_port', 'acp.local_ports', 'agents'],
  broken({ acp, agents, httpPort }) {
    const inAgents = Object.entries(agents).find(([, { localPorts }]) => localPorts.includes(httpPort))
    if (inAgents === undefined && !acp.localPorts.includes(httpPort)) return undefined
    return {
      key: inAgents === undefined ? 'acp.local_ports' : `agents.${inAgents[0]}.local_ports`,
      message: `must not include ${httpPort}, Signalbox's own port`,
      hint: 'agents reach our tools without it',
    }
  },
}

export const rules: readonly ConfigRule[] = [exposed, tlsPair, hostCommand, knownDefault, ownPortNamed]
