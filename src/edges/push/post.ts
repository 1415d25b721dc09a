import { Agent as HttpAgent, request as httpRequest } from 'node:http'
import type { Agent } from 'node:https'
import { isIP } from 'node:net'
import { once } from '../../lib/lazy.ts'
import { isPrivateAddress, PrivateAddress, publicLookup } from './private-addresses.ts'

export type PushMessage = {
  readonly endpoint: string
  readonly headers: Readonly<Record<string, string | number>>
  readonly body: Buffer
}

/** The reply of a push service, with the beginning of its body. */
export type PushReply = { readonly status: number; readonly retryAfter: string | null; readonly body: string }

export type Post = (message: PushMessage, signal: AbortSignal) => Promise<PushReply>

const mostRead = 1000

/** Loaded with the first message: a start needs none. */
const https = once(() => process.getBuiltinModule('node:https'))

/**
 * Sends a message to a push service, without redirects, with a limit on time and on the reply. Users choose the endpoint,
 * so its address is checked when the connection is made.
 */
export function createPost(options: { allowPrivate: boolean; timeoutMs: number }): Post & Disposable {
  const keep = { keepAlive: true, timeout: 30_000 }
  const httpAgent = new HttpAgent(keep)
  let httpsAgent: Agent | undefined

  const post: Post = (message, signal) => {
    const url = new URL(message.endpoint)
    const host = url.hostname.replace(/^\[|\]$/g, '')
    // Literal addresses need no lookup, so they are checked here.
    if (!options.allowPrivate && isIP(host) !== 0 && isPrivateAddress(host))
      return Promise.reject(new PrivateAddress(host))
    const secure = url.protocol === 'https:'
    const bounded = AbortSignal.any([signal, AbortSignal.timeout(options.timeoutMs)])
    return new Promise((resolve, reject) => {
      const outgoing = (secure ? https().request : httpRequest)(
        url,
        {
          method: 'POST',
          headers: { ...message.headers },
          agent: secure ? (httpsAgent ??= new (https().Agent)(keep)) : httpAgent,
          signal: bounded,
          ...(!options.allowPrivate && { lookup: publicLookup }),
        },
        (incoming) => {
          let body = ''
          const settle = () =>
            resolve({
              status: incoming.statusCode ?? 0,
              retryAfter: incoming.headers['retry-after'] ?? null,
              body: body.slice(0, mostRead),
            })
          incoming.setEncoding('utf8')
          incoming.on('data', (chunk: string) => {
            body += chunk
            if (body.length <= mostRead) return
            settle()
            incoming.destroy()
          })
          incoming.on('end', settle)
          // The status arrived; a broken body does not matter.
          incoming.on('error', settle)
        },
      )
      outgoing.on('error', (error) =>
        reject(
          bounded.aborted && !signal.aborted ? new Error(`no answer within ${options.timeoutMs / 1000} s`) : error,
        ),
      )
      outgoing.end(message.body)
    })
  }
  return Object.assign(post, {
    [Symbol.dispose]() {
      httpAgent.destroy()
      httpsAgent?.destroy()
    },
  })
}
