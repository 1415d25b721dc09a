import type * as z from 'zod'
import type { Client } from '../../client/client.ts'
import type { Handler } from '../command.ts'
import type { Context } from '../context.ts'
import { exit, type ExitCode } from '../failure.ts'
import { outputOf, type HookOutput } from '../hook/decision.ts'
import { events, readEvent, UnreadableEvent, type ToolEvent } from '../hook/event.ts'
import { concernsUs, permit } from '../hook/permission.ts'
import { notify, promptSaid, sessionEnded, turnEnded } from '../hook/turns.ts'
import { renderError } from '../render-error.ts'
import type { permissionFlags } from '../table/hook.ts'

type Work<E> = (event: E, client: Client, env: NodeJS.ProcessEnv) => Promise<HookOutput>

/** Hosted agents already report everything over their own protocol. */
const isHosted = (context: Context): boolean => Boolean(context.env['SIGNALBOX_SESSION_ID'])

function tell(context: Context, output: HookOutput): void {
  if (output !== null) context.out.json(output)
}

/** Claude Code continues whatever fails here: errors go to stderr, never to an exit code that would stop it. */
function complain(context: Context, error: unknown, then: string): void {
  context.out.note(`${renderError(error, { json: false, debug: false }).text}\n${then}`)
}

const hook =
  <E>(schema: z.ZodType<E>, work: Work<E>): Handler =>
  async (_invocation, context) => {
    if (isHosted(context)) return exit.ok
    try {
      const event = await readEvent(schema, process.stdin)
      const { client } = await context.api()
      tell(context, await work(event, client, context.env))
    } catch (error) {
      complain(context, error, 'Claude Code continues without Signalbox.')
    }
    return exit.ok
  }

export const notification = hook(events.notification, notify)
export const stop = hook(events.stop, turnEnded)
export const prompt = hook(events.prompt, promptSaid)
export const end = hook(events.end, sessionEnded)

/**
 * A strict hook without a decision exits with 2, which Claude Code takes as a denial. Any other code, including that of
 * a crash, would let it continue.
 */
function failClosed(strict: boolean): { decided(): void } {
  let isDecided = !strict
  process.on('exit', () => {
    if (!isDecided) process.exitCode = blocking
  })
  return { decided: () => void (isDecided = true) }
}
const blocking = exit.usage

export const permission: Handler<typeof permissionFlags> = async ({ flags }, context) => {
  if (isHosted(context)) return exit.ok
  const { strict } = flags
  const closing = failClosed(strict)
  using waiting = watchCaller(context.env)
  const say = (output: HookOutput): ExitCode => {
    tell(context, output)
    closing.decided()
    return exit.ok
  }
  const deny = (error: unknown, event: Pick<ToolEvent, 'hook_event_name'> | null): ExitCode => {
    complain(context, error, strict ? 'Denied (--strict).' : 'Claude Code asks at its terminal.')
    if (!strict) return exit.ok
    const reason = error instanceof Error ? error.message : String(error)
    const why = `Can't reach Signalbox, and --strict allows nothing without it: ${reason}`
    // If the reply can't be written, the exit code denies.
    return event === null ? blocking : say(outputOf(event, { decision: 'deny', why: why.slice(0, 1000) }, true))
  }
  let event: ToolEvent
  try {
    event = await readEvent(events.permission, process.stdin)
  } catch (error) {
    // Nothing else ends the process.
    process.stdin.destroy()
    const says = error instanceof UnreadableEvent ? error.says : null
    return deny(error, says && { hook_event_name: says })
  }
  if (!concernsUs(event, flags.all)) {
    closing.decided()
    return exit.ok
  }
  try {
    const { client } = await context.api()
    const verdict = await permit(event, client, context.env, waiting.signal)
    if (verdict.decision === 'open') context.out.note(`signalbox: ${verdict.why}`)
    return say(outputOf(event, verdict, strict))
  } catch (error) {
    // Claude Code ended it: nobody reads its output.
    if (waiting.signal.aborted) return strict ? blocking : exit.ok
    return deny(error, event)
  }
}

const lookMs = 2000

/** Aborts when Claude Code no longer waits: it ended the hook, or is gone. */
function watchCaller(env: NodeJS.ProcessEnv): { readonly signal: AbortSignal } & Disposable {
  const leaving = new AbortController()
  const leave = () => leaving.abort()
  const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const
  for (const name of signals) process.on(name, leave)
  const parent = process.ppid
  // A shell in between may outlive it.
  const claude = Number(env['CLAUDE_PID'] ?? Number.NaN)
  const watch = setInterval(() => {
    if (process.ppid !== parent || (Number.isInteger(claude) && !isRunning(claude))) leave()
  }, lookMs).unref()
  return {
    signal: leaving.signal,
    [Symbol.dispose]() {
      clearInterval(watch)
      for (const name of signals) process.off(name, leave)
    },
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // It exists, but belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
