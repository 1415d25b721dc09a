import type { Agent as HttpsAgent, AgentOptions } from 'node:https'
import type { Socket } from 'node:net'
import type { ConnectionOptions } from 'node:tls'
import type { Result } from '../lib/result.ts'

// With the first request that needs it: in a bundle an import would be at the top, where every start waits for it.
const { Agent } = process.getBuiltinModule('node:https')
const { connect } = process.getBuiltinModule('node:tls')

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

export const outsideAgent = (dial: (host: string) => Promise<Result<Socket>>): HttpsAgent =>
  new DialledAgent(dial, { keepAlive: true })
