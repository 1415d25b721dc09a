import { RequestError, methods, type ClientApp } from '@agentclientprotocol/sdk'
import type { Exit, Keeper } from '../../../keeper/client.ts'
import { oneLine, plain, type Asking, type CallDeps } from './asking.ts'
import type { HeldCall } from '../transcript/recorder.ts'

/** Programs an agent has us run: children of the keeper, confined like the agent itself. */
export type Terminals = {
  /** How a program is really started, and in which surroundings. */
  confine(
    argv: readonly [string, ...string[]],
    env: Readonly<Record<string, string>>,
  ): Promise<{
    argv: readonly [string, ...string[]]
    env: Readonly<Record<string, string>>
  }>
  /** The real path of a directory inside the workspace. */
  cwd(path: string | null): Promise<string | null>
}

const usualOutput = 256 * 1024
const mostOutput = 4 * 1024 * 1024

/** Of the calls that are held one may wait for a program. */
export const waitsForPerson = ({ message }: HeldCall): boolean =>
  !('method' in message) || message.method !== methods.client.terminal.waitForExit

export const terminalPrefix = (childId: string): string => `${childId}~`

export function mountTerminalCalls(app: ClientApp, deps: CallDeps, asking: Asking): void {
  const { means, childId, terminals, approvals } = deps
  const { keeper } = means

  app.onRequest(methods.client.terminal.create, async ({ params, requestId, signal }) => {
    const cwd = await terminals.cwd(params.cwd ?? null)
    if (cwd === null) throw new RequestError(-32602, `${params.cwd} is outside the workspace.`)
    const command = [params.command, ...(params.args ?? [])].join(' ')
    if (!approvals.coversCommand(params.command, params.args ?? [])) {
      const subject = { kind: 'command' as const, command, cwd }
      const ask = await asking(requestId, { ...plain, title: oneLine(command), subject }, signal)
      if (ask.answer?.outcome !== 'approve') throw new RequestError(-32000, 'The command was not approved.')
    }
    const wanted = Object.fromEntries((params.env ?? []).map(({ name, value }) => [name, value]))
    // A command line in one string is for a shell; with arguments it is a program's name.
    const argv: [string, ...string[]] =
      params.args === undefined || params.args === null || params.args.length === 0
        ? ['/bin/sh', '-c', params.command]
        : [params.command, ...params.args]
    const confined = await terminals.confine(argv, wanted)
    const id = `${terminalPrefix(childId)}${deps.offsetOf(requestId)}`
    const ring = Math.min(mostOutput, Math.max(1024, params.outputByteLimit ?? usualOutput))
    const spawned = await keeper.spawn({ id, ...confined, cwd, label: { of: childId }, output: { ring } })
    if (!spawned.ok) throw new RequestError(-32603, spawned.fault.message)
    return { terminalId: id }
  })

  app.onRequest(methods.client.terminal.output, async ({ params }) => {
    const child = await find(keeper, params.terminalId, childId)
    const { text, truncated } = await keeper.read(params.terminalId)
    const output = new TextDecoder().decode(truncated ? fromCharacter(text) : text)
    return { output, truncated, exitStatus: child.exit && statusOf(child.exit) }
  })

  app.onRequest(methods.client.terminal.waitForExit, async ({ params, requestId }) => {
    const child = await find(keeper, params.terminalId, childId)
    if (child.exit) return statusOf(child.exit)
    const offset = deps.offsetOf(requestId)
    const message = deps.callAt(offset)
    if (message) deps.recorder.hold({ offset, message })
    await deps.recorder.flush()
    deps.recorder.kept(offset)
    const gone = Promise.withResolvers<Exit>()
    const listening = await keeper.listen(params.terminalId, child.to, { data() {}, exit: gone.resolve })
    if (!listening.ok) throw new RequestError(-32002, 'There is no such terminal.')
    return statusOf(await gone.promise)
  })

  app.onRequest(methods.client.terminal.kill, async ({ params }) => {
    await find(keeper, params.terminalId, childId)
    await keeper.end(params.terminalId, 0)
    return {}
  })

  app.onRequest(methods.client.terminal.release, async ({ params }) => {
    await find(keeper, params.terminalId, childId)
    await keeper.end(params.terminalId, 0)
    await keeper.forget(params.terminalId)
    return {}
  })
}

/** A terminal of this agent and of no other. */
async function find(keeper: Keeper, id: string, childId: string) {
  const child = id.startsWith(terminalPrefix(childId)) ? (await keeper.list()).find((one) => one.id === id) : undefined
  if (!child) throw new RequestError(-32002, `There is no terminal ${id}.`)
  return child
}

const statusOf = ({ code, signal }: Exit) => ({ exitCode: code, signal })

/** What was cut from the front may have been the beginning of a character. */
function fromCharacter(bytes: Uint8Array): Uint8Array {
  let start = 0
  while (start < Math.min(4, bytes.length) && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1
  return bytes.subarray(start)
}
