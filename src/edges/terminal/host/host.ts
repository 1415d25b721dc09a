import { setTimeout as pause } from 'node:timers/promises'
import type { App } from '../../../app/app.ts'
import { authorizeAction } from '../../../app/authorize-action.ts'
import type { Detection, SearchAnswer, Terminals } from '../../../app/terminals.ts'
import type { SessionId } from '../../../domain/session/schema.ts'
import type { Terminal } from '../../../domain/terminal/schema.ts'
import type { UserId } from '../../../domain/user/id.ts'
import { systemStanding, type Actor } from '../../../domain/user/actor.ts'
import { iso, type Clock } from '../../../lib/clock.ts'
import type { Logger } from '../../../lib/log.ts'
import { fail, ok, type Failed, type Fault, type Result } from '../../../lib/result.ts'
import { withTimeLimit } from '../../../lib/time-limit.ts'
import type { TypingContext } from '../protocol.ts'
import { mayAct, reach, type ReachedTerminal } from './access.ts'
import { createPromptAsks, type AskRules, type PromptAsks } from './prompt-asks.ts'
import { noKeyboard, noKeeper, notYet, elsewhere, notLive, unwatched } from './faults.ts'
import { createTerminalRegistry, system } from './terminal-registry.ts'
import type { LiveTerminal } from './live-terminal.ts'
import { createRecordings } from './recordings.ts'
import { createConfirmedAnswers } from './confirmed-answers.ts'
import { createStarting, type StartingDeps } from './starting.ts'
import { createAdoption } from './adoption.ts'
import type { AnswerInput, TypedAnswer } from './answering/answer-input.ts'
import { typeAnswer } from './answering/type-answer.ts'

export type { Confined } from './starting.ts'

export type TerminalHostDeps = StartingDeps & {
  app: App
  clock: Clock
  log: Logger
  dataDir: string
  masks: readonly string[]
  recordingBytes: number
  asks: AskRules
}

export type TerminalHost = Terminals & {
  readonly asks: Pick<PromptAsks, 'heard' | 'holdSecret' | 'dropSecret'>
  adoptAll(): Promise<void>
  /** Its session has ended: stops watching it. */
  ended(id: SessionId): Promise<void>
  /** Stops following logs that a person may no longer read. */
  roleRevoked(userId: UserId): Promise<void>
  /** Whether this node watches it. */
  isHere(id: SessionId): boolean
  close(): Promise<void>
}

/** All operations on terminals (T1). */
export function createTerminalHost(deps: TerminalHostDeps): TerminalHost {
  const { app, clock, log } = deps
  const asks = createPromptAsks({
    app,
    clock,
    log,
    rules: deps.asks,
    nodeId: deps.nodeId,
    async type(id, input) {
      const live = all.get(id)
      if (!live) return ok({ status: 'refused_stale' })
      return typeInto(live, { ...input, keys: [], pressEnter: true, actor: system, approved: true })
    },
  })
  const rules = createConfirmedAnswers({
    app,
    clock,
    log,
    async isAttended(id) {
      const childId = all.get(id)?.childId ?? null
      const children = childId === null ? [] : ((await link.current()?.list()) ?? [])
      return (children.find((child) => child.id === childId)?.pty?.attached ?? 0) > 0
    },
    typedAt: (id) => all.get(id)?.typedAt ?? 0,
    async type(id, input) {
      const live = all.get(id)
      if (!live) return 'refused_stale'
      const wanted = {
        ...input,
        keys: [],
        pressEnter: true,
        secret: false,
        actor: system,
        approved: true,
        byRule: true,
      }
      const typed = await typeInto(live, wanted)
      return typed.ok ? typed.value.status : 'refused_unreadable'
    },
  })
  const unseen = (error: unknown) => log.error({ error: String(error) }, 'a confirmed answer could not be typed')
  const registry = createTerminalRegistry({
    ...deps,
    seen(id, detection, program) {
      // A log takes no input: what it waits for is shown, but does not become an ask.
      if (all.get(id)?.childId === null) return
      asks.seen(id, detection)
      void rules.seen(id, detection, program).catch(unseen)
    },
    over: asks.gone,
    outcome({ promptId, success }) {
      if (success === false) void rules.failed(promptId).catch(unseen)
    },
    restarted: () => adoption.adoptAll(),
  })
  const { all, link, ask, directoryOf } = registry
  const starting = createStarting(deps, registry)
  const adoption = createAdoption({ ...deps, settle: asks.settle, over: asks.gone }, registry, starting)
  const recordings = createRecordings({ directoryOf, find: (id) => all.get(id) ?? null, readers: registry.readers })

  async function typeInto(live: LiveTerminal, wanted: AnswerInput): Promise<Result<TypedAnswer>> {
    const { childId } = live
    const keeper = link.current()
    if (childId === null) return fail(noKeyboard)
    if (!keeper) return fail(noKeeper)
    const look = () => ask<TypingContext>(live, { what: 'typing_context' })
    return live.answers.run(() => typeAnswer({ keeper, childId, typists: live.typists, look }, wanted))
  }

  const placed = (terminal: Terminal): Terminal => {
    const live = all.get(terminal.sessionId)
    return {
      ...terminal,
      logFile: terminal.logFile === '' ? directoryOf(terminal.sessionId) : terminal.logFile,
      ...(live && { filePosition: Math.max(live.position, terminal.filePosition), epoch: live.epoch }),
    }
  }
  const shown = ({ terminal }: ReachedTerminal): Terminal => placed(terminal)
  const withPlace = (result: Result<Terminal>): Result<Terminal> => (result.ok ? ok(placed(result.value)) : result)

  const seen = (found: ReachedTerminal) => ({
    terminal: shown(found),
    detection: all.get(found.terminal.sessionId)?.detection ?? null,
  })

  async function withLive<T>(
    id: SessionId,
    actor: Actor,
    work: (live: LiveTerminal) => Promise<Result<T>>,
  ): Promise<Result<T>> {
    const found = await reach(app, id, actor)
    if (!found.ok) return found
    const live = all.get(id)
    if (live) return work(live)
    return fail(found.value.terminal.state === 'active' ? away(found.value) : notLive(shown(found.value)))
  }

  const away = (found: ReachedTerminal): Fault => (found.row.node_id === deps.nodeId ? notYet : elsewhere(found))

  /** Stops watching; its program keeps running. Gives how much was recorded, or null if it was not watched here. */
  async function unwatch(id: SessionId, reason: string): Promise<number | null> {
    const live = all.get(id)
    const [row] = await app.read.terminals(systemStanding('terminal'), id)
    if (!row || row.row.node_id !== deps.nodeId) return null
    await asks.gone(id, reason)
    if (live) await registry.letGo(live)
    // Its output from now on is only for attached people.
    const { child_id: childId } = row.row
    if (childId !== null) link.current()?.ack(childId, Number.MAX_SAFE_INTEGER)
    if (row.row.closed_at === null)
      await app.dispatch({ type: 'terminal.close', id, exitCode: null, exitSignal: null }, system)
    return live?.recorded ?? null
  }

  /** Its end is stored a moment after its program is gone. */
  async function whenOver(id: SessionId, actor: Actor): Promise<Result<Terminal>> {
    const end = clock.now() + overMs
    for (;;) {
      const after = await reach(app, id, actor)
      if (!after.ok) return after
      if (after.value.terminal.state === 'stopped' || clock.now() > end) return ok(shown(after.value))
      await pause(10)
    }
  }

  /** The last screen of a program that has just ended; null if unknown. */
  async function lastWords(live: LiveTerminal): Promise<string | null> {
    await withTimeLimit(live.closed.promise, overMs)
    const found = await reach(app, live.id, system)
    const screen = found.ok ? await recordings.lastScreen(live.id, shown(found.value), 'text') : found
    return screen.ok ? screen.value.screen : null
  }

  /** It printed something, and its recording was deleted. */
  const isGone = async ({ terminal, row }: ReachedTerminal): Promise<boolean> =>
    row.child_id !== null && terminal.filePosition > 0 && (await recordings.size(terminal.sessionId)) === 0

  const acting = async (id: SessionId, actor: Actor, what: 'type' | 'hang_up'): Promise<Failed | null> => {
    const found = await reach(app, id, actor)
    return found.ok ? mayAct(app, id, actor, what) : found
  }

  return {
    check: starting.check,
    start: async (input) => withPlace(await starting.start(input)),
    adopt: async (childId, actor) => withPlace(await adoption.adopt(childId, actor)),
    asks,
    adoptAll: adoption.adoptAll,
    async ended(id) {
      await unwatch(id, 'The session has ended.')
    },
    async roleRevoked(userId) {
      if ((await starting.logRoots(userId, null)) === null) return
      const reason = 'its owner no longer has the machine right'
      // One by one: a list would contain only the newest.
      for (const id of [...all.keys()] as SessionId[]) {
        const [found] = await app.read.terminals(systemStanding('terminal'), id)
        if (!found) continue
        const { terminal, row } = found
        const isTheirs = terminal.ownerUserId === userId && row.started_by === null && row.log_file !== null
        if (!isTheirs) continue
        await unwatch(row.session_id, reason)
        await app.dispatch({ type: 'session.complete', id: row.session_id, reason }, system)
      }
    },
    isHere: (id) => all.has(id),
    async list(actor, page) {
      const found = await app.read.terminals(await app.read.standing(actor), undefined, page)
      return ok(found.map(seen))
    },
    async get(id, actor) {
      const found = await reach(app, id, actor)
      return found.ok ? ok(seen(found.value)) : found
    },
    async stop(id, actor) {
      const refused = await acting(id, actor, 'hang_up')
      if (refused) return refused
      const captured = await unwatch(id, 'Watching was stopped.')
      const known = await reach(app, id, actor)
      if (!known.ok) return known
      if (known.value.terminal.state === 'active') {
        await app.dispatch({ type: 'session.complete', id, reason: 'watching was stopped' }, system)
      }
      const after = await reach(app, id, actor)
      if (!after.ok) return after
      return ok({ terminal: shown(after.value), bytesCaptured: captured ?? (await recordings.size(id)) })
    },
    async end(id, actor) {
      const refused = authorizeAction(actor, 'terminal.end') ?? (await acting(id, actor, 'hang_up'))
      if (refused) return refused
      const found = await reach(app, id, actor)
      if (!found.ok) return found
      const { child_id: childId } = found.value.row
      if (childId === null) return fail(noKeyboard)
      const keeper = await link.find()
      const child = keeper.ok && keeper.value ? (await keeper.value.list()).find((one) => one.id === childId) : null
      // It may no longer be watched, but its program is still there.
      if (!keeper.ok || !keeper.value || !child) return fail(notLive(shown(found.value)))
      const live = all.get(id)
      if (live) live.hungUpBy = actor
      await keeper.value.end(childId, 1000)
      return whenOver(id, actor)
    },
    mayType: (id, actor) => acting(id, actor, 'type'),
    async detect(id, actor) {
      const found = await reach(app, id, actor)
      if (!found.ok) return found
      const live = all.get(id)
      const detected = live ? await ask<Detection>(live, { what: 'detect' }) : null
      if (detected !== null && (detected.ok || detected.fault.kind !== 'not_found')) return detected
      const stored = shown(found.value)
      const isSettled = stored.state === 'stopped' || found.value.row.node_id !== deps.nodeId
      // Released just now because its program ended: that is about to be stored.
      const now = detected === null && isSettled ? ok(stored) : await whenOver(id, actor)
      if (!now.ok) return now
      if (now.value.state !== 'stopped') return fail(away(found.value))
      return isOver(now.value) ? ok(overDetection(now.value, clock.now())) : fail(unwatched)
    },
    async updates(id, input, actor) {
      const found = await reach(app, id, actor)
      if (!found.ok) return found
      const live = input.format === 'screen' ? all.get(id) : undefined
      const screen = live
        ? await ask<{ screen: string; offset: number }>(live, { what: 'screen', format: 'text' })
        : null
      if (!live || !screen || (!screen.ok && screen.fault.kind === 'not_found')) {
        const read = await recordings.updates(id, input)
        const isEmpty = read.ok && read.value.text === ''
        return isEmpty && (await isGone(found.value)) ? ok({ ...read.value, truncated: true }) : read
      }
      if (!screen.ok) return screen
      const cursor = recordings.cursor(live.epoch, screen.value.offset)
      return ok({ text: screen.value.screen, cursor, epoch: live.epoch, truncated: false, hasMore: false })
    },
    async printed(id, input, actor) {
      const found = await reach(app, id, actor)
      return found.ok ? recordings.printed(id, input) : found
    },
    async screen(id, format, actor) {
      const found = await reach(app, id, actor)
      if (!found.ok) return found
      const live = all.get(id)
      const shownNow = live
        ? await ask<{ screen: string; offset: number; cols: number; rows: number }>(live, { what: 'screen', format })
        : null
      // Released just now: its last screen is in the recording.
      return shownNow?.ok ? shownNow : recordings.lastScreen(id, shown(found.value), format)
    },
    async input({ id, actor, ...wanted }) {
      const refused = await acting(id, actor, 'type')
      if (refused) return refused
      return withLive(id, actor, async (live) => {
        const typed = await typeInto(live, { ...wanted, actor })
        if (!typed.ok) return typed
        const { status, screenAfter, isOver } = typed.value
        return ok({ status, screenAfter: isOver ? ((await lastWords(live)) ?? screenAfter) : screenAfter })
      })
    },
    async resize(id, size, actor) {
      const refused = authorizeAction(actor, 'terminal.resize') ?? (await acting(id, actor, 'hang_up'))
      if (refused) return refused
      return withLive(id, actor, async (live) => {
        const keeper = link.current()
        if (live.childId === null || !keeper) return fail(noKeyboard)
        return keeper.resize(live.childId, size)
      })
    },
    async live(id, from, actor, signal) {
      const found = await reach(app, id, actor)
      return found.ok ? ok(recordings.live(id, from, signal)) : found
    },
    async cast(id, version, actor) {
      const found = await reach(app, id, actor)
      return found.ok ? recordings.cast(id, version) : found
    },
    async search(query, actor): Promise<Result<SearchAnswer>> {
      const found = await app.read.terminals(await app.read.standing(actor), query.sessionId ?? undefined)
      if (query.sessionId !== null && found.length === 0) return reach(app, query.sessionId, actor) as Promise<Failed>
      return recordings.search(
        found.map(({ terminal }) => terminal.sessionId),
        query,
      )
    },
    async close() {
      asks.close()
      await registry.close()
    },
  }
}

const overMs = 3000

/** Its program has ended, or was lost with its keeper. If it is only unwatched, the program may keep running. */
const isOver = ({ exitCode, exitSignal, status }: Terminal): boolean =>
  exitCode !== null || exitSignal !== null || status === 'interrupted'

/** Nothing waits in a terminal that has ended. */
const overDetection = ({ filePosition }: Terminal, now: number): Detection => ({
  waiting: false,
  state: 'exited',
  promptId: null,
  promptText: '',
  promptType: 'unknown',
  confidence: 1,
  matchedPattern: '',
  filePosition,
  timestamp: iso(now),
  isDangerous: false,
  dangerReason: null,
  decidedBy: 'kernel',
  suggestedInputs: [],
  choices: [],
  default: null,
  secret: false,
  evidence: [{ signal: 'kernel', says: 'nothing', detail: 'The terminal has ended.' }],
})
