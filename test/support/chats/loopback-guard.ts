import net from 'node:net'

/**
 * Every chat test imports this, and the servers of chat tests run with `guarded`. A connection to anything but this
 * machine fails, and is remembered, so that a forgotten base URL cannot send a test's messages to a real platform.
 */
export const guarded = { NODE_OPTIONS: `--import=${import.meta.url}` }

type Connect = typeof net.Socket.prototype.connect
type Checked = Connect & { readonly escaped?: string[] }

const isLocal = (host: string | undefined): boolean =>
  host === undefined || host === 'localhost' || host === '::1' || host === '[::1]' || host.startsWith('127.')

/** The host of the arguments of `connect`, in each of its forms; undefined for this machine and for local sockets. */
function hostOf(args: readonly unknown[]): string | undefined {
  const first = Array.isArray(args[0]) ? (args[0] as unknown[])[0] : args[0]
  if (typeof first === 'object' && first !== null) {
    const { host, path } = first as { host?: string | null; path?: string | null }
    return path ? undefined : (host ?? undefined)
  }
  return typeof first === 'number' && typeof args[1] === 'string' ? args[1] : undefined
}

type Lookup = (name: string, options: object, done: (error: Error | null, ...found: unknown[]) => void) => void

/** A caller that looks names up itself is judged by the addresses it finds. False if it does not. */
function checkLookup(args: readonly unknown[]): boolean {
  const first = (Array.isArray(args[0]) ? (args[0] as unknown[])[0] : args[0]) as { lookup?: Lookup }
  const { lookup } = first
  if (typeof lookup !== 'function') return false
  first.lookup = (name, options, done) =>
    lookup(name, options, (error, ...found) => {
      const addresses = [found[0]]
        .flat()
        .map((one) => (typeof one === 'string' ? one : (one as { address: string }).address))
      const far = error ? undefined : addresses.find((address) => !isLocal(address))
      if (far === undefined) return done(error, ...found)
      note(far)
      done(Object.assign(new Error(`not on loopback: ${far}`), { code: 'ENOTLOOPBACK' }))
    })
  return true
}

// Test files share a worker, so the guard may already be there.
const original: Checked = net.Socket.prototype.connect
export const escaped: string[] = original.escaped ?? []

function note(host: string): void {
  escaped.push(host)
  // A test reads the output of its server.
  process.stderr.write(`not on loopback: ${host}\n`)
}

if (!original.escaped) {
  const checked = function connect(this: net.Socket, ...args: unknown[]): net.Socket {
    const host = hostOf(args)
    if (isLocal(host) || checkLookup(args)) return Reflect.apply(original, this, args)
    note(String(host))
    const error = Object.assign(new Error(`not on loopback: ${host}`), { code: 'ENOTLOOPBACK' })
    queueMicrotask(() => this.destroy(error))
    return this
  }
  net.Socket.prototype.connect = Object.assign(checked, { escaped })
}
