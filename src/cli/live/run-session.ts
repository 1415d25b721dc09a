import { programName } from '../program-name.ts'
import type { Message } from '../../domain/message/schema.ts'
import type { Session } from '../../domain/session/schema.ts'
import { cleanLine } from '../clean-text.ts'
import type { ServerConnection, Context } from '../context.ts'
import type { Keyboard } from '../keyboard.ts'
import { shortId } from '../ids.ts'
import { formatJson } from '../output.ts'
import { counted } from '../display-text.ts'
import { converse, headLine } from './converse.ts'
import { createJsonView } from './json-view.ts'
import { exitOf, outcomeText, idleText, type RunOutcome } from './outcome.ts'
import { createScreen } from './screen.ts'
import { createTextView } from './text-view.ts'
import { watchSession } from './session-watch.ts'

const keyHelp = 'Ctrl-C cancels the turn, Ctrl-D leaves it running; a line you type is its next prompt.'

type RunSessionOptions = {
  context: Context
  connection: ServerConnection
  session: Session
  /** How many earlier messages are shown. */
  last?: number
  /** Messages that are known already and not shown again. */
  known?: readonly Message[]
  /** Whether the user may answer and prompt here. */
  takesPart: boolean
  /** Started by this command: on detaching, the user is told that it stays. */
  isNew?: boolean
  /** Keeps watching after a turn, until the session ends. */
  untilSessionEnds?: boolean
}

/** The live view of a session, as `start`, `attach`, `continue` and `logs --follow` give it; resolves with the exit code. */
export async function runSession(run: RunSessionOptions): Promise<number> {
  const { context, connection, session, takesPart } = run
  const { last = Number.POSITIVE_INFINITY, known = [], untilSessionEnds = false, isNew = false } = run
  const { out, json } = context
  const screen = createScreen(out)
  const view = json ? createJsonView(out) : createTextView(screen, out)
  const keyboard: Keyboard | null = takesPart && !json ? context.keyboard : null
  const remark = (text: string) => {
    if (json) return
    if (Number.isFinite(out.width)) view.settle()
    screen.note(text)
  }
  if (json) await out.write(`${formatJson({ type: 'session', sessionId: session.id, data: session }, false)}\n`)
  else if (takesPart) out.note(keyboard ? `${headLine(session)}\n${keyHelp}` : headLine(session))
  // Catch Ctrl-C from the start: before anything is shown it must not end the session.
  const early = catchEarlyInterrupts(context)
  using _early = early
  const opening = watchSession({
    connection,
    id: session.id,
    view,
    last,
    known,
    onSkipped: (count) =>
      remark(`… ${counted(count, 'earlier message')}: ${programName()} logs ${shortId(session.id)}`),
    onGap(why, waitMs) {
      remark(`${cleanLine(why)} Trying again in ${Math.round(waitMs / 1000)} s.`)
      void screen.flush()
    },
  })
  const opened = await Promise.race([opening, early.gaveUp])
  if (!opened) {
    void opening.then((late) => late[Symbol.asyncDispose]()).catch(() => {})
    return await finish({ kind: 'detached' })
  }
  await using watching = opened
  const outcome = await converse({
    context,
    connection,
    session,
    watching,
    screen,
    view,
    keyboard,
    interrupts: early.hand,
    untilSessionEnds,
    // A viewer can't cancel.
    mayCancel: takesPart,
  })
  if (outcome.kind === 'over') await watching.catchUp().catch(() => {})
  // Stop the view before the last lines are printed.
  await watching[Symbol.asyncDispose]()
  const isTold = outcome.kind === 'over' && Number.isFinite(out.width) && (await wasSaid(outcome.reason))
  return await finish(isTold ? { ...outcome, reason: null } : outcome)

  /** Whether the conversation already shows why the session failed. */
  async function wasSaid(reason: string | null): Promise<boolean> {
    const messages = await connection.client.listMessages({ params: { id: session.id } }).catch(() => [])
    const last = messages.at(-1)
    if (reason === null || last?.role !== 'system' || last.content.type !== 'text') return false
    return last.content.text.includes(reason.split('\n', 1)[0] ?? reason)
  }

  async function finish(end: RunOutcome): Promise<number> {
    view.settle()
    await view.flush()
    if (json) await out.write(`${formatJson({ type: 'outcome', sessionId: session.id, data: end }, false)}\n`)
    else {
      screen.finish()
      await screen.flush()
      const words = end.kind === 'ended' && isNew ? idleText(session.id) : outcomeText(end, session)
      if (words !== null && (takesPart || end.kind !== 'detached')) out.note(words)
    }
    return exitOf(end)
  }
}

type EarlyInterrupts = Disposable & {
  /** Ctrl-C was pressed twice before anything was shown. */
  gaveUp: Promise<null>
  /** Passes interrupts to the listener, including an earlier one. */
  hand(listener: () => void): Disposable
}

function catchEarlyInterrupts(context: Context): EarlyInterrupts {
  const gaveUp = Promise.withResolvers<null>()
  let missed = 0
  let heard: (() => void) | null = null
  const listening = context.interrupts(() => {
    if (heard) return heard()
    missed += 1
    if (missed > 1) gaveUp.resolve(null)
  })
  return {
    gaveUp: gaveUp.promise,
    hand(listener) {
      heard = listener
      if (missed > 0) listener()
      return {
        [Symbol.dispose]() {
          heard = null
        },
      }
    },
    [Symbol.dispose]: () => listening[Symbol.dispose](),
  }
}
