import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import type { Ask } from '../../domain/ask/schema.ts'
import type { Session } from '../../domain/session/schema.ts'
import { cleanLine } from '../clean-text.ts'
import type { ServerConnection, Context } from '../context.ts'
import { textField } from '../json-fields.ts'
import { isTransient } from '../follow.ts'
import { shortId } from '../ids.ts'
import type { Keyboard, KeyListener } from '../keyboard.ts'
import { outcomeText } from '../settled-ask.ts'
import { askInPlace } from './ask-in-place.ts'
import type { RunOutcome } from './outcome.ts'
import type { LiveScreen } from './screen.ts'
import { isBusy, isOver, readAsks, readPending } from './session-state.ts'
import type { LiveView } from './view.ts'
import type { SessionWatch } from './session-watch.ts'
import { createSerialQueue } from '../../lib/serial-queue.ts'

/** A second Ctrl-C within this time detaches instead of cancelling. */
const twiceMs = 2000

/** How long a paused session may take to resume automatically after an answer. */
const settleMs = 3000
const retryMs = 1000

type LiveConversation = {
  context: Context
  connection: ServerConnection
  session: Session
  watching: SessionWatch
  screen: LiveScreen
  view: LiveView
  /** Null if there is no one to ask. */
  keyboard: Keyboard | null
  interrupts(listener: () => void): Disposable
  /** Keeps watching after a turn, until the session ends. */
  untilSessionEnds: boolean
  /** Whether the first Ctrl-C cancels the turn; otherwise it detaches. */
  mayCancel: boolean
}

/** Watches until the turn or session is over. At a terminal it also asks for answers and prompts. */
export async function converse(conversation: LiveConversation): Promise<RunOutcome> {
  const { context, connection, session, watching, screen, view, keyboard } = conversation
  const { client } = connection
  const { id } = session
  const left = new AbortController()
  const answered = new Set<string>()
  let cancelled = false
  /** Ctrl-C was pressed, and the cancellation was not reported yet. */
  let isCancelAsked = false
  /** The cancellation was reported before its event. */
  let isCancelSaid = false
  /** How often a turn was reported as cancelled; queued items are not replayed. */
  let cancelsSaid = 0
  /** The end of the turn was reported. */
  let told = false
  let cancelling: Promise<void> = Promise.resolve()
  let pressedAt = Number.NEGATIVE_INFINITY
  let typed = ''
  let listening: KeyListener | null = null
  const prompts = createSerialQueue()
  /** An ask was just open: its answer may end a pause. */
  let settling = false

  const say = async (text: string) => {
    if (Number.isFinite(context.out.width)) view.settle()
    screen.note(text)
    await screen.flush()
  }

  /** A prompt that is not sent yet is not a turn, so cancelling is retried briefly. */
  async function sendCancel(): Promise<boolean> {
    for (let tries = 0; tries < 10 && isBusy(watching.now); tries += 1) {
      if ((await client.cancelTurn({ params: { id } })).cancelled) return true
      await delay(100)
    }
    return false
  }

  async function cancelTurn(): Promise<void> {
    const saidBefore = cancelsSaid
    isCancelAsked = true
    const sent = sendCancel()
    await say('Cancelling the turn. Ctrl-C again within two seconds leaves the session; it keeps running.')
    try {
      cancelled = (await sent) && cancelsSaid === saidBefore
    } catch (error) {
      await say(`It can't be cancelled: ${reasonOf(error)}`)
      left.abort()
    }
  }

  function interrupt(): void {
    const now = context.now()
    const again = now - pressedAt < twiceMs
    pressedAt = now
    if (again || !conversation.mayCancel || !isBusy(watching.now)) left.abort()
    else cancelling = cancelTurn()
  }

  async function queue(text: string): Promise<void> {
    try {
      await client.promptSession({ params: { id }, body: { text, when: 'next' } })
      const pending = await readPending(client, id)
      await watching.look(async () => ({ pending }))
      await say(`Queued: ${cleanLine(text)}`)
    } catch (error) {
      await say(`Not queued: ${cleanLine(text)}\n  ${reasonOf(error)}`)
    }
  }

  /** While the agent works, a typed line is the next prompt, and Ctrl-D detaches. */
  function listen(at: Keyboard): void {
    if (listening) return
    const line = (text: string) => void prompts.run(() => queue(text))
    listening = at.listen({ line, leave: () => left.abort() }, typed)
    typed = ''
  }

  function stopListening(): void {
    typed = listening?.stop() ?? typed
    listening = null
  }

  /** Reads the open asks again after a gap. False if the user detached. */
  async function whenBack(): Promise<boolean> {
    while (!left.signal.aborted) {
      try {
        const asks = await readAsks(client, id)
        await watching.look(async () => ({ asks }))
        return true
      } catch (error) {
        if (!isTransient(error)) throw error
        await Promise.race([delay(retryMs), leaving])
      }
    }
    return false
  }

  /** Whether the condition becomes true within this time. */
  async function soon(holds: () => boolean, ms: number): Promise<boolean> {
    const patience = AbortSignal.timeout(ms)
    const late = once(patience, 'abort')
    while (!holds() && !patience.aborted && !left.signal.aborted)
      await Promise.race([watching.changed(), leaving, late])
    return holds()
  }

  /** Aborts when the condition is no longer true. */
  function whileTrue(holds: () => boolean): { signal: AbortSignal; done(): void } {
    const control = new AbortController()
    const { signal } = control
    const end = () => control.abort()
    left.signal.addEventListener('abort', end)
    const look = async () => {
      while (!signal.aborted && holds()) await watching.changed()
    }
    void look().then(end, end)
    return {
      signal,
      done() {
        left.signal.removeEventListener('abort', end)
        end()
      },
    }
  }

  async function answer(ask: Ask, at: Keyboard): Promise<'left' | 'done'> {
    const isOpen = () => watching.now.asks.some((one) => one.id === ask.id)
    const asking = whileTrue(isOpen)
    view.settle()
    screen.finish()
    await screen.flush()
    using _held = screen.hold()
    const subject = ask.subject.kind === 'permission' ? ask.subject.toolCall : null
    const toolCallId = textField(subject, 'toolCallId')
    if (toolCallId !== null) view.diffShown(toolCallId)
    const given = await askInPlace(ask, { keyboard: at, out: context.out, signal: asking.signal })
    asking.done()
    if (given === null) {
      if (left.signal.aborted || isOpen()) return 'left'
      context.out.note(await outcomeText(ask.id, client, context.now()))
      return 'done'
    }
    try {
      const { status, votes, needed } = await client.answerAsk({ params: { id: ask.id }, body: given })
      if (status === 'open') context.out.note(`Counted: ${votes.length} of ${needed} consents.`)
    } catch (error) {
      if (isTransient(error)) {
        context.out.note(`The answer did not arrive: ${reasonOf(error)} Waiting for the server …`)
        return (await whenBack()) ? 'done' : 'left'
      }
      const isLate = error instanceof Error && 'code' in error && error.code === 'already_answered'
      const why = isLate ? await outcomeText(ask.id, client, context.now()) : reasonOf(error)
      context.out.note(`The answer was not accepted: ${why}`)
    }
    answered.add(ask.id)
    return (await whenBack()) ? 'done' : 'left'
  }

  async function nextPrompt(at: Keyboard): Promise<'left' | 'done'> {
    const free = whileTrue(
      () =>
        !isBusy(watching.now) &&
        unanswered() === undefined &&
        !isOver(watching.now) &&
        watching.now.status === 'active',
    )
    view.settle()
    screen.finish()
    await screen.flush()
    const asked = await at.ask(`\n${context.out.paint('bold', '›')} `, { signal: free.signal, typed })
    const takenAway = free.signal.aborted && !left.signal.aborted
    free.done()
    typed = asked.typed
    if (asked.line === null) return takenAway ? 'done' : 'left'
    const text = asked.line.trim()
    if (text === '') return 'left'
    cancelled = false
    told = false
    try {
      await client.promptSession({ params: { id }, body: { text } })
      const pending = await readPending(client, id)
      await watching.look(async () => ({ pending, cancelled: false }))
    } catch (error) {
      if (!isTransient(error)) throw error
      typed = text
      await say(`Not sent: ${reasonOf(error)} Waiting for the server …`)
      return (await whenBack()) ? 'done' : 'left'
    }
    return 'done'
  }

  const unanswered = (): Ask | undefined => watching.now.asks.find((ask) => !answered.has(ask.id))

  async function turnOutcome(): Promise<RunOutcome> {
    if (cancelled || watching.now.cancelled) return { kind: 'cancelled', byUs: cancelled }
    const why = await whyFailed(conversation)
    return why === null ? { kind: 'ended' } : { kind: 'failed', why }
  }

  const leaving = once(left.signal, 'abort')
  watching.whenTurns((what) => {
    // Messages may be read ahead of events: then the next prompt shows that the turn is over.
    if (!keyboard || (isCancelSaid && what === 'cancelled') || (what === 'next' && !isCancelAsked)) {
      isCancelSaid = false
      return
    }
    isCancelSaid = what === 'next'
    isCancelAsked = false
    cancelled = false
    told = true
    cancelsSaid += 1
    view.settle()
    screen.note('The turn was cancelled.')
  })
  using _interrupts = conversation.interrupts(interrupt)
  using _keys = { [Symbol.dispose]: stopListening }
  for (;;) {
    const { now } = watching
    if (left.signal.aborted) {
      await Promise.all([cancelling, prompts.idle()])
      return { kind: 'detached' }
    }
    const ask = unanswered()
    settling ||= now.asks.length > 0
    if (isOver(now) || now.status === 'interrupted') return { kind: 'over', status: now.status, reason: now.reason }
    if (ask && !keyboard && !conversation.untilSessionEnds) return { kind: 'waiting', ask }
    if (ask && keyboard) {
      stopListening()
      if ((await answer(ask, keyboard)) === 'left') return { kind: 'detached' }
      await screen.flush()
      continue
    }
    if (now.status === 'paused' && !conversation.untilSessionEnds) {
      const goesOn = () => isBusy(watching.now) || unanswered() !== undefined || isOver(watching.now)
      if (settling && (await soon(goesOn, settleMs))) continue
      settling = false
      if (watching.now.status !== 'paused' || left.signal.aborted) continue
      return { kind: 'over', status: 'paused', reason: watching.now.reason }
    }
    if (isBusy(now) || ask || conversation.untilSessionEnds) {
      settling = false
      if (keyboard) listen(keyboard)
      await Promise.race([watching.changed(), leaving])
      continue
    }
    stopListening()
    await watching.catchUp()
    const outcome = await turnOutcome()
    if (!keyboard) return outcome
    told &&= outcome.kind === 'cancelled'
    if (outcome.kind === 'failed' && !told) await say(`The turn failed: ${cleanLine(outcome.why)}`)
    if (outcome.kind === 'cancelled' && !told) await say('The turn was cancelled.')
    told = true
    if ((await nextPrompt(keyboard)) === 'left') return { kind: 'detached' }
  }
}

const reasonOf = (error: unknown): string => cleanLine(error instanceof Error ? error.message : String(error))

/** The diagnosis tells why the last turn failed, if it did. */
async function whyFailed({ connection, session }: LiveConversation): Promise<string | null> {
  const diagnosis = await connection.client.diagnoseSession({ params: { id: session.id } }).catch(() => null)
  if (!diagnosis) return null
  const failed = /^The last turn failed: (.*)$/s.exec(diagnosis.detail)
  if (failed || diagnosis.cause === 'rate_limited') return failed?.[1] ?? diagnosis.detail
  return null
}

/** The first line, on standard error. */
export function headLine({ id, agent, protocolMode, workspaceRoot, isolation }: Session): string {
  const confined = isolation === null ? '' : `, isolation ${isolation}`
  return `Session ${shortId(id)}: ${cleanLine(agent ?? protocolMode)} in ${cleanLine(workspaceRoot)}${confined}`
}
