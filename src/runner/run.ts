import { once } from 'node:events'
import { chmodSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { connectEngine, engineAt, EngineError, type Attached, type Engine } from '../lib/container/engine.ts'
import { hostConfig, missingLimits } from '../lib/container/host-config.ts'
import { ownMark } from '../lib/container/process-mark.ts'
import { insideFolder, labels, type RunnerSpec } from '../lib/container/spec.ts'
import { isRecord } from '../lib/parse-json.ts'
import { withTimeLimit } from '../lib/time-limit.ts'
import { watchDisk } from './disk-watch.ts'
import { openGate } from './gate.ts'

const stopSeconds = 5
/** An agent should end when its input has ended. */
const afterInputMs = 10_000
const lastBytesMs = 2000
const lookMs = 10_000
const firstLookMs = 10
const over = new Set(['exited', 'stopped', 'dead', 'removing'])

/** One container from its making to its removal. Gives the code to exit with. */
export async function runContainer(spec: RunnerSpec, say: (line: string) => void): Promise<number> {
  const engine = engineAt(spec.engine)
  const isUp = Promise.withResolvers<void>()
  const gate = await openGate(spec.gate, say, isUp.resolve)
  if (!gate.ok) {
    say(gate.fault.message)
    return 125
  }
  using _gate = gate.value
  const place = dirname(spec.gate.socket)
  // Another user connects from inside; here its parents are closed to others.
  chmodSync(place, 0o755)
  using _place = { [Symbol.dispose]: () => rmSync(place, { recursive: true, force: true }) }
  const made = await make(engine, spec)
  if (typeof made === 'string') {
    say(made)
    return 125
  }
  const { id } = made
  try {
    const [inspected, streams] = await Promise.all([
      engine.call('GET', `/containers/${id}/json`),
      engine.streams(`/containers/${id}/attach?stream=1&stdin=1&stdout=1&stderr=1`),
    ])
    const missing = missingLimits(inspected, spec)
    if (missing.length > 0 && !spec.allowMissingLimits) {
      say(`The engine ignores these limits: ${missing.join(', ')}.`)
      return 125
    }
    return await live({ engine, id, streams, isUp: isUp.promise }, spec, say)
  } finally {
    await removed(engine.socket, id)
  }
}

async function make(engine: Engine, spec: RunnerSpec): Promise<{ id: string } | string> {
  try {
    const body = {
      Image: spec.image,
      Entrypoint: [],
      Cmd: spec.command,
      Env: Object.entries(spec.env).map(([name, value]) => `${name}=${value}`),
      User: spec.user,
      WorkingDir: spec.cwd,
      Hostname: 'container',
      OpenStdin: true,
      // Who holds the input holds the agent's life.
      StdinOnce: true,
      AttachStdin: true,
      AttachStdout: true,
      AttachStderr: true,
      StopSignal: 'SIGTERM',
      Labels: { [labels.install]: spec.install, [labels.session]: spec.session, [labels.runner]: ownMark() },
      HostConfig: hostConfig(engine.kind, {
        ...spec,
        mounts: [...spec.mounts, { from: dirname(spec.gate.socket), to: `${insideFolder}/gate`, write: false }],
      }),
    }
    const made = await engine.call('POST', '/containers/create', { json: body })
    const id = isRecord(made) ? made['Id'] : null
    return typeof id === 'string' ? { id } : 'The engine did not create the container.'
  } catch (error) {
    if (!(error instanceof EngineError)) return `The container engine at ${engine.socket} does not answer.`
    if (error.status === 404) return `No image ${spec.image}: ${error.message}`
    return `The container could not be created: ${error.message}`
  }
}

type Made = { engine: Engine; id: string; streams: Attached; isUp: Promise<void> }

async function live(
  { engine, id, streams, isUp }: Made,
  spec: RunnerSpec,
  say: (line: string) => void,
): Promise<number> {
  await engine.call('POST', `/containers/${id}/start`)
  const watching = new AbortController()
  const rest = Promise.all([once(streams.stdout, 'end'), once(streams.stderr, 'end')].map(quietly))
  const stopped = Promise.withResolvers<void>()
  const stop = stopper(engine, id, stopped.resolve)
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(name, stop)
  watchDisk({ ...spec, pid: () => firstProcess(engine, id) }, watching.signal, (why) => {
    say(`Signalbox stopped the container: ${why}`)
    // At once: a program that fills the disk may take its time with a polite signal.
    void engine.call('POST', `/containers/${id}/kill`).catch(() => {})
  })
  join(streams, isUp, stop)
  try {
    const code = await exitCode(engine, id, Promise.race([rest, stopped.promise]))
    if (!streams.stdout.readableEnded) await withTimeLimit(rest, lastBytesMs)
    return code
  } catch {
    say('The container engine went away, and the agent with it.')
    return 125
  } finally {
    watching.abort()
  }
}

const quietly = (promise: Promise<unknown>): Promise<unknown> => promise.catch(() => {})

async function stateOf(engine: Engine, id: string): Promise<Record<string, unknown>> {
  const inspected = await engine.call('GET', `/containers/${id}/json`)
  const state = isRecord(inspected) ? inspected['State'] : null
  return isRecord(state) ? state : {}
}

async function firstProcess(engine: Engine, id: string): Promise<number | null> {
  const pid = (await stateOf(engine, id).catch(() => null))?.['Pid']
  return typeof pid === 'number' && pid > 0 ? pid : null
}

/**
 * The end of a container shows in the end of its streams; now and then it is looked for without that sign. The engine is never
 * asked to wait: Podman then looks again and again without a pause, which costs half a core for each container.
 */
async function exitCode(engine: Engine, id: string, sign: Promise<unknown>): Promise<number> {
  let ending = false
  const seen = sign.then(() => (ending = true))
  let ms = firstLookMs
  for (;;) {
    await Promise.race([pause(ending ? ms : lookMs, null, { ref: ending }), ...(ending ? [] : [seen])])
    const code = await codeOf(engine, id).catch((error: unknown) => {
      // Podman can't look at a container in the moment of its end. Without a sign, the streams still hold it.
      if (ending && !(error instanceof EngineError && error.status >= 500)) throw error
      return null
    })
    if (code !== null) return code
    if (ending) ms = Math.min(ms * 2, lookMs)
  }
}

/** Null while it runs, or is being stopped. */
async function codeOf(engine: Engine, id: string): Promise<number | null> {
  const { Status: status, ExitCode: code } = await stateOf(engine, id)
  return over.has(String(status)) ? Number(code) : null
}

function stopper(engine: Engine, id: string, stopped: () => void): () => void {
  let asked = 0
  return () => {
    asked += 1
    const how = asked === 1 ? `stop?t=${stopSeconds}` : 'kill'
    void engine.call('POST', `/containers/${id}/${how}`).then(stopped, () => {})
  }
}

function join({ stdin, stdout, stderr }: Attached, isUp: Promise<void>, stop: () => void): void {
  stdout.pipe(process.stdout)
  stderr.pipe(process.stderr)
  // An agent that has heard nothing connects to nothing, so it starts while its network is being opened.
  void isUp.then(() => process.stdin.pipe(stdin))
  // Nobody reads any more: the keeper is gone.
  process.stdout.on('error', stop)
  process.stderr.on('error', () => {})
  process.stdin.once('end', () => setTimeout(stop, afterInputMs).unref())
}

const removeMs = 10_000

/** The engine may be gone, or be gone for a moment; what is left is found by its label. */
async function removed(socket: string, id: string): Promise<void> {
  const engine = await connectEngine(socket)
  if (!engine) return
  const removal = engine.call('DELETE', `/containers/${id}?force=1&v=1`).catch(() => {})
  await withTimeLimit(removal, removeMs)
  engine.close()
}
