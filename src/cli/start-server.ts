import { spawn } from 'node:child_process'
import { closeSync, mkdirSync, openSync, readFileSync, renameSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { exit, Failure } from './failure.ts'
import { lockHolder } from './server-process.ts'

type Deps = {
  dataDir: string
  configFile: string | undefined
  env: NodeJS.ProcessEnv
  isThere(): Promise<boolean>
  /** How this command line was started; the server starts the same way. */
  program?: readonly [node: string, ...args: string[]]
  patienceMs?: number
  /** More arguments of `serve`. */
  serveArgs?: readonly string[]
}

const mostLogBytes = 10 * 1024 * 1024
const mostLaunches = 3
const betweenLaunchesMs = 1000
const everyMs = 50

export const serverLog = (dataDir: string): string => join(dataDir, 'run', 'server.log')

/** Starts a server that outlives this process, and waits until one answers: ours, or another that was faster. */
export async function startServer(deps: Deps): Promise<void> {
  const end = performance.now() + (deps.patienceMs ?? 30_000)
  let launched: LaunchedServer | null = null
  let launches = 0
  let next = 0
  while (performance.now() < end) {
    if (await deps.isThere()) return
    const now = performance.now()
    const isOurs = launched !== null && !launched.hasEnded()
    // The lock holder is starting or stopping.
    if (!isOurs && lockHolder(deps.dataDir) === null && now >= next) {
      if (launches === mostLaunches) break
      launches += 1
      next = now + betweenLaunchesMs
      launched = launch(deps)
    }
    await delay(everyMs)
  }
  throw new Failure({
    exit: exit.noServer,
    code: 'server_not_started',
    message: `No Signalbox is running for ${deps.dataDir}, and starting one failed${launched ? `: ${launched.lastWords()}` : '.'}`,
    hint: `See ${serverLog(deps.dataDir)}, or start it yourself with: signalbox serve`,
  })
}

type LaunchedServer = { hasEnded(): boolean; lastWords(): string }

function launch({ dataDir, configFile, env, program, serveArgs = [] }: Deps): LaunchedServer {
  const [node, ...args] = program ?? [process.execPath, process.argv[1] ?? '']
  const file = serverLog(dataDir)
  const log = openLog(file)
  const before = statSync(file).size
  let ended = false
  let reason = ''
  const config = configFile ?? (env['SIGNALBOX_CONFIG'] || undefined)
  const named = config === undefined ? [] : ['--config', resolve(config)]
  // In the data directory, so that it does not keep the project's folder in use.
  const child = spawn(node, [...args, 'serve', '--home', dataDir, ...named, ...serveArgs], {
    cwd: dataDir,
    env: environment(env),
    detached: true,
    windowsHide: true,
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  child.on('error', (error) => {
    ended = true
    reason = error.message
  })
  child.on('exit', () => {
    ended = true
  })
  child.unref()
  const lastWords = () => {
    const said = readFileSync(file).subarray(before).toString().trim()
    return (reason || said.split('\n').slice(-6).join('\n') || 'it printed nothing') + '\n'
  }
  return { hasEnded: () => ended, lastWords }
}

/** Variables of the project, editor or agent that started us must not reach a shared server. */
const notPassedOn =
  /^(PORT|SIGNALBOX_(URL|TOKEN|HOME|CHILD|SESSION|SESSION_ID)|NODE_OPTIONS|NODE_ENV|ELECTRON_\w+|VSCODE_\w+|CLAUDECODE|CLAUDE_CODE_(ENTRYPOINT|SSE_PORT))$/

const environment = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !notPassedOn.test(name)))

function openLog(path: string): number {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  if (size > mostLogBytes) renameSync(path, `${path}.1`)
  return openSync(path, 'a', 0o600)
}
