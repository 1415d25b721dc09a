import type { ChosenAtStart } from '../../../app/hosting.ts'
import type { App } from '../../../app/app.ts'
import type { AgentAbout, Turn, Usage } from '../../../domain/agent/about.ts'
import type { Signs } from '../../../domain/agent/diagnose.ts'
import type { AgentRecord } from '../../../domain/agent/schema.ts'
import type { SessionId } from '../../../domain/session/id.ts'
import { backoff } from '../../../lib/backoff.ts'
import type { Json } from '../../../lib/json.ts'
import type { Logger } from '../../../lib/log.ts'
import { withTimeLimit } from '../../../lib/time-limit.ts'
import type { Approval } from '../calls/stored-approval.ts'
import type { OwnNotes } from '../own-tools.ts'
import type { Transcript, TranscriptNotes } from './transcript.ts'
import { storable } from './storable-text.ts'
import { createSerialQueue } from '../../../lib/serial-queue.ts'
import { anyJson, ownJson } from '../../../lib/parse-json.ts'

/** A call that waits for a person or a program, stored so that the next server can handle it again. */
export type HeldCall = { readonly offset: number; readonly message: object }

export type Opening = {
  authMethod: string | null
  continues: string | null
  forks: boolean
  /** The conversation is one of the agent's own: its replay becomes messages. */
  takesUp?: boolean
  chosen?: ChosenAtStart
}

/** The driver's own notes, stored with the offset they belong to. */
export type Notes = Signs & {
  /** Updates before this offset are in the messages already. */
  applied: number
  turn: Turn | null
  usage: Usage | null
  /** The agent used the dialect's stream methods. */
  dialect: boolean
  /** How many budget asks were opened. */
  budgetAsks: number
  /** The first budget, which each approval adds again. */
  firstBudget: AgentAbout['budget']
  transcript: TranscriptNotes
  /** An old conversation is being replayed; its messages are stored already, or `shown`. Ends with the next turn. */
  replaying: boolean | 'shown'
  /** How the agent's session is opened; for repeating the handshake. */
  opening: Opening | null
  /** Approvals that are not settled yet. */
  approvals: readonly Approval[]
  own: OwnNotes
  /** When the handshake with the current process began. */
  metAt: string | null
  /** What a new conversation is told first, and the prompt that it went along with. */
  briefing: string | null
  briefedBy: string | null
}

export const freshNotes: Notes = {
  applied: 0,
  turn: null,
  heardAt: null,
  openTools: [],
  repeats: null,
  failure: null,
  usage: null,
  dialect: false,
  budgetAsks: 0,
  firstBudget: null,
  transcript: { text: null, plan: null, tools: [] },
  opening: null,
  replaying: false,
  approvals: [],
  own: { server: '', tokens: [] },
  metAt: null,
  briefing: null,
  briefedBy: null,
}

/**
 * Three offsets in the agent's output matter. `readUpTo`: all lines before it were handed on. The smallest unsettled
 * offset: the first line whose effect is not stored, where a new server starts reading. `applied`, in the notes:
 * updates before it are in the messages already, so a line that is read again is not applied twice.
 */

/** Stores the agent's messages and the offset read so far, in one transaction at most every 250 ms. */
export type Recorder = {
  readonly notes: Notes
  readonly about: AgentAbout
  setAbout(about: Partial<AgentAbout>): void
  /** Marks a line whose effect is not stored yet; the stored offset stays before it. */
  begin(offset: number): void
  /** The line's effect is stored, or it has none. */
  settle(offset: number): void
  /** The line is stored as a held call, so the offset may move past it. */
  kept(offset: number): void
  hold(call: HeldCall): void
  held(): readonly HeldCall[]
  usedTool(title: string): void
  schedule(): void
  /** Resolves when everything received before is stored. */
  flush(): Promise<void>
  backlog(): number
  /** Stores the rest. False if the database did not take it; then it was not acknowledged either. */
  stop(stderr: string, ended: NonNullable<AgentRecord['ended']>): Promise<boolean>
  /** Stops waiting for an unavailable database. */
  giveUp(): void
}

const every = 250

export function createRecorder(deps: {
  app: App
  sessionId: SessionId
  log: Logger
  notes: Notes
  about: AgentAbout
  held: readonly HeldCall[]
  storedOffset: number
  transcript: () => Transcript
  /** The offset of the first line that was not handed on. */
  readUpTo(): number
  acknowledge(offset: number): void
}): Recorder {
  const { app, sessionId, log, notes } = deps
  const unsettled = new Set<number>()
  const calls = new Map(deps.held.map((call) => [call.offset, call]))
  let about = deps.about
  let aboutChanged = false
  let heldChanged = false
  let tool: string | null = null
  let stderr: string | undefined
  let ended: AgentRecord['ended']
  let timer: NodeJS.Timeout | null = null
  const queue = createSerialQueue()
  let waits = every
  let storedOffset = deps.storedOffset
  let storedState = ''
  let storedHeard = notes.heardAt
  let givenUp = false
  let unstored = false
  const hurried = Promise.withResolvers<void>()

  function safeOffset(): number {
    let safe = deps.readUpTo()
    for (const offset of unsettled) safe = Math.min(safe, offset)
    return safe
  }

  async function store(): Promise<void> {
    const transcript = deps.transcript()
    notes.transcript = transcript.notes()
    notes.openTools = transcript.openTools()
    notes.repeats = transcript.repeats()
    notes.applied = deps.readUpTo()
    const offset = safeOffset()
    const writes = transcript.takeWrites()
    const state = JSON.stringify(notes)
    const changes = {
      ...(aboutChanged && { about: about as unknown as Json }),
      ...(heldChanged && { held: [...calls.values()] as unknown as Json }),
      ...(state !== storedState && { state: ownJson(state, 'The state', anyJson) }),
      ...(stderr !== undefined && { stderr }),
      ...(ended !== undefined && { ended }),
    }
    if (writes.length === 0 && offset === storedOffset && Object.keys(changes).length === 0) return
    aboutChanged = false
    heldChanged = false
    const heard = notes.heardAt
    const command = {
      type: 'agent.record' as const,
      id: sessionId,
      offset,
      writes,
      tool,
      heard: heard !== storedHeard,
      ...changes,
    }
    tool = null
    const began = performance.now()
    const kept = await record(command)
    // Not acknowledged: the next server reads it again.
    if (kept === 'unavailable') {
      unstored = true
      return
    }
    if (kept === 'refused') await recordApart(command)
    transcript.stored()
    storedOffset = offset
    storedState = state
    storedHeard = heard
    // On a slow disk, write less often.
    waits = Math.max(every, (performance.now() - began) * 4)
    deps.acknowledge(offset)
  }

  /** Retries while the database is unavailable. */
  async function record(command: AgentRecord): Promise<'kept' | 'refused' | 'unavailable'> {
    for (let attempt = 1; ; attempt += 1) {
      const done = await app.dispatch(command, { kind: 'system', name: 'acp' }).catch((error: unknown) => ({
        ok: false as const,
        fault: { code: 'failed', kind: 'invalid', message: String(error) },
      }))
      if (done.ok) return 'kept'
      const { code, kind, message } = done.fault
      log.error({ code, message, attempt }, "failed to store the agent's output")
      if (kind !== 'unavailable') return 'refused'
      if (givenUp) return 'unavailable'
      await withTimeLimit(hurried.promise, backoff(attempt, 100, 2000))
    }
  }

  /** Stores messages one by one, so that only the one the database refuses is lost. */
  async function recordApart(command: AgentRecord): Promise<void> {
    const { type, id, tool: used } = command
    for (const write of command.writes) {
      const alone = await record({ type, id, offset: storedOffset, writes: [write], tool: null })
      if (alone === 'refused') log.error({ message: write.id }, 'a message from the agent was lost')
    }
    await record({ ...command, writes: [], tool: used === null ? null : 'unknown' })
  }

  function flush(): Promise<void> {
    if (timer) clearTimeout(timer)
    timer = null
    return queue.run(store).catch((error: unknown) => log.error({ error: String(error) }, 'the recorder failed'))
  }

  return {
    notes,
    get about() {
      return about
    },
    setAbout(change) {
      about = { ...about, ...change }
      aboutChanged = true
    },
    begin: (offset) => void unsettled.add(offset),
    settle(offset) {
      unsettled.delete(offset)
      if (calls.delete(offset)) heldChanged = true
      this.schedule()
    },
    kept: (offset) => void unsettled.delete(offset),
    hold(call) {
      calls.set(call.offset, call)
      heldChanged = true
    },
    held: () => [...calls.values()],
    usedTool: (title) => {
      tool = storable(title.slice(0, 200))
    },
    schedule() {
      timer ??= setTimeout(() => void flush(), waits)
    },
    flush,
    backlog: () => deps.transcript().size(),
    async stop(lastWords, life) {
      stderr = storable(lastWords)
      ended = life
      await flush()
      if (timer) clearTimeout(timer)
      timer = null
      return !unstored
    },
    giveUp() {
      givenUp = true
      hurried.resolve()
    },
  }
}
