import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, openSync, closeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { findProgram } from '../absolute-program.ts'
import { fail, ok, type Failed, type Result } from '../result.ts'
import { connectEngine, type Engine } from './engine.ts'

export type EngineSearch = {
  /** From the configuration: alone, if set. */
  readonly configured: string | null
  readonly env: NodeJS.ProcessEnv
  /** Where a service of our own listens; null: none is started. */
  readonly ownSocket: string | null
}

/** The engine that answers first, or one that we start. */
export async function findEngine(search: EngineSearch): Promise<Result<Engine>> {
  const { configured, env, ownSocket } = search
  const places = configured === null ? usualPlaces(env, ownSocket) : [configured]
  const sockets = [...new Set(places.flatMap(socketOf))]
  for (const socket of sockets) {
    const engine = existsSync(socket) ? await connectEngine(socket) : null
    if (engine) return ok(engine)
  }
  if (configured !== null) return noEngine(sockets)
  const podman = await findProgram('podman', env['PATH'] ?? '')
  if (podman === null || ownSocket === null) return noEngine(sockets)
  const own = await startPodman(podman, ownSocket, env)
  return own ? ok(own) : noEngine([...sockets, podman])
}

const socketOf = (place: string): string[] => {
  const path = place.replace(/^unix:\/\//, '')
  return path.startsWith('/') ? [path] : []
}

function usualPlaces(env: NodeJS.ProcessEnv, ownSocket: string | null): string[] {
  const runtime = env['XDG_RUNTIME_DIR'] ?? `/run/user/${process.getuid?.() ?? 0}`
  const root = process.getuid?.() === 0
  const named = [env['DOCKER_HOST'], env['CONTAINER_HOST'], ownSocket]
  const ofUser = [join(runtime, 'podman/podman.sock'), join(runtime, 'docker.sock')]
  const ofSystem = ['/run/podman/podman.sock', '/run/docker.sock', '/var/run/docker.sock']
  return [...named, ...(root ? [] : ofUser), ...ofSystem].filter((place) => place !== undefined && place !== null)
}

const startMs = 10_000
/** It ends automatically when nobody uses it; an attached container uses it. */
const idleSeconds = 300

/** Detached: it holds the streams of containers, so it must outlive the server. */
async function startPodman(program: string, socket: string, env: NodeJS.ProcessEnv): Promise<Engine | null> {
  mkdirSync(dirname(socket), { recursive: true, mode: 0o700 })
  const log = openSync(`${socket}.log`, 'a', 0o600)
  try {
    const args = ['system', 'service', `--time=${idleSeconds}`, `unix://${socket}`]
    const child = spawn(program, args, { detached: true, stdio: ['ignore', log, log], env: ofPodman(env), cwd: '/' })
    child.on('error', () => {})
    child.unref()
    for (const end = Date.now() + startMs; Date.now() < end && child.exitCode === null;) {
      const engine = existsSync(socket) ? await connectEngine(socket) : null
      if (engine) return engine
      await pause(50)
    }
    return null
  } finally {
    closeSync(log)
  }
}

const wanted = ['PATH', 'HOME', 'USER', 'LOGNAME', 'XDG_RUNTIME_DIR', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'TMPDIR']
const ofPodman = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(wanted.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])))

const noEngine = (tried: readonly string[]): Failed =>
  fail({
    kind: 'unavailable',
    code: 'no_container_engine',
    message: `No container engine answers. Tried: ${tried.join(', ')}.`,
    hint: 'Install one (apt install podman), or use isolation = "sandbox".',
  })
