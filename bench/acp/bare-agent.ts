import { spawn } from 'node:child_process'
import { Readable, Writable } from 'node:stream'
import {
  client,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  type McpServer,
  type SessionUpdate,
} from '@agentclientprotocol/sdk'

/** An agent started without Signalbox. */
export type Command = { argv: readonly [string, ...string[]]; env: Record<string, string>; cwd: string }

/** One agent with only the SDK: started and prompted once. */
export type BareAgent = AsyncDisposable & { prompt(text: string): Promise<void> }

const running = new Set<number>()
// The whole process group: some agents are launchers of the real program.
const kill = (pid: number) => running.delete(pid) && process.kill(-pid, 'SIGKILL')
process.once('exit', () => running.forEach(kill))

export async function startBareAgent(
  command: Command,
  heard: (update: SessionUpdate) => void,
  mcpServers: McpServer[] = [],
): Promise<BareAgent> {
  const [program, ...args] = command.argv
  const { env, cwd } = command
  const child = spawn(program, args, { env, cwd, detached: true, stdio: ['pipe', 'pipe', 'ignore'] })
  const pid = child.pid ?? 0
  if (pid > 0) running.add(pid)
  const ended = new Promise<void>((resolve) =>
    child.once('close', () => {
      running.delete(pid)
      resolve()
    }),
  )
  const stream = ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout))
  const connection = client({ name: 'bench' })
    .onNotification(methods.client.session.update, ({ params }) => heard(params.update))
    .connect(stream)
  const { agent } = connection
  await agent.request(methods.agent.initialize, { protocolVersion: PROTOCOL_VERSION, clientCapabilities: {} })
  const { sessionId } = await agent.request(methods.agent.session.new, { cwd, mcpServers })
  return {
    async prompt(text) {
      await agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: 'text', text }] })
    },
    async [Symbol.asyncDispose]() {
      connection.close()
      kill(pid)
      await ended
    },
  }
}
