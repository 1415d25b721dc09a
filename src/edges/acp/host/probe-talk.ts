import { Readable, Writable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { PROTOCOL_VERSION, client, methods, ndJsonStream, type InitializeResponse } from '@agentclientprotocol/sdk'
import { isLate, lateText, waitWhileItWorks } from '../../../lib/patience.ts'
import { isRecord } from '../../../lib/parse-json.ts'
import type { ProbeProcess } from './probe-process.ts'

const restOfOutputMs = 500
const authRequired = -32_000

/** What is asked of an agent that runs only for this. */
type ProbeTalk = {
  initialize(): Promise<InitializeResponse>
  authenticate(methodId: string, meta: Record<string, unknown> | null): Promise<void>
  /** Whether it opens a session; false: somebody must sign in first. Other refusals are thrown. */
  opensSession(cwd: string): Promise<boolean>
}

/** Talks to a probed agent, and ends it. */
export async function talkTo<T>(
  process: ProbeProcess,
  { version, patienceMs }: { version: string; patienceMs: number },
  talk: (agent: ProbeTalk) => Promise<T>,
): Promise<T> {
  const { child } = process
  const stream = ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>)
  const connection = client({ name: 'signalbox' }).connect(stream)
  const patiently = async <A>(what: string, asked: Promise<A>): Promise<A> => {
    // A process it left behind may keep its output open, so the exit is watched separately.
    const ended = process.exited
      .then(() => pause(restOfOutputMs, null, { ref: false }))
      .then(() => Promise.reject(new Error(`it ended before it answered ${what}`)))
    ended.catch(() => {})
    const answer = await waitWhileItWorks(Promise.race([asked, ended]), { ms: patienceMs, effort: process.effort })
    if (isLate(answer)) throw new Error(`it did not answer ${what} ${lateText(answer, patienceMs)}`)
    return answer
  }
  try {
    return await talk({
      initialize: () =>
        patiently(
          'initialize',
          connection.agent.request(methods.agent.initialize, {
            protocolVersion: PROTOCOL_VERSION,
            clientInfo: { name: 'signalbox', title: 'Signalbox', version },
            // Some list their methods only for clients with a terminal.
            clientCapabilities: { auth: { terminal: true }, _meta: { 'terminal-auth': true } },
          }),
        ),
      async authenticate(methodId, meta) {
        const asked = { methodId, ...(meta !== null && { _meta: meta }) }
        await patiently('authenticate', connection.agent.request(methods.agent.authenticate, asked))
      },
      opensSession: (cwd) =>
        patiently('session/new', connection.agent.request(methods.agent.session.new, { cwd, mcpServers: [] })).then(
          async ({ sessionId }) => {
            // It was opened only to see whether it can be. Not all agents can forget one.
            await patiently('session/delete', connection.agent.request('session/delete', { sessionId })).catch(() => {})
            return true
          },
          (error: unknown) => {
            if (isRecord(error) && error['code'] === authRequired) return false
            throw error
          },
        ),
    })
  } finally {
    connection.close()
    await process.end()
  }
}

/** What an agent said was wrong, in one line. */
export function refusalText(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  const data = isRecord(error) ? error['data'] : undefined
  const detail = typeof data === 'string' ? data : isRecord(data) ? (data['details'] ?? data['message']) : undefined
  return typeof detail === 'string' && detail !== message ? `${message}: ${detail}` : message
}
