import { lookup } from 'node:dns/promises'
import { connect, isIP, type Socket, type TcpNetConnectOpts } from 'node:net'
import { fail, ok, type Result } from '../result.ts'
import { isOwnName, ownAddresses } from './own-addresses.ts'

const connectMs = 30_000
const mostHeader = 16 * 1024

/** Connected, and not reading yet. */
export function dial(options: TcpNetConnectOpts | { path: string }): Promise<Result<Socket>> {
  return new Promise((resolve) => {
    const socket = connect({ ...options, allowHalfOpen: true })
    const late = setTimeout(() => socket.destroy(new Error('no answer within 30 s')), connectMs)
    socket.once('connect', () => {
      clearTimeout(late)
      socket.on('error', () => {})
      resolve(ok(socket))
    })
    socket.once('error', (error) => {
      clearTimeout(late)
      resolve(unreachable(error.message))
    })
  })
}

/** Tries addresses that are already resolved, one after another. */
export const dialOneOf = (addresses: readonly string[], port: number): Promise<Result<Socket>> =>
  dial({
    host: 'resolved',
    port,
    autoSelectFamily: true,
    lookup: (_name, _options, done) =>
      done(
        null,
        addresses.map((address) => ({ address, family: isIP(address) })),
      ),
  })

/** Anywhere except this machine. The name is resolved once, so the address that was checked is the one used. */
export async function dialOutside(
  host: string,
  port: number,
  isRefused: (address: string) => boolean = () => false,
): Promise<Result<Socket>> {
  if (isOwnName(host)) return ownMachine(host)
  const addresses = await addressesOf(host)
  if (addresses.length === 0) return unreachable(`no address is known for ${host}`)
  if (addresses.some(ownAddresses())) return ownMachine(host)
  if (addresses.some(isRefused)) return ownNetwork(host)
  const dialled = await dialOneOf(addresses, port)
  if (!dialled.ok) return dialled
  const { remoteAddress = '', localAddress } = dialled.value
  // The address may have become ours in the meantime, and our own address is always this machine.
  if (remoteAddress !== localAddress && !ownAddresses()(remoteAddress)) return dialled
  dialled.value.destroy()
  return ownMachine(host)
}

/** Through the operator's own proxy, which may know names that this machine does not. */
export async function dialThrough(proxy: URL, host: string, port: number): Promise<Result<Socket>> {
  if (isOwnName(host) || (await addressesOf(host)).some(ownAddresses())) return ownMachine(host)
  const dialled = await dial({ host: proxy.hostname.replace(/^\[|\]$/g, ''), port: Number(proxy.port || 80) })
  if (!dialled.ok) return unreachable(`the proxy ${proxy.host}: ${dialled.fault.message}`)
  const target = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`
  const login = Buffer.from(`${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`)
  const authorization = proxy.username === '' ? '' : `Proxy-Authorization: Basic ${login.toString('base64')}\r\n`
  dialled.value.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${authorization}\r\n`)
  const answer = await readUntil(dialled.value, '\r\n\r\n', { most: mostHeader, ms: connectMs })
  const status = answer === null ? null : /^HTTP\/1\.[01] (\d{3})/.exec(answer)?.[1]
  if (status?.startsWith('2')) return dialled
  dialled.value.destroy()
  return unreachable(`the proxy ${proxy.host} answered ${status ?? 'nothing'}`)
}

/** Lookups share a thread pool with file access: a flood of them must block neither. */
const mostLookups = 2
let lookups = 0
const waiting: (() => void)[] = []

async function addressesOf(host: string): Promise<string[]> {
  if (isIP(host) !== 0) return [host]
  if (lookups >= mostLookups) await new Promise<void>((resolve) => void waiting.push(resolve))
  else lookups += 1
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address)
  } catch {
    return []
  } finally {
    const next = waiting.shift()
    if (next) next()
    else lookups -= 1
  }
}

const unreachable = (why: string) => fail({ kind: 'unavailable', code: 'unreachable', message: why })

const ownNetwork = (host: string) =>
  fail({ kind: 'forbidden', code: 'own_network', message: `${host} is in a private network` })

const ownMachine = (host: string) =>
  fail({
    kind: 'forbidden',
    code: 'own_machine',
    message: `${host} is this machine; its ports must be allowed by name (local_ports)`,
  })

/** The text before a mark; null if the mark is late or the text too long. What follows the mark stays unread. */
export function readUntil(
  socket: Socket,
  mark: string,
  { most, ms }: { most: number; ms: number },
): Promise<string | null> {
  return new Promise((resolve) => {
    let read = Buffer.alloc(0)
    const settle = (text: string | null) => {
      clearTimeout(late)
      socket.off('data', take).off('end', ended).off('close', ended).pause()
      resolve(text)
    }
    const ended = () => settle(null)
    const late = setTimeout(ended, ms)
    const take = (bytes: Buffer) => {
      read = Buffer.concat([read, bytes])
      const at = read.subarray(0, most).indexOf(mark)
      if (at === -1) {
        if (read.length >= most) settle(null)
        return
      }
      settle(read.toString('utf8', 0, at))
      const rest = read.subarray(at + mark.length)
      if (rest.length > 0) socket.unshift(rest)
    }
    socket.on('data', take).on('end', ended).on('close', ended)
  })
}
