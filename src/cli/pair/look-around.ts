import { execFile } from 'node:child_process'
import { networkInterfaces } from 'node:os'
import { promisify } from 'node:util'
import { findProgram } from '../../lib/find-program.ts'
import { isRecord, jsonOrNull } from '../../lib/parse-json.ts'
import type { Surroundings } from './ways.ts'

const run = promisify(execFile)
const patienceMs = 5000

/** Looks for programs and addresses; asks nobody outside this machine. */
export async function lookAround(port: number, env: NodeJS.ProcessEnv): Promise<Surroundings> {
  const program = (name: string) => findProgram(name, '/', env)
  const tailscale = program('tailscale')
  return {
    port,
    tailscale: tailscale === null ? null : await tailscaleState(tailscale, env),
    cloudflared: program('cloudflared') !== null,
    openssl: program('openssl') !== null,
    proxies: ['caddy', 'nginx'].filter((name) => program(name) !== null),
    addresses: ownAddresses(),
  }
}

async function tailscaleState(program: string, env: NodeJS.ProcessEnv) {
  const said = await run(program, ['status', '--json'], { timeout: patienceMs, env }).catch(() => null)
  const state = said && jsonOrNull(said.stdout, isRecord)
  const self = isRecord(state?.['Self']) ? state['Self'] : {}
  const name = typeof self['DNSName'] === 'string' ? self['DNSName'].replace(/\.$/, '') : ''
  // It goes into the configuration.
  const isName = /^[a-z0-9-]+(\.[a-z0-9-]+)+$/i.test(name)
  return { name: isName ? name : null, running: state?.['BackendState'] === 'Running' }
}

/** IPv4 addresses that others in the network can reach. */
const ownAddresses = (): string[] =>
  Object.values(networkInterfaces()).flatMap((all) =>
    (all ?? []).filter(({ family, internal }) => family === 'IPv4' && !internal).map(({ address }) => address),
  )
