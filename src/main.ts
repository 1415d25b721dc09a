import { flushCompileCache } from 'node:module'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { createAgents, worktreesOf } from './agents.ts'
import { createApp } from './app/app.ts'
import { createCatchUp } from './app/catch-up/catch-up.ts'
import { createInputs } from './app/inputs.ts'
import { createAnswerAsk } from './app/use-cases/answer-ask.ts'
import { createSessions } from './app/use-cases/start-session.ts'
import type { Settings } from './domain/slice/context.ts'
import { isLoopback, type LoadedConfig } from './config/index.ts'
import { moveLogOn } from './db/log-offset.ts'
import { migrate } from './db/migrate.ts'
import type { Database } from './db/open.ts'
import { createCommands } from './commands.ts'
import { startDeadlines } from './edges/clock/deadlines.ts'
import { startLostWatch } from './edges/clock/lost-watch.ts'
import { startStallWatch } from './edges/clock/stall-watch.ts'
import { startHttp, type HttpServer } from './edges/http/server.ts'
import { logFollower } from './edges/log/log-follower.ts'
import { proposalFollower } from './edges/policy/proposal-follower.ts'
import { startPolicyReports } from './edges/policy/policy-reports.ts'
import { startPush } from './edges/push/start-push.ts'
import { createWorkspaceLocator } from './edges/workspace/workspace-locator.ts'
import { createWorkspaceMarks } from './edges/workspace/workspace-marks.ts'
import { createPracticeRepo } from './edges/workspace/practice-repo.ts'
import { startCheckpoints } from './edges/workspace/start-checkpoints.ts'
import { checkHealth } from './health.ts'
import { nodeId, prepareHome } from './home.ts'
import { iso, systemClock } from './lib/clock.ts'
import { endOnceSaid, endProcess } from './lib/end-process.ts'
import type { Logger } from './lib/log.ts'
import { realPlace } from './lib/look-at-file.ts'
import { createLogger } from './lib/pino-log.ts'
import { ok, type Fault, type Result } from './lib/result.ts'
import { newSecret, sha256 } from './lib/secret.ts'
import { socketPath } from './lib/socket-path.ts'
import { backUp, databaseFile, openConfigured, shareDatabase } from './maintenance.ts'
import { createMcp } from './mcp.ts'
import { ensurePeople } from './people-at-start.ts'
import { createPolicy } from './policy.ts'
import { startRetention } from './retention.ts'
import { createTerminals } from './terminals.ts'
import { createWorkspaceWork } from './workspace-work.ts'

/** `command` is how the command line is called here, for the words that name it. */
export type ServeIo = { print(text: string): void; version: string; command?: string }

/** config → database → app → edges, until asked to stop; then the same in reverse order. Gives the exit code. */
export async function serve(loaded: LoadedConfig, io: ServeIo): Promise<number> {
  const { config } = loaded
  const pretty = config.log.format === 'pretty' || (config.log.format === 'auto' && process.stderr.isTTY)
  // At a terminal the printed lines are for the person; the log adds what they should worry about.
  const level = pretty && config.log.level === 'info' ? 'warn' : config.log.level
  const { log, drained } = createLogger({ level, format: pretty ? 'pretty' : 'json' })
  const stop = createStop(config.acp.onStop)
  // What goes wrong unseen in one session must not end all others.
  const unseen = (error: unknown) =>
    log.error({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) }, 'unseen')
  process.on('unhandledRejection', unseen)
  await using stack = new AsyncDisposableStack()
  const started = await start(loaded, io, { log, drained, stop }, stack)
  if (!started.ok) {
    io.print(describeFault(started.fault))
    return 1
  }
  log.info(
    { address: started.value.address, version: io.version, database: config.database.url ? 'postgres' : 'sqlite' },
    'ready',
  )
  // Written now, because a server that is killed one day never gets to write it.
  setTimeout(flushCompileCache, 2000).unref()
  await stop.asked
  io.print('Stopping …')
  await stack.disposeAsync()
  const late = new Promise<void>((resolve) => setTimeout(resolve, 500).unref())
  await Promise.race([drained(), late])
  io.print('Stopped.')
  flushCompileCache()
  // All is closed and safe. A reader of the log who does not read, or a program we wait for, would keep us from ending.
  return await endOnceSaid(0)
}

async function start(
  loaded: LoadedConfig,
  io: ServeIo,
  { log, drained, stop }: { log: Logger; drained(): Promise<void>; stop: Stop },
  stack: AsyncDisposableStack,
): Promise<Result<HttpServer>> {
  const { config, dataDir } = loaded
  const home = await prepareHome(dataDir)
  if (!home.ok) return home
  stack.use(home.value)
  const clock = systemClock
  const startedAt = iso(clock.now())
  const opened = await openDatabase(loaded, io)
  if (!opened.ok) return opened
  const database = opened.value
  stack.defer(() => database.close())
  const node = nodeId(dataDir)
  const shared = await shareDatabase({ database, url: config.database.url, nodeId: node, log })
  stack.use(shared)
  const settings = await settingsOf(loaded)
  const policy = createPolicy({ loaded, log })
  const app = await createApp({
    database,
    clock,
    log,
    settings: () => settings,
    policy: policy.policyOf,
    roots: createWorkspaceMarks(worktreesOf(dataDir)),
    nodeId: node,
    ...shared.parts,
  })
  stack.use(app)
  policy.serve(app)
  const { highReviewers, criticalReviewers } = config.approvals
  const owner = await ensurePeople(app, [
    ...new Set([...config.authorizedUserIds, ...highReviewers, ...criticalReviewers]),
  ])
  stack.use(app.follow.run(logFollower(log, drained)))
  stack.use(app.follow.run(proposalFollower(app)))
  stack.use(startPolicyReports({ app, policies: policy.policies, clock, log }))
  stack.use(startDeadlines({ app, clock, log, graceMs: config.timeouts.startupGraceSeconds * 1000 }))
  const recordings = join(dataDir, 'terminals')
  stack.use(
    startRetention({ database, clock, log, retention: config.retention, terminal: config.terminal, recordings }),
  )
  const refused = async (path: string) => {
    log.warn({ path }, 'a path outside the workspace root was refused')
    await app.dispatch(
      { type: 'security.report', what: 'path_refused', detail: path },
      { kind: 'system', name: 'workspace' },
    )
  }
  const workspace = createWorkspaceLocator({
    root: config.agentWorkspaceRoot,
    dataDir,
    worktrees: worktreesOf(dataDir),
    refused,
  })
  const { version } = io
  const work = createWorkspaceWork({ app, clock, log, dataDir, node, refused, endAgent: (id) => agents.gone(id) })
  const { changes, looking, applying, checkpoints } = work
  const { locateWorkspace } = workspace
  const terminals = createTerminals({
    app,
    clock,
    log,
    loaded,
    nodeId: node,
    confine: (id, argv) => agents.confine(id, argv),
  })
  const catchUp = createCatchUp({ app, looks: app.looks, terminals, clock })
  const means = {
    changes,
    looking,
    applying,
    checkpoints,
    terminals,
    inputs: createInputs({ dispatch: app.dispatch, read: app.read.inputsOf(clock), terminals }),
    catchUp,
  }
  const mcp = createMcp({ app, clock, log, loaded, version, locateWorkspace, ...means })
  const door = Promise.withResolvers<{ url: string } | null>()
  let ownPort: number | null = null
  const agents = createAgents({
    app,
    clock,
    log,
    loaded,
    version,
    nodeId: node,
    refused,
    ownTools: { load: mcp.load, door: () => door.promise, ...mcp.tools },
    ownPort: () => ownPort,
  })
  let isOpen = false
  // After the door is closed: nobody starts another one meanwhile.
  stack.defer(async () => {
    const live = agents.live()
    // A server that never opened was not asked to end anybody.
    const fate = isOpen ? stop.agents() : 'keep'
    await agents.stop(fate)
    if (live > 0) io.print(fate === 'keep' ? keptWords(live, io) : `Ended ${live} agent${live === 1 ? '' : 's'}.`)
  })
  // Programs in them go on in the keeper.
  stack.defer(() => terminals.close())
  await applying.resume()
  await agents.adopt()
  await terminals.adoptAll()
  stack.use(startStallWatch({ app, clock, log, settings: () => settings.stall }))
  stack.use(
    startLostWatch({
      app,
      clock,
      log,
      nodeId: node,
      lostAfterMs: config.mcp.lostAfterSeconds * 1000,
      inContact: mcp.inContact,
    }),
  )
  stack.use(startCheckpoints({ app, checkpoints, log }))
  let isLooking: HttpServer['isLooking'] = () => false
  const pushed = { app, clock, log: log.child({ part: 'push' }), ...pushSettings(config) }
  const push = config.push.enabled
    ? stack.use(await startPush({ ...pushed, isLooking: (...who) => isLooking(...who) }))
    : null
  const { tlsCert, tlsKey } = config.http
  const http = await startHttp({
    app,
    clock,
    log: log.child({ part: 'http' }),
    facts: {
      version: io.version,
      dataDirectory: dataDir,
      database: database.flavor.name,
      startedAt,
    },
    doctor: () => checkHealth({ app, database, dataDir, acp: config.acp }),
    tcp: {
      host: config.http.host,
      port: config.httpPort,
      anyPort: loaded.sources['http_port'] === 'default',
      tls: tlsCert !== null && tlsKey !== null ? { cert: tlsCert, key: tlsKey } : null,
    },
    socketPath: socketPath(dataDir, config.ipcName),
    gatePath: socketPath(dataDir, 'gate'),
    publicUrl: config.http.publicUrl,
    allowedHosts: config.http.allowedHosts,
    trustedProxies: config.http.trustedProxies,
    bodyLimit: config.http.bodyLimitBytes,
    locateRepo: workspace.locateRepo,
    findRepos: workspace.findRepos,
    locateAgain: workspace.locateAgain,
    sessions: createSessions({ app, places: workspace, hosting: agents, defaultWorkspace: config.workspaceRoot }),
    answer: createAnswerAsk(app, terminals),
    practiceRepo: createPracticeRepo({
      root: config.agentWorkspaceRoot,
      dataDir,
      locateRepo: workspace.locateRepo,
    }),
    agents,
    mcp,
    checkpoints,
    policy: policy.policies,
    push,
    commands: createCommands(config.commands, refused, (id, argv) => agents.confineOnce(id, argv)),
    undo: applying.undo,
    terminals,
    catchUp,
    silentAfterMs: config.stall.inactivityThresholdSeconds * 1000,
    stop: stop.ask,
  })
  if (!http.ok) return http
  isOpen = true
  isLooking = http.value.isLooking
  ownPort = http.value.port
  door.resolve(config.acp.ownTools ? { url: `${http.value.local}/mcp` } : null)
  stack.use(http.value)
  // Whoever waited at the door is answered first: a commit would keep them waiting, and a person reads the link later.
  await pause(doorFirstMs)
  const code = newSecret('')
  const expiresAt = iso(clock.now() + 10 * 60 * 1000)
  const offered = await app.dispatch(
    { type: 'login.offer', userId: owner, linkHash: sha256(code), expiresAt },
    { kind: 'system', name: 'start' },
  )
  greet(io, http.value, offered.ok ? `${http.value.address}/login?code=${code}` : offered.fault, loaded)
  return http
}

const doorFirstMs = 20

async function openDatabase(loaded: LoadedConfig, io: ServeIo): Promise<Result<Database>> {
  let database: Database | undefined
  try {
    database = await openConfigured(loaded)
    const opened = database
    const migrated = await migrate(database, {
      now: () => iso(Date.now()),
      backup: async (current) => {
        const file = await backUp(opened, loaded.dataDir, current)
        if (file) io.print(`Backed up the database to ${file}`)
      },
    })
    if (migrated.ok) {
      if (await moveLogOn(database))
        io.print('This database comes from another PostgreSQL; its log continues after the old events.')
      return ok(database)
    }
    await database.close()
    return migrated
  } catch (error) {
    await database?.close().catch(() => {})
    const { url } = loaded.config.database
    const place = url === null ? databaseFile(loaded.dataDir) : 'at database.url'
    const reason = database?.flavor.refusal(error)?.message ?? (error instanceof Error ? error.message : String(error))
    const message = `The database ${place} can't be used: ${reason}`
    const hint =
      url === null
        ? 'Copies made before upgrades are in backups/ beside it.'
        : 'Check that it exists and that the password is right.'
    return { ok: false, fault: { kind: 'unavailable', code: 'database_unavailable', message, hint } }
  }
}

/** Workspaces that the configuration names, with their links resolved. */
const vouchedWorkspaces = ({ workspaceRoot, workspace }: LoadedConfig['config']): Promise<string[]> =>
  Promise.all([workspaceRoot, ...workspace.map(({ path }) => path)].flatMap((path) => path ?? []).map(realPlace))

const settingsOf = async ({ config }: LoadedConfig): Promise<Settings> => ({
  stall: {
    enabled: config.stall.enabled,
    inactivityMs: config.stall.inactivityThresholdSeconds * 1000,
    escalationMs: config.stall.escalationThresholdSeconds * 1000,
    maxRetries: config.stall.maxRetries,
    message: config.stall.defaultNudgeMessage,
  },
  timeouts: config.timeouts,
  limits: { mcp: config.maxConcurrentSessions, acp: config.acp.maxSessions, terminal: Number.MAX_SAFE_INTEGER },
  adminsMayAnswer: config.approvals.adminsMayAnswer,
  vouched: await vouchedWorkspaces(config),
  commands: Object.values(config.commands).map(({ command }) => command),
  routing: {
    low: { needed: 1, reviewers: [] },
    high: { needed: config.approvals.highNeeds, reviewers: config.approvals.highReviewers },
    critical: { needed: config.approvals.criticalNeeds, reviewers: config.approvals.criticalReviewers },
  },
})

/** Push services want to know whom to write to; a name nobody can have is better than none. */
const pushSettings = ({ push, http }: LoadedConfig['config']) => ({
  subject: push.subject ?? (http.publicUrl?.startsWith('https:') ? http.publicUrl : 'mailto:nobody@signalbox.invalid'),
  allowPrivate: push.allowPrivateEndpoints,
})

function greet(io: ServeIo, http: HttpServer, link: string | Fault, { config, dataDir, file }: LoadedConfig): void {
  if (http.takenPort !== null)
    io.print(`Port ${http.takenPort} is taken by another program; using another one. Choose your own with --port.`)
  io.print(`
Signalbox is running at ${http.address}

  Sign in     ${typeof link === 'string' ? link : `no link now: ${link.message}`}
              ${typeof link === 'string' ? `(works once, for ten minutes; another: ${io.command ?? 'signalbox'} login)` : (link.hint ?? '')}
  Data        ${dataDir}
  Config      ${file ?? 'defaults; see config.example.toml'}
  API         ${http.address}/api/docs
`)
  if (!isLoopback(config.http.host))
    io.print('It can be reached from other machines. Only people with a login or a token have access.')
  io.print('Stop it with Ctrl-C.')
}

const describeFault = ({ message, hint }: Fault): string =>
  `Signalbox could not start.\n\n  ${message}\n${hint ? `  ${hint}\n` : ''}`

const keptWords = (live: number, io: ServeIo): string =>
  `${live} agent${live === 1 ? ' keeps' : 's keep'} running in the background; the next start reconnects. To end ${live === 1 ? 'it' : 'them'}: ${io.command ?? 'signalbox'} stop`

/** That the server is to stop, and what is to become of its agents. */
type Stop = {
  readonly asked: Promise<void>
  ask(agents: 'end' | 'keep'): void
  agents(): 'end' | 'keep'
}

/** Ctrl-C reaches us from the terminal and again through npm: the second one right after is the same wish. */
function createStop(usual: 'end' | 'keep'): Stop {
  const asked = Promise.withResolvers<void>()
  let agents = usual
  let first = 0
  const heard = () => {
    if (first === 0) {
      first = Date.now()
      asked.resolve()
    } else if (Date.now() - first > 1000) endProcess(130)
  }
  process.on('SIGINT', heard)
  process.on('SIGTERM', heard)
  return {
    asked: asked.promise,
    ask(wanted) {
      // Kept at once: a signal that comes before the answer has left means the same.
      agents = wanted
      setTimeout(asked.resolve, 50)
    },
    agents: () => agents,
  }
}
