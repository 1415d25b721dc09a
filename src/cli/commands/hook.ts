import type * as z from 'zod'
import type { Client } from '../../client/client.ts'
import type { Handler } from '../command.ts'
import type { Context } from '../context.ts'
import { exit } from '../exit.ts'
import { outputOf, type HookOutput } from '../hook/decision.ts'
import { events, readEvent } from '../hook/event.ts'
import { nobodyWaits } from '../hook/leaving.ts'
import { concernsUs, permit } from '../hook/permission.ts'
import { notify, promptSaid, sessionEnded, turnEnded } from '../hook/turns.ts'
import { renderError } from '../render-error.ts'
import type { permissionFlags } from '../table/hook.ts'

type Work<E> = (event: E, client: Client, env: NodeJS.ProcessEnv) => Promise<HookOutput>

/** Of an agent we host everything comes here already, by its own protocol. */
const isHosted = (context: Context): boolean => Boolean(context.env['SIGNALBOX_SESSION_ID'])

function tell(context: Context, output: HookOutput): void {
  if (output !== null) context.out.json(output)
}

/** Claude Code goes on whatever goes wrong here: it is said beside, and never by an exit code that would stop it. */
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
      complain(context, error, 'Claude Code goes on without Signalbox.')
    }
    return exit.ok
  }

export const notification = hook(events.notification, notify)
export const stop = hook(events.stop, turnEnded)
export const prompt = hook(events.prompt, promptSaid)
export const end = hook(events.end, sessionEnded)

export const permission: Handler<typeof permissionFlags> = async ({ flags }, context) => {
  if (isHosted(context)) return exit.ok
  using waiting = nobodyWaits(context.env)
  const event = await readEvent(events.permission, process.stdin).catch((error: unknown) => {
    complain(context, error, 'Claude Code goes on without Signalbox.')
    return null
  })
  if (event === null || !concernsUs(event, flags.all)) return exit.ok
  try {
    const { client } = await context.api()
    const verdict = await permit(event, client, context.env, waiting.signal)
    if (verdict.decision === 'open') context.out.note(`signalbox: ${verdict.why}`)
    tell(context, outputOf(event, verdict, flags.strict))
  } catch (error) {
    if (waiting.signal.aborted) return exit.ok
    complain(context, error, flags.strict ? 'So it is denied (--strict).' : 'Claude Code asks at its terminal.')
    const why = 'Signalbox could not be asked, and without it nothing is allowed (--strict).'
    if (flags.strict) tell(context, outputOf(event, { decision: 'deny', why }, true))
  }
  return exit.ok
}
