import { describe, expect, it } from 'vitest'
import { localPortsIn, ownNetwork, type NetworkDeps } from './network.ts'
import { agentDefinitions } from './presets.ts'

const acp = { isolation: 'auto', network: 'auto', localPorts: [], budgetUsd: null } as const
const config = { defaultAgent: null, hostCli: null, hostCliArgs: [], agents: {}, acp }
const gemini = agentDefinitions(config, { command: 'node', args: [] }).get('gemini')!
const deps: NetworkDeps = {
  dataDir: '/data',
  inside: ['/node', '--flag', '/relay.js'],
  gate: '/data/run/gate.sock',
  ownPort: () => 3000,
  guarded: [5432],
  relays: true,
}

describe('the ports an operator names by address', () => {
  it('are found in any text', () => {
    expect(localPortsIn('http://127.0.0.1:11434/v1')).toEqual([11434])
    expect(localPortsIn('{"a":"http://localhost:1","b":"wss://user:pw@[::1]:2/x","c":"https://0.0.0.0:3"}')).toEqual([
      1, 2, 3,
    ])
  })

  it('are none elsewhere, or of another kind', () => {
    const none = [
      'http://example.org:80',
      'postgres://localhost:5432/db',
      '127.0.0.1:99',
      'http://localhost',
      'http://127.0.0.1.evil.example:1',
      'http://localhost:0',
      'http://localhost:99999',
    ]
    expect(none.flatMap(localPortsIn)).toEqual([])
  })
})

describe('a network of its own', () => {
  it('allows what is named, never our own port, and by a variable not the database', () => {
    const agent = {
      ...gemini,
      localPorts: [11434, 3000],
      mcpServers: [
        { name: 'a', url: 'http://localhost:9000/mcp', headers: {} },
        { name: 'b', command: 'x', args: ['--url=http://127.0.0.1:9001'], env: { U: 'http://[::1]:9002' } },
      ],
    }
    const env = {
      BASE: 'http://127.0.0.1:11434',
      OWN: 'http://localhost:3000',
      DB: 'http://localhost:5432',
      HTTP_PROXY: 'http://127.0.0.1:3128',
    }
    const own = ownNetwork(agent, 's', env, deps)
    expect(own.relay).toMatchObject({ ports: [9000, 9001, 9002, 11434], gate: '/data/run/gate.sock' })
    expect(own.relay?.outside).toEqual({ proxy: 'http://127.0.0.1:3128/', direct: '' })
    expect(own.text).toBe(
      'own loopback; lets in 9000, 9001, 9002, 11434 and Signalbox; the outside world through a proxy',
    )
    // The database is allowed only by its port.
    expect(ownNetwork({ ...agent, localPorts: [5432] }, 's', {}, deps).relay?.ports).toContain(5432)
  })

  it('uses ports that no allowed port uses', () => {
    const { env, ownUrl } = ownNetwork({ ...gemini, localPorts: [61_080, 61_081] }, 's', {}, deps)
    expect(env['HTTPS_PROXY']).toBe('http://127.0.0.1:61082')
    expect(ownUrl).toBe('http://127.0.0.1:61083/mcp')
  })

  it('has another socket for another session, and for other ports', () => {
    const of = (id: string, port: number) => ownNetwork({ ...gemini, localPorts: [port] }, id, {}, deps).relay?.socket
    expect(new Set([of('s', 1), of('s', 1), of('s', 2), of('t', 1)]).size).toBe(3)
  })

  it('takes the operator’s proxy from the agent, and leaves none if there is no way out', () => {
    const { env, relay } = ownNetwork({ ...gemini, network: 'none' }, 's', { https_proxy: 'http://p:1' }, deps)
    expect(env).toMatchObject({ HTTPS_PROXY: null, https_proxy: null, NODE_USE_ENV_PROXY: null })
    expect(relay?.outside).toBeNull()
    expect(ownNetwork(gemini, 's', { HTTPS_PROXY: 'socks5://p:1' }, deps).relay?.outside?.proxy).toBeNull()
  })
})
