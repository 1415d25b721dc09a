import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import { Readable, Writable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { PROTOCOL_VERSION, client, methods, ndJsonStream } from '@agentclientprotocol/sdk'
import type { AgentInfo } from '../../../client/contract/agents.ts'
import type { Json } from '../../../lib/json.ts'
import { endProbe, probeMark } from '../../../keeper-client/client.ts'
import { newRandomId } from '../../../lib/id.ts'
import type { Logger } from '../../../lib/log.ts'
import type { Launch } from '../launch/launch.ts'

const patienceMs = 20_000
const lastWordsMs = 500

type ProbeResult = Pick<AgentInfo, 'answers' | 'protocolVersion' | 'capabilities' | 'authMethods' | 'error'>

export type ProbeProcess = {
  readonly child: ChildProcessByStdio<Writable, Readable, null>
  readonly exited: Promise<void>
  /** Ends it and everything it started, including processes that left its group. */
  end(): Promise<void>
}

/** Starts a short-lived program outside the keeper. */
export function spawnProbe(
  deps: { dataDir: string; log: Logger },
  { cwd, env }: Pick<Launch, 'cwd' | 'env'>,
  [program, ...args]: Launch['argv'],
): ProbeProcess {
  const mark = probeMark(deps.dataDir, newRandomId())
  const child = spawn(program, args, {
    cwd,
    env: { ...env, ...mark.env },
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: true,
  })
  child.stdin.on('error', () => {})
  let hasExited = false
  const exited = once(child, 'exit')
    .catch(() => {})
    .then(() => {
      hasExited = true
    })
  return {
    child,
    exited,
    async end() {
      const { pid } = child
      if (pid !== undefined) await endProbe(() => ({ pid, mark: mark.value, hasExited }), deps.log)
      child.stdout.destroy()
    },
  }
}

/** Sends `initialize` to a probed agent and ends it. */
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
  // A process it left behind may keep its output open, so the exit is watched separately.
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
