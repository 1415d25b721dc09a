import http from 'node:http'
import type { Socket } from 'node:net'
import { insidePorts, type GateProvider, type GateSpec } from '../lib/container/spec.ts'
import { lazy } from '../lib/lazy.ts'
import { dial, dialOutside, dialThrough } from '../lib/relay/dial.ts'
import { isDirect, notLetOut, openLineRelay } from '../lib/relay/line-relay.ts'
import { isPrivateAddress } from '../lib/relay/own-addresses.ts'
import { ok, type Result } from '../lib/result.ts'

/**
 * The only way out of a container. Inside, the relay listens on the loopback and passes each connection here:
 * to the server's socket for agents, to a provider whose key is added here, or to a host of the allow-list.
 */
export async function openGate(
  spec: GateSpec,
  say: (line: string) => void,
  /** Everything inside listens. */
  up: () => void,
): Promise<Result<Disposable>> {
  const providers = providerServer(spec)
  let refusals = 0
  return openLineRelay({
    socket: spec.socket,
    async reach(line, near) {
      if (line !== 'up') return reach(line, near, spec, providers)
      up()
      near.destroy()
      return ok(null)
    },
    refused(line, why) {
      refusals += 1
      // A hostile agent must not fill the log.
      if (refusals <= mostRefusalsSaid) say(`Signalbox refused a connection: ${line} (${why})`)
    },
  })
}

const mostRefusalsSaid = 20

async function reach(
  line: string,
  near: Socket,
  spec: GateSpec,
  providers: http.Server,
): Promise<Result<Socket | null>> {
  if (line === 'gate') return spec.server === null ? notLetOut : dial({ path: spec.server })
  if (line === `port ${insidePorts.providers}`) {
    near.write('ok\n')
    providers.emit('connection', near)
    near.resume()
    return ok(null)
  }
  const [, host, digits] = /^tcp ([\w.-]{1,255}) (\d{1,5})$/.exec(line) ?? []
  if (host === undefined || digits !== '443' || !isAllowedHost(host, spec.hosts)) return notLetOut
  return dialHost(spec, host)
}

/** Never this machine, and never a private network unless the operator's own proxy leads there. */
function dialHost(spec: GateSpec, host: string): Promise<Result<Socket>> {
  const through = spec.proxy !== null && !isDirect(host, spec.direct) ? URL.parse(spec.proxy) : null
  return through ? dialThrough(through, host, 443) : dialOutside(host, 443, isPrivateAddress)
}

/** `example.org`, or `*.example.org` for every name below it. */
export function isAllowedHost(host: string, allowed: readonly string[]): boolean {
  const name = host.toLowerCase()
  return allowed.some((one) => one === name || (one.startsWith('*.') && name.endsWith(one.slice(1))))
}

/** Never passed on: they belong to one connection, or are ours to set. */
const ownHeaders = /^(connection|keep-alive|proxy-.*|transfer-encoding|upgrade|te|trailer|host)$/i

/** A provider that resolves it would leave the path that the operator gave: the key is for that path alone. */
export const leadsUp = /^[^?#]*(?:[\\/]|%(?:25)*(?:2f|5c))(?:\.|%(?:25)*2e){1,2}(?:[\\/?#;]|%(?:25)*(?:2f|5c|3b)|$)/i

function providerServer(spec: GateSpec): http.Server {
  const env = { ...(spec.proxy !== null && { HTTPS_PROXY: spec.proxy, NO_PROXY: spec.direct }) }
  // TLS is loaded with the first request that needs it: every start would wait for it.
  const secure = lazy(async () => {
    const { Agent, request } = await import('node:https')
    return { request, agent: new Agent({ keepAlive: true, proxyEnv: env }) }
  })
  const outside = lazy(async () => {
    const [{ request }, { outsideAgent }] = await Promise.all([import('node:https'), import('./outside-agent.ts')])
    return { request, agent: outsideAgent((host) => dialHost(spec, host)) }
  })
  const plain = { request: http.request, agent: new http.Agent({ keepAlive: true }) }
  const server = http.createServer((incoming, outgoing) => {
    const [, name = '', rest = ''] = /^\/provider\/([\w-]+)(\/.*|\?.*|)$/.exec(incoming.url ?? '') ?? []
    const provider = spec.providers.find((one) => one.name === name)
    const base = provider && URL.parse(provider.baseUrl)
    if (leadsUp.test(rest)) {
      outgoing.writeHead(400, { 'content-type': 'text/plain' }).end('No ".." in a path.\n')
      return
    }
    if (!provider || !base) {
      const known = spec.providers.map((one) => `/provider/${one.name}`).join(', ') || 'none'
      outgoing.writeHead(404, { 'content-type': 'text/plain' }).end(`Providers here: ${known}\n`)
      return
    }
    const way = provider.outside ? outside.get() : base.protocol === 'http:' ? Promise.resolve(plain) : secure.get()
    void way.then((chosen) => pass(provider, base, rest, { incoming, outgoing, ...chosen }))
  })
  // A model may think for long.
  server.requestTimeout = 0
  server.keepAliveTimeout = 60_000
  return server
}

type Exchange = {
  incoming: http.IncomingMessage
  outgoing: http.ServerResponse
  agent: http.Agent
  request(options: http.RequestOptions): http.ClientRequest
}

function pass(
  provider: GateProvider,
  base: URL,
  rest: string,
  { incoming, outgoing, agent, request: send }: Exchange,
): void {
  const headers: http.OutgoingHttpHeaders = {}
  for (const [name, value] of Object.entries(incoming.headers)) if (!ownHeaders.test(name)) headers[name] = value
  Object.assign(headers, provider.headers)
  const isPlain = base.protocol === 'http:'
  const request = send({
    agent,
    hostname: base.hostname.replace(/^\[|\]$/g, ''),
    port: base.port || (isPlain ? 80 : 443),
    method: incoming.method,
    // Put behind the base as it is, never resolved against it: "//elsewhere" must not leave the host.
    path: base.pathname.replace(/\/$/, '') + (rest === '' ? '' : rest) || '/',
    headers,
  })
  request.on('response', (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.statusMessage, withoutHop(answer.rawHeaders))
    answer.pipe(outgoing)
    answer.on('error', () => outgoing.destroy())
  })
  request.on('error', (error) => {
    if (outgoing.headersSent) outgoing.destroy()
    else outgoing.writeHead(502, { 'content-type': 'text/plain' }).end(`${provider.name}: ${error.message}\n`)
  })
  // An agent that hangs up ends the model's work.
  outgoing.on('close', () => request.destroy())
  incoming.pipe(request)
}

function withoutHop(raw: readonly string[]): string[] {
  const kept: string[] = []
  for (let at = 0; at < raw.length; at += 2) {
    const [name = '', value = ''] = raw.slice(at, at + 2)
    if (!/^(connection|keep-alive|proxy-.*|upgrade|trailer|transfer-encoding)$/i.test(name)) kept.push(name, value)
  }
  return kept
}
