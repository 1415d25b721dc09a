import { spawn } from 'node:child_process'
import { Readable, Writable } from 'node:stream'
import { PROTOCOL_VERSION, client, methods, ndJsonStream } from '@agentclientprotocol/sdk'
import type { AgentInfo } from '../../../client/contract/agents.ts'
import type { Json } from '../../../lib/json.ts'
import type { Launch } from '../launch/launch.ts'

const patienceMs = 20_000

type Answer = Pick<AgentInfo, 'answers' | 'protocolVersion' | 'capabilities' | 'authMethods' | 'error'>

/** Starts an agent for a moment, asks it to introduce itself, and ends it. */
export async function probeAgent(launch: Launch, version: string): Promise<Answer> {
  const [program, ...args] = launch.argv
  const child = spawn(program, args, {
    cwd: launch.cwd,
    env: launch.env,
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: true,
  })
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => resolve())
    child.once('error', () => resolve())
  })
  child.stdin.on('error', () => {})
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
  try {
    const { protocolVersion, agentCapabilities, authMethods } = await Promise.race([asked, late])
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
    endGroup(child.pid)
    await ended
  }
}

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // It went by itself.
  }
}
