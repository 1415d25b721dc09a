import { socketPath } from '../../lib/socket-path.ts'
import type { Handler } from '../command.ts'
import { createBridge } from '../mcp/bridge.ts'
import { sessionTargetOf } from '../mcp/session-target.ts'
import { createWire } from '../mcp/wire.ts'
import { startServer } from '../start-server.ts'
import type { bridgeFlags } from '../table/mcp.ts'
import { socketTarget, urlTarget } from '../transport.ts'

const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

/** Runs until the client closes stdin. Stdout belongs to the client; everything else goes to stderr. */
export const bridge: Handler<typeof bridgeFlags> = async ({ flags }, context) => {
  const { dataDir, url, env, configFile, out } = context
  const isRemote = url !== undefined
  // Claude Code passes its session id, so that its hooks and tools share one session.
  const claude = isRemote ? undefined : env['CLAUDE_CODE_SESSION_ID'] || undefined
  const session = flags.session ?? claude
  const workspace = flags.workspace ?? (claude && (env['CLAUDE_PROJECT_DIR'] || undefined))
  const place = sessionTargetOf(
    { workspace, session, workspaceId: flags['workspace-id'] },
    { cwd: process.cwd(), isRemote },
  )
  const token = flags.token ?? (env['SIGNALBOX_TOKEN'] || undefined)
  const target = isRemote
    ? // Some configurations contain the address of the endpoint itself.
      urlTarget(url.replace(/\/mcp\/?$/, ''), token)
    : socketTarget(socketPath(dataDir, await context.ipcName()), dataDir, token)
  const wire = createWire(target, place)
  const isThere = async () => (await wire.absence()) === null
  const start = isRemote ? null : () => startServer({ dataDir, configFile, env, isThere })
  const { stdin, stdout } = process
  const running = createBridge({
    input: stdin,
    output: stdout,
    wire,
    start,
    note: (text) => out.note(`signalbox mcp: ${text}`),
  })
  // A closed client is not an error; the session is still closed properly.
  stdout.removeAllListeners('error')
  stdout.on('error', running.stop)
  for (const signal of signals) process.on(signal, running.stop)
  await running.done
  for (const signal of signals) process.off(signal, running.stop)
  stdin.destroy()
}
