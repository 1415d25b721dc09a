import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import type { Ask } from '../../domain/ask/schema.ts'
import type { Session } from '../../domain/session/schema.ts'
import { cleanLine } from '../clean-text.ts'
import type { Connection, Context } from '../context.ts'
import { textField } from '../fields.ts'
import { shortId } from '../ids.ts'
import type { Keyboard } from '../keyboard.ts'
import { askInPlace } from './ask-in-place.ts'
import type { Outcome } from './outcome.ts'
import type { Screen } from './screen.ts'
import { isBusy, isOver, readAsks, readPending } from './situation.ts'
import type { View } from './view.ts'
import type { Watching } from './watching.ts'

/** Twice within this time means: leave me alone, not: stop it. */
const twiceMs = 2000

type Conversation = {
  context: Context
  connection: Connection
  session: Session
  watching: Watching
  screen: Screen
  view: View
  /** Null where nobody can be asked. */
  keyboard: Keyboard | null
  interrupts(listener: () => void): Disposable
  /** Goes on after turns, until the session itself is over. */
  onAndOn: boolean
  /** Whether the first Ctrl-C cancels the turn; else it leaves. */
  mayCancel: boolean
}

/** Watches until there is nothing more to see here; at a terminal it answers, and prompts for the next turn. */
export async function converse(conversation: Conversation): Promise<Outcome> {
  const { context, connection, session, watching, screen, view, keyboard } = conversation
  const { client } = connection
  const { id } = session
  const left = new AbortController()
  const answered = new Set<string>()
  let cancelled = false
  /** How the turn ended was said. */
  let told = false
  let cancelling: Promise<void> = Promise.resolve()
  let pressedAt = Number.NEGATIVE_INFINITY
  let typed = ''

  const say = async (text: string) => {
    if (Number.isFinite(context.out.width)) view.settle()
    screen.note(text)
    await screen.flush()
  }

  /** A prompt on its way to the agent is no turn yet, so it is tried for a moment. */
  async function sendCancel(): Promise<boolean> {
    for (let tries = 0; tries < 10 && isBusy(watching.now); tries += 1) {
      if ((await client.cancelTurn({ params: { id } })).cancelled) return true
      await delay(100)
    }
    return false
  }

  async function cancelTurn(): Promise<void> {
    const sent = sendCancel()
    await say('Cancelling the turn. Ctrl-C once more leaves the session; it goes on.')
    try {
      cancelled = await sent
    } catch (error) {
      await say(`It can't be cancelled: ${error instanceof Error ? error.message : String(error)}`)
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

  /** Aborted when this is no longer the thing to ask. */
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
      context.out.note('It is answered or withdrawn already.')
      return 'done'
    }
    try {
      const { status, votes, needed } = await client.answerAsk({ params: { id: ask.id }, body: given })
      if (status === 'open') context.out.note(`Counted: ${votes.length} of ${needed} consents.`)
    } catch (error) {
      context.out.note(`The answer was not taken: ${cleanLine(error instanceof Error ? error.message : String(error))}`)
    }
    answered.add(ask.id)
    const asks = await readAsks(client, id)
    await watching.look(async () => ({ asks }))
    return 'done'
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
    await client.promptSession({ params: { id }, body: { text } })
    const pending = await readPending(client, id)
    await watching.look(async () => ({ pending, cancelled: false }))
    return 'done'
  }

  const unanswered = (): Ask | undefined => watching.now.asks.find((ask) => !answered.has(ask.id))

  async function turnOutcome(): Promise<Outcome> {
    if (cancelled || watching.now.cancelled) return { kind: 'cancelled', byUs: cancelled }
    const why = await whyFailed(conversation)
    return why === null ? { kind: 'ended' } : { kind: 'failed', why }
  }

  using _interrupts = conversation.interrupts(interrupt)
  const leaving = once(left.signal, 'abort')
  for (;;) {
    const { now } = watching
    if (left.signal.aborted) {
      await cancelling
      return { kind: 'detached' }
    }
    const ask = unanswered()
    if (isOver(now) || now.status === 'interrupted') return { kind: 'over', status: now.status, reason: now.reason }
    if (ask && !keyboard && !conversation.onAndOn) return { kind: 'waiting', ask }
    if (ask && keyboard) {
      if ((await answer(ask, keyboard)) === 'left') return { kind: 'detached' }
      await screen.flush()
      continue
    }
    if (now.status === 'paused' && !conversation.onAndOn) return { kind: 'over', status: 'paused', reason: now.reason }
    if (isBusy(now) || ask || conversation.onAndOn) {
      await Promise.race([watching.changed(), leaving])
      continue
    }
    await watching.catchUp()
    const outcome = await turnOutcome()
    if (!keyboard) return outcome
    if (outcome.kind === 'failed' && !told) await say(`The turn failed: ${cleanLine(outcome.why)}`)
    if (outcome.kind === 'cancelled' && !told) await say('The turn was cancelled.')
    told = true
    if ((await nextPrompt(keyboard)) === 'left') return { kind: 'detached' }
  }
}

/** The driver tells the cause of silence; a turn that failed is one. */
async function whyFailed({ connection, session }: Conversation): Promise<string | null> {
  const diagnosis = await connection.client.diagnoseSession({ params: { id: session.id } }).catch(() => null)
  if (!diagnosis) return null
  const failed = /^The last turn failed: (.*)$/s.exec(diagnosis.detail)
  if (failed || diagnosis.cause === 'rate_limited') return failed?.[1] ?? diagnosis.detail
  return null
}

/** The first line, beside the conversation. */
export function headWords({ id, agent, protocolMode, workspaceRoot, isolation }: Session): string {
  const confined = isolation === null ? '' : `, isolation ${isolation}`
  return `Session ${shortId(id)}: ${cleanLine(agent ?? protocolMode)} in ${cleanLine(workspaceRoot)}${confined}`
}
