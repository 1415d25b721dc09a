import { socketPath } from '../../lib/socket-path.ts'
import type { Handler } from '../command.ts'
import { createBridge } from '../mcp/bridge.ts'
import { placeOf } from '../mcp/place.ts'
import { createWire } from '../mcp/wire.ts'
import { startServer } from '../start-server.ts'
import type { bridgeFlags } from '../table/mcp.ts'
import { socketTarget, urlTarget } from '../transport.ts'

const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

/** Until the client closes its end. Stdout is the client's: whatever else there is to say goes to stderr. */
export const bridge: Handler<typeof bridgeFlags> = async ({ flags }, context) => {
  const { dataDir, url, env, configFile, out } = context
  const isRemote = url !== undefined
  // Claude Code says which of its sessions it is: its hooks and its tools are then one session of ours.
  const claude = isRemote ? undefined : env['CLAUDE_CODE_SESSION_ID'] || undefined
  const session = flags.session ?? claude
  const workspace = flags.workspace ?? (claude && (env['CLAUDE_PROJECT_DIR'] || undefined))
  const place = placeOf({ workspace, session, workspaceId: flags['workspace-id'] }, { cwd: process.cwd(), isRemote })
  const token = flags.token ?? (env['SIGNALBOX_TOKEN'] || undefined)
  const target = isRemote
    ? // Some are told the address of the endpoint itself.
      urlTarget(url.replace(/\/mcp\/?$/, ''), token)
    : socketTarget(socketPath(dataDir, (await context.config()).config.ipcName), dataDir, token)
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
  // A client that closed its end is no error, and goodbye is said all the same.
  stdout.removeAllListeners('error')
  stdout.on('error', running.stop)
  for (const signal of signals) process.on(signal, running.stop)
  await running.done
  for (const signal of signals) process.off(signal, running.stop)
  stdin.destroy()
}
