import { Readable, Writable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { PROTOCOL_VERSION, client, methods, ndJsonStream } from '@agentclientprotocol/sdk'
import type { AgentInfo } from '../../../client/contract/agents.ts'
import type { Json } from '../../../lib/json.ts'
import type { ProbeProcess } from './visitor.ts'

const patienceMs = 20_000
const lastWordsMs = 500

type ProbeResult = Pick<AgentInfo, 'answers' | 'protocolVersion' | 'capabilities' | 'authMethods' | 'error'>

/** Asks an agent that was started for this to introduce itself, and ends it. */
export async function probeAgent(process: ProbeProcess, version: string): Promise<ProbeResult> {
  const { child } = process
  const stream = ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>)
  const connection = client({ name: 'signalbox' }).connect(stream)
  const asked = connection.agent.request(methods.agent.initialize, {
    protocolVersion: PROTOCOL_VERSION,
    clientInfo: { name: 'signalbox', title: 'Signalbox', version },
    clientCapabilities: {},
  })
  const late = new Promise<never>((_resolve, reject) => {
    setTimeout(() => reject(new Error('it did not answer initialize')), patienceMs).unref()
  })
  // What it leaves behind may hold its output open, so that its end does not show there.
  const ended = process.exited
    .then(() => pause(lastWordsMs, null, { ref: false }))
    .then(() => Promise.reject(new Error('it ended before it answered initialize')))
  ended.catch(() => {})
  try {
    const { protocolVersion, agentCapabilities, authMethods } = await Promise.race([asked, ended, late])
    return {
      answers: true,
      protocolVersion,
      capabilities: (agentCapabilities ?? {}) as Json,
      authMethods: (authMethods ?? []) as Json,
      error: null,
    }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { answers: false, protocolVersion: null, capabilities: null, authMethods: [], error: message }
  } finally {
    connection.close()
    await process.end()
  }
}
