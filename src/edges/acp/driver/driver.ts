import { canResume, nothingKnown } from '../../../domain/agent/about.ts'
import { hasEnded, type SessionStatus } from '../../../domain/session/status.ts'
import type { Exit } from '../../../keeper-client/client.ts'
import { iso } from '../../../lib/clock.ts'
import { newRandomId } from '../../../lib/id.ts'
import { fail, ok, type Failed, type Fault, type Result } from '../../../lib/result.ts'
import { isLate, type Late } from '../../../lib/patience.ts'
import { withTimeLimit } from '../../../lib/time-limit.ts'
import { awaitStart } from './effort.ts'
import { createSharedBudgets } from '../../../app/budget/budgets.ts'
import { createBudgetWatch } from '../../../app/use-cases/budget-watch.ts'
import { system } from '../actor.ts'
import { createApprovals } from '../calls/approvals.ts'
import type { CallDeps } from '../calls/ask-for-call.ts'
import { createCalls } from '../calls/calls.ts'
import { createDialect } from '../calls/dialect.ts'
import { performHandshake, handshakeRequestIds } from '../wire/handshake.ts'
import { createRecorder, freshNotes, type Notes } from '../transcript/recorder.ts'
import { waitsForPerson } from '../calls/terminal-calls.ts'
import { createTranscript } from '../transcript/transcript.ts'
import { createWire } from '../wire/wire.ts'
import { askToClose } from './ask-to-close.ts'
import { createShutdown } from './shutdown.ts'
import type { Driver, DriverDeps } from './driver-types.ts'
import { createOwnServer } from './own-server.ts'
import { createInputRouter, createReplay } from './input-router.ts'
import { createIdleWatch } from './idle-watch.ts'
import { resumeWork } from './resumed-work.ts'
import { applyStart } from './apply-start.ts'
import { createAgentOptions } from './agent-options.ts'
import { createTurns } from './turns.ts'
import { activation, exitOf, type Activation } from './activation.ts'
import { exitText, startFaultOf } from './end-text.ts'

/** The next server finishes what this one began. */
const stopping: Fault = { kind: 'unavailable', code: 'server_stopping', message: 'The server is stopping.' }
const closeMs = 1000
const releaseMs = 3000

export function createDriver(deps: DriverDeps): Driver {
  const { shared, sessionId, childId } = deps
  const { app, clock, keeper } = shared
  const log = shared.log.child({ session: sessionId })
  const now = () => iso(clock.now())
  const closing = new AbortController()
  const notes: Notes = deps.stored?.notes ?? { ...freshNotes }
  let status = deps.status
  let ready = false
  /** While true, the queue waits until interrupted work is resumed. */
  let resuming = false
  const replay = createReplay(clock)
  let ending: Promise<void> | null = null
  let exited: Exit | null = null
  let pauseGate: PromiseWithResolvers<void> | null = null
  let listening: Disposable | null = null

  const transcript = createTranscript({
    sessionId,
    childId,
    publish: (frame) => app.live.publish({ sessionId, ...frame }),
    cancelled: () => notes.turn?.cancelled ?? false,
    ...(deps.stored && { from: { notes: notes.transcript, messages: deps.messages } }),
  })
  const input = createInputRouter({
    start: deps.stored?.offset ?? 0,
    log,
    now,
    notes,
    transcript,
    replay,
    closing: closing.signal,
    usageReported() {
      budget.check()
      inBackground(checkShared())
    },
    toolFinished: (toolCallId) => approvals.finished(toolCallId),
    recorder: () => recorder,
    wire: () => wire,
    dialect: () => dialect,
  })
  const recorder = createRecorder({
    app,
    sessionId,
    log,
    notes,
    about: deps.stored?.about ?? deps.known ?? nothingKnown,
    held: deps.stored?.held ?? [],
    storedOffset: deps.stored?.offset ?? 0,
    transcript: () => transcript,
    readUpTo: input.readUpTo,
    acknowledge: (offset) => keeper.ack(childId, offset),
  })
  const ownServer = createOwnServer({ shared: { ...shared, log }, sessionId, recorder })
  const { files, undo } = deps
  const approvals = createApprovals({ app, sessionId, log, files, undo, notes })
  const callDeps: CallDeps = {
    shared: { ...shared, log },
    sessionId,
    childId,
    recorder,
    transcript: () => transcript,
    answers: deps.answers,
    approvals,
    files,
    terminals: deps.terminals,
    missingFileIsEmpty: deps.agent.quirks.missingFileIsEmpty,
    offsetOf: (requestId) => wire.offsetOf(requestId),
    callAt: input.callAt,
    wasApplied: input.wasApplied,
    unpaused: async () => pauseGate?.promise,
    closing: closing.signal,
  }
  const wire = createWire({
    client: createCalls(callDeps),
    log,
    life: newRandomId<string>().slice(0, 8),
    write: (key, text) => keeper.write(childId, key, text),
    settled(offset) {
      input.forget(offset)
      recorder.settle(offset)
    },
  })
  const dialect = createDialect({ ...callDeps, wire: () => wire, spoken: deps.agent.dialect === 'intercom' })
  const turnless = deps.agent.dialect === 'intercom'
  const isDead = () => closing.signal.aborted || exited !== null
  const turns = createTurns({
    app,
    sessionId,
    childId,
    clock,
    log,
    recorder,
    transcript,
    approvals,
    dialect,
    wire,
    files: { workspace: deps.workspace, content: (id) => app.read.attachmentContent(id), save: deps.save },
    turnless,
    endCommands: () => shutdown.endCommands(),
    report: (command) => shutdown.report(command),
    mayRun: () => ready && !resuming && status === 'active' && ending === null && !isDead(),
    isDead,
    begins() {
      idle.stop()
      notes.replaying = false
    },
    idle: () => idle.start(),
  })
  const idle = createIdleWatch({
    app,
    clock,
    sessionId,
    recorder,
    idleMs: shared.idleMs,
    sleepMs: deps.sleepMs,
    canSleep: () => canResume(recorder.about) && !turnless,
    log,
    isActive: () => status === 'active' && ending === null && !isDead(),
  })
  const options = createAgentOptions(wire, recorder, shared.startupMs)
  const shutdown = createShutdown({ app, keeper, childId, recorder })
  const budget = createBudgetWatch({ app, sessionId, record: recorder, log })
  const sharedBudgets = createSharedBudgets({ app, clock })
  app.live.grow(sessionId, transcript.growing)

  /** What was spent together is known when this report is stored. */
  async function checkShared(): Promise<void> {
    await recorder.flush()
    await sharedBudgets.check(sessionId)
  }

  /** Runs work that nobody awaits; failures are logged. */
  function inBackground(work: Promise<unknown>): void {
    work.catch((error: unknown) => log.error({ error: String(error) }, 'something that an agent started failed'))
  }

  async function listen(): Promise<Result<void>> {
    const heard = await keeper.listen(childId, deps.stored?.offset ?? 0, { data: input.data, exit: onExit })
    if (!heard.ok) return heard
    listening = heard.value
    return ok(undefined)
  }

  // The end

  /** After all of its output was handled. */
  const onExit = (exit: Exit): void => void setImmediate(exitNow, exit)

  function exitNow(exit: Exit): void {
    exited = exit
    if (ending) return
    const between = notes.turn === null
    ending = (async () => {
      closing.abort()
      wire.close()
      transcript.lose()
      notes.turn = null
      const { stderr, kept } = await shutdown.endProcesses(0)
      // Not stored: the keeper still has it, and the next server ends it.
      if (!kept) return detach()
      const completed = exit.code === 0 && between
      if (ready) await shutdown.report(exitOf(sessionId, completed ? null : exitText(exit, stderr), deps.isLost(exit)))
      await cleanUp()
    })().catch((error: unknown) => log.error({ error: String(error) }, 'failed to clean up after an agent'))
    turns.abandon()
  }

  async function cleanUp(): Promise<void> {
    await detach()
    await ownServer.revoke(shutdown.report)
    await shutdown.forget()
    deps.gone()
  }

  async function detach(): Promise<void> {
    closing.abort()
    pauseGate?.resolve()
    wire.close()
    listening?.[Symbol.dispose]()
    idle.stop()
    app.live.grow(sessionId, null)
  }

  const mayClose = () => ready && !isDead()

  function end(options = { keepAsks: false }): Promise<void> {
    ending ??= (async () => {
      const closing = exited ? Promise.resolve() : askToClose({ turns, recorder, wire, mayClose }, options)
      await closing.catch((error: unknown) => log.warn({ error: String(error) }, 'an agent did not end normally'))
      transcript.endTurn(true)
      notes.turn = null
      const { kept } = await shutdown.endProcesses(closeMs)
      if (kept) await cleanUp()
      else await detach()
    })().catch(async (error: unknown) => {
      log.error({ error: String(error) }, 'an agent could not be ended normally')
      shutdown.stopWaiting()
      await detach()
      deps.gone()
    })
    return ending
  }

  async function activate(how: Activation): Promise<Result<void>> {
    const active = await app.dispatch(activation(sessionId, how), system)
    if (!active.ok) return active
    // Paused while it was asleep: it stays paused.
    if (typeof how === 'string') status = 'active'
    ready = true
    return ok(undefined)
  }

  return {
    childId,
    metAt: () => notes.metAt ?? '',
    async begin(handshake, command, since = '') {
      const { confinement, budget: allowed, worktree, choices, chosen, briefing, leftOut, ...input } = handshake
      const { authMethod, continues, forks, takesUp = false } = input
      recorder.setAbout({ confinement, budget: allowed, worktree, authMethod, turnless })
      notes.opening = { authMethod, continues, forks, takesUp, ...(chosen && { chosen }) }
      notes.metAt = now()
      recorder.schedule()
      const offsets: number[] = []
      wire.expect(handshakeRequestIds)
      const heard = await listen()
      const introduce = () =>
        performHandshake(wire, {
          ...input,
          version: shared.version,
          ownServer: (http) => ownServer.announce(input.mcpServers, http),
          settle: (offset) => void offsets.push(offset),
          replaying: (on) => void (notes.replaying = on && (takesUp ? 'shown' : true)),
        })
      const introduced = heard.ok ? await awaitStart(keeper, childId, shared.startupMs, introduce()) : heard
      if (closing.signal.aborted && !exited) return fail(stopping)
      if (isLate(introduced) || !introduced.ok) return fail(await startFault(introduced))
      wire.expect([])
      recorder.setAbout(introduced.value.about)
      if (introduced.value.loaded === 'loaded') await replay.over(isDead).then(() => transcript.closeText())
      if (introduced.value.loaded === 'lost')
        transcript.note('The agent could not resume its earlier conversation; it starts a new one.', 'anew', now())
      await recorder.flush()
      resuming = command !== 'session.activate'
      const active = await activate(command)
      for (const offset of offsets) if (offset >= 0) recorder.settle(offset)
      if (!active.ok) {
        await end()
        return active
      }
      if (['new', 'lost'].includes(introduced.value.loaded)) notes.briefing = briefing
      const refused = await applyStart(options, () => recorder.about, { choices, chosen })
      for (const [n, text] of refused.entries()) transcript.note(text, `choice ${n}`, now())
      if (leftOut !== null) transcript.note(leftOut, 'left out', now())
      // An agent that was put to sleep had nothing to do; one that crashed may have been in a turn.
      const isLost = command === 'session.recover' || (resuming && (await app.read.headOfQueue(sessionId)).sent)
      if (isLost)
        await resumeWork(app, sessionId, introduced.value.loaded !== 'lost', { since, metAt: notes.metAt ?? now() })
      resuming = false
      if (await sharedBudgets.check(sessionId)) status = 'paused'
      turns.pump()
      return ok(undefined)
    },
    async adopt() {
      ready = true
      for (const { offset, message } of deps.stored?.held ?? []) input.replay(message, offset)
      if (status === 'paused') pauseGate = Promise.withResolvers<void>()
      const { sent } = await app.read.headOfQueue(sessionId)
      wire.expect(sent ? [`prompt-${sent.id}`] : [])
      // Expect the answer before listening: the agent may have answered and exited in between.
      if (sent && status === 'active') {
        turns.pump()
        await turns.asked()
      }
      const heard = await listen()
      if (!heard.ok) {
        log.error({ code: heard.fault.code }, 'could not reconnect to an agent')
        const reason = "its agent's messages from that time are lost"
        await app.dispatch({ type: 'session.interrupt', id: sessionId, reason }, system)
        return end({ keepAsks: true })
      }
      if (status === 'created') await activate('session.activate')
      budget.check()
      turns.pump()
    },
    heard(event) {
      if (event.type.startsWith('ask.')) idle.touch()
      if (event.type === 'alert.nudged') turns.isNudge(event.data.itemId)
      else if (event.type === 'queue.added' || event.type === 'queue.changed') {
        if (event.data.when === 'now') inBackground(turns.interrupt())
        turns.pump()
      } else if (event.type === 'queue.moved') turns.pump()
      else if (event.type === 'ask.answered') inBackground(budget.answered(event.data.id))
      else if (event.type === 'session.status_changed') moved(event.data.to)
    },
    cancelTurn: () => turns.cancel(),
    setMode: options.setMode,
    setOption: options.setOption,
    conversations: () => options.conversations(deps.workspace),
    end,
    async release() {
      listening?.[Symbol.dispose]()
      const stored = ending ?? recorder.flush()
      // Output not stored in time is still in the keeper, for the next server.
      if (
        (await withTimeLimit(
          stored.then(() => true),
          releaseMs,
        )) === undefined
      )
        shutdown.stopWaiting()
      await stored
      await detach()
    },
    lost: lose,
  }

  function moved(to: SessionStatus): void {
    status = to
    if (to === 'paused') {
      pauseGate ??= Promise.withResolvers<void>()
      // An agent waiting for a permission is idle; its request is held until the session resumes.
      if (!recorder.held().some(waitsForPerson)) inBackground(turns.cancel())
      return
    }
    pauseGate?.resolve()
    pauseGate = null
    idle.touch()
    if (to === 'active') turns.pump()
    else if (hasEnded(to)) void end()
  }

  async function startFault(why: Late | Failed): Promise<Fault> {
    const exit = exited
    ending ??= shutdown.endProcesses(0).then(cleanUp)
    const cut = await ending.then(() => null, cutOff)
    if (cut) return cut
    const stderr = (await app.read.agent(sessionId))?.stderr ?? ''
    return startFaultOf(sessionId, { exit, why, stderr, startupMs: shared.startupMs })
  }

  /** The keeper ended between the start of the process and the handshake. */
  async function cutOff(error: unknown): Promise<Fault> {
    log.warn({ error: String(error) }, 'the keeper ended before an agent connected')
    await lose()
    deps.gone()
    return stopping
  }

  async function lose(): Promise<void> {
    ending ??= Promise.resolve()
    turns.abandon()
    closing.abort()
    transcript.lose()
    notes.turn = null
    shutdown.stopWaiting()
    await recorder.stop('', { childId, code: null, signal: null })
    await ownServer.revoke(shutdown.report)
    await detach()
  }
}
