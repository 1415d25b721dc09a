import { Agent, type AgentOptions } from 'node:https'
import type { Socket } from 'node:net'
import { connect, type ConnectionOptions } from 'node:tls'
import type { Result } from '../lib/result.ts'

type Created = (error: Error | null, socket: Socket) => void

/** Makes its connections the way the gate dials hosts, so what the gate refuses is refused for these requests too. */
class DialledAgent extends Agent {
  readonly #dial: (host: string) => Promise<Result<Socket>>
  constructor(dial: (host: string) => Promise<Result<Socket>>, options: AgentOptions) {
    super(options)
    this.#dial = dial
  }

  override createConnection(options: ConnectionOptions, created: Created = () => {}): undefined {
    const host = options.host ?? ''
    void this.#dial(host).then((dialled) => {
      if (dialled.ok) created(null, connect({ socket: dialled.value, servername: host, ALPNProtocols: ['http/1.1'] }))
      else created(new Error(dialled.fault.message), null as never)
    })
  }
}

export const outsideAgent = (dial: (host: string) => Promise<Result<Socket>>): Agent =>
  new DialledAgent(dial, { keepAlive: true })
