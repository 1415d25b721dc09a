import { RequestError, methods, type ClientApp } from '@agentclientprotocol/sdk'
import type { ChildInfo, ChildSpec, Exit, RelaySpec } from '../../../keeper-client/client.ts'
import type { Ask } from '../../../domain/ask/schema.ts'
import { maskedRun, runSubject, runTitle, type Run } from '../../../domain/ask/run.ts'
import { canonicalJson } from '../../../lib/json.ts'
import { type Result, fail, ok } from '../../../lib/result.ts'
import { createSerialQueue } from '../../../lib/serial-queue.ts'
import type { HeldCall } from '../transcript/recorder.ts'
import { askDefaults, type AskForCall, type CallDeps } from './ask-for-call.ts'
import { createExitWaits } from './exit-waits.ts'

/** Programs run for an agent: children of the keeper, confined like the agent. */
export type AgentTerminals = {
  /** Whether the agent was offered terminals. */
  offered: boolean
  /** The confined command. Requested variables are set inside the sandbox only. */
  confine(argv: Argv, wanted: EnvVariables): Promise<Result<{ argv: Argv; env: EnvVariables; relay?: RelaySpec }>>
  /** The real path of a directory inside the workspace. */
  cwd(path: string | null): Promise<string | null>
}

type Argv = readonly [string, ...string[]]

const usualOutput = 256 * 1024
const mostOutput = 4 * 1024 * 1024
const mostTerminals = 32

/** Whether a held call waits for a person rather than for a program. */
export const waitsForPerson = ({ message }: HeldCall): boolean =>
  !('method' in message) || message.method !== methods.client.terminal.waitForExit

export const terminalPrefix = (childId: string): string => `${childId}~`

export function mountTerminalCalls(app: ClientApp, deps: CallDeps, askForCall: AskForCall): void {
  const { shared, childId, terminals, approvals } = deps
  const { keeper } = shared
  // Without handlers, these calls are answered as unknown methods.
  if (!terminals.offered) return
  const exits = createExitWaits(keeper, deps.closing)
  /** One at a time, so that two can't take the last free terminal. */
  const spawns = createSerialQueue()

  const own = async (): Promise<ChildInfo[]> =>
    (await keeper.list()).filter(({ id }) => id.startsWith(terminalPrefix(childId)))

  /** Finds a terminal of this agent. */
  async function find(id: string): Promise<ChildInfo> {
    const child = (await own()).find((one) => one.id === id)
    if (!child) throw new RequestError(-32002, `No such terminal: ${id}.`)
    return child
  }

  async function checkRoom(id: string): Promise<void> {
    const others = (await own()).filter((one) => one.id !== id)
    if (others.length < mostTerminals) return
    const what = `${mostTerminals} terminals are open, which is the limit. Release one and try again.`
    throw new RequestError(-32000, what)
  }

  const isCancelled = () => deps.recorder.notes.turn?.cancelled === true

  async function spawn(spec: ChildSpec): Promise<void> {
    await checkRoom(spec.id)
    if (isCancelled()) throw new RequestError(-32000, 'The turn was cancelled.')
    const spawned = await keeper.spawn(spec)
    if (!spawned.ok) throw new RequestError(-32603, spawned.fault.message)
    // Cancelled meanwhile: those who ended the others did not see it yet.
    if (isCancelled()) await keeper.end(spec.id, 0)
  }

  app.onRequest(methods.client.terminal.create, async ({ params, requestId, signal }) => {
    const offset = deps.offsetOf(requestId)
    const id = `${terminalPrefix(childId)}${offset}`
    const args = params.args ?? []
    const cwd = await terminals.cwd(params.cwd ?? null)
    if (cwd === null) throw new RequestError(-32602, `${params.cwd} is outside the workspace.`)
    const wanted = requestedEnv(params.env ?? [])
    if (!wanted.ok) throw new RequestError(-32602, wanted.fault.message)
    await checkRoom(id)
    // Without arguments the command is a shell line; with arguments it is a program.
    const words =
      args.length === 0
        ? { argv: null, script: withoutBlanks(params.command) }
        : { argv: [params.command, ...args], script: null }
    const run: ProcessRun = { kind: 'process', ...words, cwd, env: wanted.value }
    // An approval does not cover another directory or variables: the person did not see them.
    const usual = Object.keys(wanted.value).length === 0 && cwd === (await terminals.cwd(null))
    if (!usual || !approvals.coversCommand(params.command, args, offset)) {
      const ask = await askForCall(
        requestId,
        { ...askDefaults, title: runTitle(run), subject: runSubject(run) },
        signal,
      )
      if (ask.answer?.outcome !== 'approve') throw new RequestError(-32000, 'The command was not approved.')
      if (!isAbout(ask, run)) throw new RequestError(-32000, 'Another command was approved. Ask again.')
    }
    const confined = await terminals.confine(argvOf(run), wanted.value)
    if (!confined.ok) throw new RequestError(-32000, confined.fault.message)
    const ring = Math.min(mostOutput, Math.max(1024, params.outputByteLimit ?? usualOutput))
    await spawns.run(() => spawn({ id, ...confined.value, cwd, label: { of: childId }, output: { ring } }))
    return { terminalId: id }
  })

  app.onRequest(methods.client.terminal.output, async ({ params }) => {
    const child = await find(params.terminalId)
    const { text, truncated } = await keeper.read(params.terminalId)
    const output = new TextDecoder().decode(truncated ? fromCharacter(text) : text)
    return { output, truncated, exitStatus: child.exit && statusOf(child.exit) }
  })

  app.onRequest(methods.client.terminal.waitForExit, async ({ params, requestId }) => {
    const child = await find(params.terminalId)
    if (child.exit) return statusOf(child.exit)
    const offset = deps.offsetOf(requestId)
    const message = deps.callAt(offset)
    if (message) deps.recorder.hold({ offset, message })
    await deps.recorder.flush()
    deps.recorder.kept(offset)
    const exit = await exits.of(child)
    if (!exit.ok) throw new RequestError(-32002, 'Terminal not found.')
    return statusOf(exit.value)
  })

  app.onRequest(methods.client.terminal.kill, async ({ params }) => {
    await find(params.terminalId)
    exits.ended(params.terminalId, await keeper.end(params.terminalId, 0))
    return {}
  })

  app.onRequest(methods.client.terminal.release, async ({ params }) => {
    await find(params.terminalId)
    exits.ended(params.terminalId, await keeper.end(params.terminalId, 0))
    await keeper.forget(params.terminalId)
    return {}
  })
}

/** As shown to people. Blanks around a script are dropped, except after a trailing backslash. */
const withoutBlanks = (script: string): string => (script.trim().endsWith('\\') ? script : script.trim())

type ProcessRun = Extract<Run, { kind: 'process' }>

function argvOf({ argv, script }: ProcessRun): Argv {
  const [program, ...args] = argv ?? ['/bin/sh', '-c', script ?? '']
  return [program ?? '', ...args]
}

/** An ask from before a restart may be from another version, or about another command. */
const isAbout = ({ subject }: Ask, run: ProcessRun): boolean =>
  subject.kind === 'command' &&
  subject.run !== undefined &&
  canonicalJson(subject.run) === canonicalJson(maskedRun(run))

const statusOf = ({ code, signal }: Exit) => ({ exitCode: code, signal })

/** Drops the rest of a character that was cut at the front. */
function fromCharacter(bytes: Uint8Array): Uint8Array {
  let start = 0
  while (start < Math.min(4, bytes.length) && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1
  return bytes.subarray(start)
}

type EnvVariables = Readonly<Record<string, string>>

/** Checks variables that an agent requests for a program: plain shell names, and none of ours. */
export function requestedEnv(wanted: readonly { name: string; value: string }[]): Result<EnvVariables> {
  for (const { name, value } of wanted) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
      return refused(`${JSON.stringify(name.slice(0, 100))} is not a variable name`)
    if (name.toUpperCase().startsWith('SIGNALBOX_')) return refused(`${name} is set only by Signalbox`)
    if (value.includes('\0')) return refused(`the value of ${name} has a zero byte`)
  }
  return ok(Object.fromEntries(wanted.map(({ name, value }) => [name, value])))
}

const refused = (why: string) =>
  fail({ kind: 'invalid', code: 'variable_refused', message: `The command can't be run: ${why}.` })
