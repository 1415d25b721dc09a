import { request as plainRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import type { SessionTarget } from './session-target.ts'
import { explain, type Target } from '../transport.ts'

/** HTTP to `/mcp`. Connection errors are thrown; every status is a response. */
export type BridgeWire = {
  send(sent: WireRequest): Promise<IncomingMessage>
  /** Null if a server responds, else the error. */
  absence(): Promise<Error | null>
  explain(error: Error): Error
  /** Stops sending a session id that we generated; false if there is none. */
  withoutOwnName(): boolean
}
export type WireRequest = {
  readonly method: 'POST' | 'GET' | 'DELETE'
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal: AbortSignal
}

/** A running server responds at once; one that hangs counts as unreachable. */
const healthPatience = 2000

/** `session` is sent with every message. */
export function createWire(target: Target, session: SessionTarget): BridgeWire {
  const query = new URLSearchParams(session.query)
  let { isOwnName } = session
  const path = () => `${target.basePath}/mcp${query.size === 0 ? '' : `?${query.toString()}`}`
  const call = async (options: RequestOptions, body: string | undefined): Promise<IncomingMessage> => {
    const request = target.options.protocol === 'https:' ? (await import('node:https')).request : plainRequest
    return new Promise((resolve, reject) => {
      const headers: Record<string, string | number> = { ...(options.headers as Record<string, string>) }
      if (target.token !== undefined) headers['authorization'] = `Bearer ${target.token}`
      if (body !== undefined) headers['content-length'] = Buffer.byteLength(body)
      const sent = request({ ...target.options, ...options, headers, agent: false })
      sent.on('response', resolve)
      sent.on('error', reject)
      // A call may be held for hours; TCP keep-alive detects a dead peer.
      sent.on('socket', (socket) => socket.setKeepAlive(true, 30_000))
      sent.end(body)
    })
  }
  return {
    send: ({ method, headers, body, signal }) => call({ method, path: path(), headers, signal }, body),
    async absence() {
      try {
        const signal = AbortSignal.timeout(healthPatience)
        const answer = await call({ method: 'GET', path: `${target.basePath}/healthz`, headers: {}, signal }, undefined)
        answer.resume()
        return (answer.statusCode ?? 0) < 500 ? null : new Error(`The server answered ${answer.statusCode}.`)
      } catch (error) {
        return error instanceof Error ? error : new Error(String(error))
      }
    },
    explain: (error) => explain(error, target),
    withoutOwnName() {
      const was = isOwnName
      isOwnName = false
      if (was) query.delete('session_id')
      return was
    },
  }
}

const hopeless = /^(EACCES|EPERM|CERT_|ERR_TLS|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|ERR_INVALID)/

/** Errors that waiting does not fix. */
export const isHopeless = (error: Error): boolean => 'code' in error && hopeless.test(String(error.code))
