import { flushCompileCache } from 'node:module'
import { setTimeout as pause } from 'node:timers/promises'
import type { LoadedConfig } from '../config/index.ts'
import type { HttpServer } from '../edges/http/server.ts'
import { iso, systemClock, type Clock } from '../lib/clock.ts'
import { endOnceSaid } from '../lib/end-process.ts'
import { createLogger } from '../lib/pino-log.ts'
import type { Fault, Result } from '../lib/result.ts'
import { newSecret, sha256 } from '../lib/secret.ts'
import { containerPorts, createAdministrationPart } from './administration.ts'
import { startFollowers, startPushIfEnabled, startWatchers } from './background.ts'
import { createChatBasis, createChats } from './chats.ts'
import type { ServerContext } from './context.ts'
import { createCore, type Core } from './core.ts'
import { nodeId, prepareDataDirectory } from './data-directory.ts'
import { openDatabase, shareDatabase } from './database.ts'
import { createEdges, type Edges } from './edges.ts'
import { createHttpSlot, openHttp } from './http.ts'
import { agentsEnded, agentsKept, couldNotStart, printGreeting, type ServeIo } from './messages.ts'
import { startSchedules } from './schedules.ts'
import { createStop } from './stop.ts'
import { watchWorkspaces } from './workspaces.ts'

/** Runs a server until it is asked to stop. Returns the exit code. */
export async function serve(loaded: LoadedConfig, io: ServeIo): Promise<number> {
  const { config } = loaded
  const { log, drained } = createServerLog(config.log)
  const stop = createStop(config.acp.onStop)
  // A failure that nobody handles in one session must not end all others.
  process.on('unhandledRejection', (error) =>
    log.error({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }, 'unseen'),
  )
  await using stack = new AsyncDisposableStack()
  const clock = systemClock
  const startedAt = iso(clock.now())
  const started = await start({ loaded, io, log, drained, stop, clock, startedAt }, stack)
  if (!started.ok) {
    io.print(couldNotStart(started.fault))
    return 1
  }
  log.info(
    { address: started.value.address, version: io.version, database: config.database.url ? 'postgres' : 'sqlite' },
    'ready',
  )
  // Written early: a server that is killed never gets to write it.
  setTimeout(flushCompileCache, 2000).unref()
  await stop.requested
  io.print('Stopping …')
  await stack.disposeAsync()
  const late = new Promise<void>((resolve) => setTimeout(resolve, 500).unref())
  await Promise.race([drained(), late])
  io.print('Stopped.')
  flushCompileCache()
  // Everything is closed and safe. A log reader that hangs, or a program we wait for, must not keep us from ending.
  return await endOnceSaid(0)
}

/** config → database → app → edges. The stack closes them in reverse order. */
async function start(
  server: Omit<ServerContext, 'nodeId' | 'workspaces'>,
  stack: AsyncDisposableStack,
): Promise<Result<HttpServer>> {
  const { loaded, io, stop } = server

  const directory = await prepareDataDirectory(loaded.dataDir)
  if (!directory.ok) return directory
  stack.use(directory.value)
  const workspaces = stack.use(await watchWorkspaces(server))
  const context: ServerContext = { ...server, nodeId: nodeId(loaded.dataDir), workspaces }

  const opened = await openDatabase(loaded, io.print)
  if (!opened.ok) return opened
  const database = opened.value
  stack.defer(() => database.close())
  const shared = stack.use(await shareDatabase(context, database))

  const core = await createCore(context, { database, shared: shared.parts }, stack)
  startFollowers(context, core, stack)

  const http = createHttpSlot()
  const chatBasis = createChatBasis(context, { database, app: core.app })
  const administration = stack.use(
    createAdministrationPart(
      context,
      { app: core.app, database },
      containerPorts(context, core.app, () => edges),
    ),
  )
  const edges: Edges = createEdges(context, core.app, http, { database, posts: chatBasis.posts, administration })
  // After HTTP has closed, so that nobody starts another agent meanwhile.
  stack.defer(() => stopAgents(edges, http.current === null ? 'keep' : stop.agents(), io))
  // Programs in terminals keep running in the keeper.
  stack.defer(() => edges.terminals.close())
  await resume(edges)
  await administration.start()
  startWatchers(context, core, edges, stack)
  startSchedules(context, { database, core, edges, leases: shared.parts.leases, posts: chatBasis.posts }, stack)
  const push = await startPushIfEnabled(context, core.app, http, stack)

  const chats = stack.use(
    await createChats(context, { database, core, edges, ...chatBasis, leases: shared.parts.leases }),
  )

  const listening = await openHttp(context, { database, core, edges, push, chats: chats.port })
  if (!listening.ok) return listening
  http.set(listening.value)
  stack.use(listening.value)
  // Clients that waited for the port come first: the commit below would delay them, and a person reads the link later.
  await pause(clientsFirstMs)
  printGreeting(io, listening.value, await loginLink(core, context.clock, listening.value.address), loaded)
  return listening
}

const clientsFirstMs = 20

/** At a terminal the printed lines are for the person; the log adds warnings and errors. */
function createServerLog({ format, level }: LoadedConfig['config']['log']) {
  const pretty = format === 'pretty' || (format === 'auto' && process.stderr.isTTY)
  return createLogger({
    level: pretty && level === 'info' ? 'warn' : level,
    format: pretty ? 'pretty' : 'json',
  })
}

/** Continues the work that an earlier server of this node began. */
async function resume({ files, agents, terminals }: Edges): Promise<void> {
  await files.applying.resume()
  await files.gitLife.resume()
  await agents.adopt()
  await terminals.adoptAll()
}

async function stopAgents({ agents }: Edges, fate: 'end' | 'keep', io: ServeIo): Promise<void> {
  const live = agents.live()
  await agents.stop(fate)
  if (live > 0) io.print(fate === 'keep' ? agentsKept(live, io) : agentsEnded(live))
}

async function loginLink({ app, owner }: Core, clock: Clock, address: string): Promise<string | Fault> {
  const code = newSecret('')
  const expiresAt = iso(clock.now() + 10 * 60 * 1000)
  const offered = await app.dispatch(
    { type: 'login.offer', userId: owner, linkHash: sha256(code), expiresAt },
    { kind: 'system', name: 'start' },
  )
  return offered.ok ? `${address}/login?code=${code}` : offered.fault
}
