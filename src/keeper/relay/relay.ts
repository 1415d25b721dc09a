import type { Socket } from 'node:net'
import type { Logger } from '../../lib/log.ts'
import { dial, dialOneOf, dialOutside, dialThrough } from '../../lib/relay/dial.ts'
import { isDirect, notLetOut, openLineRelay } from '../../lib/relay/line-relay.ts'
import { ok, type Result } from '../../lib/result.ts'
import type { RelaySpec } from '../protocol/types.ts'

export type Relays = {
  /** Open when it resolves. Dispose of it when the child is gone. */
  hold(spec: RelaySpec): Promise<Result<Disposable>>
}

/** A hostile child must not fill the log. */
const mostRefusalsLogged = 50

export function createRelays(log: Logger): Relays {
  const open = new Map<string, { opening: Promise<Result<Disposable>>; holders: number }>()

  function letGo(socket: string): void {
    const relay = open.get(socket)
    if (!relay) return
    relay.holders -= 1
    if (relay.holders > 0) return
    open.delete(socket)
    void relay.opening.then((opened) => opened.ok && opened.value[Symbol.dispose]())
  }

  return {
    async hold(spec) {
      const relay = open.get(spec.socket) ?? { opening: openRelay(spec, log), holders: 0 }
      relay.holders += 1
      open.set(spec.socket, relay)
      const opened = await relay.opening
      if (!opened.ok) letGo(spec.socket)
      let held = opened.ok
      return opened.ok
        ? ok({
            [Symbol.dispose]() {
              if (held) letGo(spec.socket)
              held = false
            },
          })
        : opened
    },
  }
}

async function openRelay(spec: RelaySpec, log: Logger): Promise<Result<Disposable>> {
  let refusals = 0
  return openLineRelay({
    socket: spec.socket,
    reach: (line) => reach(line, spec),
    refused(line, why) {
      refusals += 1
      if (refusals <= mostRefusalsLogged) log.info({ line, why }, 'a connection of a child was refused')
    },
  })
}

async function reach(line: string, spec: RelaySpec): Promise<Result<Socket>> {
  if (line === 'gate') return spec.gate === null ? notLetOut : dial({ path: spec.gate })
  const [, allowed] = /^port (\d{1,5})$/.exec(line) ?? []
  if (allowed !== undefined)
    return spec.ports.includes(Number(allowed)) ? dialOneOf(['127.0.0.1', '::1'], Number(allowed)) : notLetOut
  const [, host, digits] = /^tcp ([\w.:%-]{1,255}) (\d{1,5})$/.exec(line) ?? []
  const port = Number(digits)
  if (host === undefined || port < 1 || port > 65_535 || spec.outside === null) return notLetOut
  const { proxy, direct } = spec.outside
  const through = proxy !== null && !isDirect(host, direct) ? URL.parse(proxy) : null
  return through ? dialThrough(through, host, port) : dialOutside(host, port)
}
