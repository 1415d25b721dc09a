import type { App } from '../../../app/app.ts'
import type { Command } from '../../../app/command.ts'
import { soundsRateLimited } from '../../../domain/agent/diagnose.ts'
import type { AskId } from '../../../domain/ask/schema.ts'
import type { MessageId } from '../../../domain/message/schema.ts'
import type { QueueItem } from '../../../domain/queue/schema.ts'
import type { SessionId } from '../../../domain/session/id.ts'
import { iso, type Clock } from '../../../lib/clock.ts'
import type { Logger } from '../../../lib/log.ts'
import type { Result } from '../../../lib/result.ts'
import { system } from '../actor.ts'
import type { Approvals } from '../calls/approvals.ts'
import { derivedId } from '../../../lib/derived-id.ts'
import type { Dialect } from '../calls/dialect.ts'
import type { Recorder } from '../transcript/recorder.ts'
import type { Transcript } from '../transcript/transcript.ts'
import type { Wire } from '../wire/wire.ts'
import { stopText } from './end-text.ts'
import { promptBlocks, type PromptBlock, type PromptFilesDeps } from './prompt-blocks.ts'

/** Sends one prompt at a time: agents disagree on what a second prompt does to a running turn. */
export type Turns = {
  /** Sends the next prompt, if there is one. */
  pump(): void
  /** Delivers an urgent prompt: as a nudge if the agent takes nudges, else by cancelling the turn. */
  interrupt(): Promise<void>
  /** Marks a queue item as a nudge. */
  isNudge(id: string): void
  /** With `keepAsks`, its asks stay open for the process that resumes the work. */
  cancel(options?: { keepAsks: boolean }): Promise<boolean>
  /** Resolves when the first prompt was sent, or there was none. */
  asked(): Promise<void>
  /** Resolves when the running turn is over. */
  over(): Promise<void>
  /** The agent is gone. */
  abandon(): void
}

/** How long an agent that was told to stop counts as stopping; the slowest of the known ones takes half a second. */
const stoppingMs = 10_000

type TurnAnswer = Result<{ value: { stopReason?: string }; offset: number }>

export function createTurns(deps: {
  app: App
  sessionId: SessionId
  childId: string
  clock: Clock
  log: Logger
  recorder: Recorder
  transcript: Transcript
  approvals: Approvals
  dialect: Dialect
  wire: Wire
  files: PromptFilesDeps
  /** The agent has no turns: a prompt is done once it is sent. */
  turnless: boolean
  /** Ends what runs for the agent. */
  endCommands(): Promise<void>
  /** Retries until the command is stored. */
  report(command: Command): Promise<void>
  mayRun(): boolean
  isDead(): boolean
  begins(): void
  /** The queue is empty. */
  idle(): void
}): Turns {
  const { app, sessionId, log, recorder, transcript, wire } = deps
  const { notes } = recorder
  const now = () => iso(deps.clock.now())
  const asked = Promise.withResolvers<void>()
  let over = Promise.withResolvers<void>()
  const told = new Set<string>()
  const nudges = new Set<string>()
  let pumping: Promise<void> | null = null
  let again = false
  let interrupts = 0
  let stopping: NodeJS.Timeout | undefined
  over.resolve()

  function pump(): void {
    again = true
    pumping ??= (async () => {
      while (again) {
        again = false
        while (await nextTurn());
      }
    })()
      .catch((error: unknown) => {
        log.error({ error: String(error) }, 'a turn failed')
        setTimeout(pump, 1000).unref()
      })
      .finally(() => {
        asked.resolve()
        pumping = null
        if (again) pump()
      })
  }

  async function nextTurn(): Promise<boolean> {
    if (!deps.mayRun()) return false
    const { sent, next } = await app.read.headOfQueue(sessionId)
    const item = sent ?? next
    if (!item) {
      deps.idle()
      return false
    }
    if (item.status === 'waiting') {
      const taken = await take(item)
      if (!taken.ok) {
        log.warn({ code: taken.fault.code }, 'failed to take a prompt from the queue')
        if (taken.fault.kind === 'unavailable') setTimeout(pump, 1000).unref()
        // Another reader took it, such as an open wait_for_instruction: there may be more.
        return taken.fault.code === 'already_sent'
      }
    }
    await run(item)
    return true
  }

  const take = ({ id }: QueueItem): Promise<Result<unknown>> =>
    app.dispatch({ type: 'queue.send', id, sessionId, messageId: derivedId<MessageId>(id, 'message') }, system)

  async function run(item: QueueItem): Promise<void> {
    deps.begins()
    if (takesNudge(item)) return nudge(item)
    if (deps.turnless) {
      const text = (await blocksOf(item)).map((block) => ('text' in block ? block.text : '')).join('\n\n')
      await deps.dialect.tell(`prompt-${item.id}`, 'prompt/send', { text })
      await deps.report({ type: 'queue.settle', id: item.id, sessionId, outcome: 'ended' })
      return
    }
    over = Promise.withResolvers<void>()
    if (notes.turn?.itemId !== item.id) notes.turn = { itemId: item.id, startedAt: now(), cancelled: false }
    notes.failure = null
    recorder.schedule()
    const prompt = await promptFor(item)
    const answering = wire.request<{ stopReason?: string }>(`prompt-${item.id}`, 'session/prompt', {
      sessionId: recorder.about.agentSessionId,
      prompt,
    })
    asked.resolve()
    // An earlier server cancelled the turn, but may not have told the agent.
    if (notes.turn?.cancelled) await tellCancel(item.id)
    const answer = await answering
    if (!deps.isDead()) await finish(item, answer)
    over.resolve()
  }

  /** The briefing goes along with the first prompt, after the person's words; repeated after a crash, the same prompt has it again. */
  async function promptFor(item: QueueItem): Promise<PromptBlock[]> {
    const blocks = await blocksOf(item)
    const { briefing } = notes
    if (briefing === null || (notes.briefedBy !== null && notes.briefedBy !== item.id)) return blocks
    notes.briefedBy = item.id
    recorder.schedule()
    return [...blocks, { type: 'text', text: briefing }]
  }

  async function blocksOf(item: QueueItem): Promise<PromptBlock[]> {
    const capabilities = deps.turnless ? null : recorder.about.capabilities
    const { blocks, notes: said } = await promptBlocks(item, capabilities, deps.files)
    for (const [index, words] of said.entries()) transcript.note(words, `${item.id} file ${index}`, now())
    return blocks
  }

  const takesNudge = ({ id, by }: QueueItem): boolean =>
    deps.dialect.isSpoken() && (by === 'system:watchdog' || nudges.has(id))

  /** Sent beside a running turn. */
  async function nudge({ id, text }: QueueItem): Promise<void> {
    await deps.dialect.tell(`nudge-${id}`, 'nudge', { message: text })
    await deps.report({ type: 'queue.settle', id, sessionId, outcome: 'ended' })
  }

  async function cancel({ keepAsks } = { keepAsks: false }): Promise<boolean> {
    const { turn } = notes
    if (deps.isDead()) return false
    if (turn === null) return interruptTurnless()
    turn.cancelled = true
    recorder.schedule()
    await tellCancel(turn.itemId)
    await deps.dialect.tell(`interrupt-${turn.itemId}`, 'session/interrupt', { reason: 'the turn was cancelled' })
    await deps.endCommands().catch((error: unknown) => log.warn({ error: String(error) }, 'a command may still run'))
    if (keepAsks) return true
    // ACP requires each open request to be answered with "cancelled"; closing the asks does that.
    for (const { offset } of recorder.held()) {
      const id = derivedId<AskId>(deps.childId, offset, 'ask')
      await app.dispatch({ type: 'ask.cancel', id, reason: 'the turn was cancelled' }, system)
    }
    return true
  }

  /** Whether an agent without turns works is not known, so it is always told. */
  async function interruptTurnless(): Promise<boolean> {
    if (!deps.turnless) return false
    interrupts += 1
    const key = `interrupt-${deps.clock.now()}-${interrupts}`
    await deps.dialect.tell(key, 'session/interrupt', { reason: 'cancelled by its operator' })
    return true
  }

  /** People who cancelled must not read that it works, nor wait for the stall clock. */
  function expectStop(itemId: string): void {
    clearTimeout(stopping)
    stopping = setTimeout(() => {
      const { turn } = notes
      if (turn?.itemId !== itemId || !turn.cancelled || deps.isDead()) return
      turn.ignoresCancel = true
      recorder.schedule()
      const what = 'The agent was told to stop and does not.'
      const text = `${what} To give it a new process: signalbox sessions restart-agent ${sessionId.slice(0, 8)}`
      void deps.report({ type: 'session.alert', id: sessionId, what: 'ignores_cancel', text })
    }, stoppingMs)
    stopping.unref()
  }

  async function finish(item: QueueItem, answer: TurnAnswer): Promise<void> {
    const cancelled = notes.turn?.cancelled ?? false
    const offset = answer.ok ? answer.value.offset : Number(answer.fault.details?.['offset'] ?? -1)
    transcript.endTurn(cancelled)
    if (!cancelled) {
      const failure = answer.ok ? null : answer.fault.message
      const words = answer.ok ? stopText(answer.value.value.stopReason) : `The agent could not finish: ${failure}`
      if (words !== null) transcript.note(words, offset >= 0 ? offset : item.id, now())
      if (failure !== null)
        notes.failure = { message: failure.slice(0, 300), rateLimited: soundsRateLimited(failure), at: now() }
    }
    notes.turn = null
    clearTimeout(stopping)
    await recorder.flush()
    const outcome = cancelled ? 'cancelled' : answer.ok ? 'ended' : 'failed'
    // Retried: an item that stays `sent` would be prompted again, and the agent answers only once.
    await deps.report({ type: 'queue.settle', id: item.id, sessionId, outcome })
    if (offset >= 0) recorder.settle(offset)
    await deps.approvals.endTurn()
  }

  /** Keyed by the turn: repeated after a crash, it reaches the agent once. */
  async function tellCancel(itemId: string): Promise<void> {
    const params = { sessionId: recorder.about.agentSessionId }
    if (told.has(itemId)) await wire.notify('session/cancel', params).catch(() => {})
    else await wire.send(`cancel-${itemId}`, { jsonrpc: '2.0', method: 'session/cancel', params })
    told.add(itemId)
    expectStop(itemId)
  }

  return {
    pump,
    async interrupt() {
      if (notes.turn === null || !deps.mayRun()) return
      // An item that an open wait_for_instruction took interrupts nothing.
      const { next } = await app.read.headOfQueue(sessionId)
      if (next?.when !== 'now' || notes.turn?.itemId === next.id) return
      if (!takesNudge(next)) await cancel()
      else if ((await take(next)).ok) await nudge(next)
    },
    isNudge: (id) => void nudges.add(id),
    cancel,
    asked: () => asked.promise,
    over: () => over.promise,
    abandon: () => over.resolve(),
  }
}
