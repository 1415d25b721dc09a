import { engineAt, EngineError, type Engine } from '../lib/container/engine.ts'
import { labels, type ExecSpec } from '../lib/container/spec.ts'
import { isList, isRecord } from '../lib/parse-json.ts'

/**
 * The command in a group of its own, for as long as our side of its input is open: if we are killed, nobody else would
 * end it. It gets no input.
 */
const script =
  'exec 3<&0; if command -v setsid >/dev/null 2>&1; then s=setsid; else s=; fi; $s "$@" </dev/null 3<&- & p=$!; ' +
  '{ cat <&3; kill -TERM -$p || kill -TERM $p; sleep 2; kill -KILL -$p || kill -KILL $p; } >/dev/null 2>&1 & w=$!; ' +
  'wait $p; c=$?; kill $w 2>/dev/null; exit $c'

/** For a command in a terminal: everything that carries the mark. */
const endMarked =
  'for e in /proc/[0-9]*/environ; do if grep -q "SIGNALBOX_EXEC=$1" "$e" 2>/dev/null; then p=${e#/proc/}; kill -$2 "${p%/environ}"; fi; done'

export async function runCommand(
  spec: ExecSpec,
  argv: readonly string[],
  say: (line: string) => void,
): Promise<number> {
  const engine = engineAt(spec.engine)
  const container = await find(engine, spec).catch((error: unknown) => {
    if (error instanceof EngineError) throw error
    return undefined
  })
  if (typeof container !== 'string') {
    say(container === null ? "The session's container does not run." : 'The container engine does not answer.')
    return 126
  }
  return process.stdin.isTTY ? inTerminal(engine, container, spec, argv) : plainly(engine, container, spec, argv)
}

async function find(engine: Engine, { install, session }: ExecSpec): Promise<string | null> {
  const wanted = [`${labels.install}=${install}`, `${labels.session}=${session}`]
  const filters = encodeURIComponent(JSON.stringify({ label: wanted, status: ['running'] }))
  const found = await engine.call('GET', `/containers/json?filters=${filters}`)
  const first: unknown = isList(found) ? found[0] : null
  return isRecord(first) && typeof first['Id'] === 'string' ? first['Id'] : null
}

type ExecOptions = { Cmd: readonly string[]; Tty: boolean; Env?: readonly string[]; AttachStdin: boolean }

async function create(engine: Engine, container: string, { user }: ExecSpec, options: ExecOptions): Promise<string> {
  const made = await engine.call('POST', `/containers/${container}/exec`, {
    json: { AttachStdout: true, AttachStderr: true, User: user, WorkingDir: process.cwd(), ...options },
  })
  if (isRecord(made) && typeof made['Id'] === 'string') return made['Id']
  throw new Error('the engine started nothing')
}

async function exitCode(engine: Engine, id: string): Promise<number> {
  const found = await engine.call('GET', `/exec/${id}/json`)
  const code = isRecord(found) ? found['ExitCode'] : null
  return typeof code === 'number' ? code : 125
}

async function plainly(engine: Engine, container: string, spec: ExecSpec, argv: readonly string[]): Promise<number> {
  const Cmd = ['/bin/sh', '-c', script, 'sh', ...argv]
  const id = await create(engine, container, spec, { Cmd, Tty: false, AttachStdin: true })
  const { stdin, stdout, stderr } = await engine.streams(`/exec/${id}/start`, { Detach: false, Tty: false })
  const ended = Promise.all([stdout, stderr].map((stream) => new Promise((resolve) => stream.once('close', resolve))))
  stdout.pipe(process.stdout)
  stderr.pipe(process.stderr)
  const end = () => void stdin.end()
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(name, end)
  process.stdout.on('error', end)
  await ended
  return exitCode(engine, id)
}

async function inTerminal(engine: Engine, container: string, spec: ExecSpec, argv: readonly string[]): Promise<number> {
  const mark = `${process.pid}-${Date.now()}`
  const Env = [`SIGNALBOX_EXEC=${mark}`, `TERM=${process.env['TERM'] ?? 'xterm'}`]
  const id = await create(engine, container, spec, { Cmd: argv, Tty: true, Env, AttachStdin: true })
  const { socket, head } = await engine.open(`/exec/${id}/start`, { Detach: false, Tty: true })
  socket.on('error', () => {})
  const ended = new Promise((resolve) => socket.once('close', resolve))
  const resize = () => {
    const { columns, rows } = process.stdout
    void engine.call('POST', `/exec/${id}/resize?w=${columns}&h=${rows}`).catch(() => {})
  }
  const end = async (name: string): Promise<void> => {
    const Cmd = ['/bin/sh', '-c', endMarked, 'sh', mark, name]
    const ending = await create(engine, container, spec, { Cmd, Tty: false, AttachStdin: false })
    await engine.call('POST', `/exec/${ending}/start`, { json: { Detach: true, Tty: false } })
  }
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
    process.on(name, () => void end(name.slice(3)).catch(() => {}))
  process.stdin.setRawMode(true)
  process.stdout.on('resize', resize)
  if (head.length > 0) process.stdout.write(head)
  socket.pipe(process.stdout, { end: false })
  process.stdin.pipe(socket)
  resize()
  await ended
  process.stdin.setRawMode(false)
  return exitCode(engine, id)
}
