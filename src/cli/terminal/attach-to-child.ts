import { constants } from 'node:os'
import type { AttachClient, Exit } from '../../keeper-client/client.ts'
import { programName } from '../program-name.ts'
import type { TerminalContext } from '../context.ts'
import { exit, Failure } from '../failure.ts'
import { shortId } from '../ids.ts'
import type { DetachKeys } from './detach-keys.ts'
import { failureOf, reachKeeper } from './reach-keeper.ts'
import { createOldOutput } from './old-output.ts'
import { ownTerminal } from './own-terminal.ts'
import { passThrough, type PassThroughEnd } from './pass-through.ts'
import { createScreenModes } from './screen-modes.ts'
import { screenNow } from './screen-now.ts'

type AttachRequest = {
  context: TerminalContext
  keeper: AttachClient
  childId: string
  session: string
  /** The first byte of its output to show. */
  from: number
  /** The screen at that byte. */
  first?: string
  /** Where its output ended when we attached. */
  to?: number
  detachKeys: DetachKeys
  /** It was running before we attached. */
  visits: boolean
}

/** Connects our terminal to the program until it ends or we detach. Resolves with the exit code. */
export async function attachToChild(joined: AttachRequest): Promise<number> {
  const { context, session, visits } = joined
  if (visits && !ownTerminal().typed)
    context.out.note(
      'Standard input is not a terminal: its end is not passed on, and Ctrl-C leaves the program running.',
    )
  const ending = await untilSettled(joined)
  if (ending.kind === 'exited') return exitCodeOf(ending.exit)
  if (ending.kind === 'detached') {
    const interrupted = ending.by === 'SIGPIPE' && !visits
    const what = interrupted ? 'Its output is no longer read: it was sent a Ctrl-C.' : 'Detached; it keeps running.'
    const goOn = interrupted ? 'If it is still running' : 'To return to it'
    context.out.note(`${what} ${goOn}: ${programName()} attach ${shortId(session)}`)
    return ending.by === 'keys' ? exit.ok : signalCode(ending.by)
  }
  throw new Failure({
    exit: exit.failed,
    code: 'keeper_gone',
    message: 'The keeper of this terminal has ended, and its program with it.',
    hint: 'Its output is kept if a server was running: signalbox terminals\nWhy: run/keeper.log in the data directory.',
  })
}

const mostTries = 5

/** If the keeper detached us because we were too slow, attach again at the same byte. */
async function untilSettled(joined: AttachRequest): Promise<PassThroughEnd> {
  const modes = createScreenModes()
  const old = createOldOutput(joined.to ?? 0)
  let { keeper, from, first } = joined
  const own = ownTerminal((tty) => keeper.plainOutput(tty))
  for (let tries = 0; ; tries += 1) {
    const current = keeper
    const place = from
    const passed = await passThrough({
      own,
      dial: (size, listener) => current.attach(joined.childId, { from: place, ...size }, listener),
      closed: current.closed,
      detachKeys: joined.detachKeys,
      visits: joined.visits,
      modes,
      old,
      ...(first !== undefined && { first }),
    })
    await current[Symbol.asyncDispose]()
    if (!passed.ok) throw failureOf(passed.fault)
    if (passed.value.kind !== 'lost') return passed.value
    const again = tries < mostTries ? await reachKeeper(joined.context, false).catch(() => null) : null
    const child = (await again?.list())?.find(({ id }) => id === joined.childId)
    if (!again || !child) {
      own.writeNow(modes.undo())
      return passed.value
    }
    keeper = again
    from = passed.value.at ?? from
    first = undefined
    // The keeper drops what the server has stored: then only the current screen is left.
    if (child.from > from) ({ first, from } = (await screenNow(joined.context, joined.session)) ?? { first, from })
  }
}

const numbers: Readonly<Record<string, number>> = constants.signals

/** As in a shell: 128 plus the number of the signal that ended it. */
export function exitCodeOf({ code, signal }: Exit): number {
  if (signal !== null) return signalCode(signal)
  return code ?? 1
}

const signalCode = (signal: string): number => 128 + (numbers[signal] ?? 0)
