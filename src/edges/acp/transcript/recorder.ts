import type { App } from '../../../app/app.ts'
import type { AgentAbout, Turn, Usage } from '../../../domain/agent/about.ts'
import type { Signs } from '../../../domain/agent/diagnose.ts'
import type { AgentRecord } from '../../../domain/agent/schema.ts'
import type { SessionId } from '../../../domain/session/id.ts'
import { backoff } from '../../../lib/backoff.ts'
import type { Json } from '../../../lib/json.ts'
import type { Logger } from '../../../lib/log.ts'
import { within } from '../../../lib/within.ts'
import type { Approval } from '../calls/stored-approval.ts'
import type { OwnNotes } from '../own-tools.ts'
import type { Transcript, TranscriptNotes } from './transcript.ts'
import { storable } from './words.ts'
import { createSerialQueue } from '../../../lib/serial-queue.ts'
import { anyJson, ownJson } from '../../../lib/parse-json.ts'

/** A call of the agent that waits for a person or a program, kept so that it can be put to us again. */
export type HeldCall = { readonly offset: number; readonly message: object }

/** The driver's own notes, stored with the offset they belong to. */
export type Notes = Signs & {
  /** Updates before this place are in the messages already. */
  applied: number
  turn: Turn | null
  usage: Usage | null
  /** The seed's own stream methods were heard. */
  dialect: boolean
  /** How often the budget was asked about. */
  budgetAsks: number
  /** What was allowed at first, and is allowed again each time. */
  firstBudget: AgentAbout['budget']
  transcript: TranscriptNotes
  /** An old conversation is told again: it is in our messages already. Until the next turn begins. */
  replaying: boolean
  /** How its session was asked for, until there is one. */
  opening: { authMethod: string | null; continues: string | null; forks: boolean } | null
  /** What people allowed and is not over yet. */
  approvals: readonly Approval[]
  own: OwnNotes
  /** When the process that is there now was met. */
  metAt: string | null
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
}

/**
 * Three places in the agent's output matter here. `readUpTo`: every line before it was handed on. The smallest of the
 * unsettled ones: a line whose effect is not stored yet, from which on a new server must read again. `applied`, kept in the
 * notes: updates before it are in the messages already, so that lines read again for another's sake are not applied twice.
 */

/** Stores what the agent says at most every 250 ms, and how far it was read, in one transaction. */
export type Recorder = {
  readonly notes: Notes
  readonly about: AgentAbout
  setAbout(about: Partial<AgentAbout>): void
  /** A line whose effect is not stored yet; nothing from there on counts as read. */
  begin(offset: number): void
  /** Its effect is stored, or it has none. */
  settle(offset: number): void
  /** It is kept as a held call, so that reading may go on. */
  kept(offset: number): void
  hold(call: HeldCall): void
  held(): readonly HeldCall[]
  usedTool(title: string): void
  schedule(): void
  /** Done when everything said before the call is stored. */
  flush(): Promise<void>
  backlog(): number
  /** The last of it; false where the database did not take it: then nothing was acknowledged either. */
  stop(stderr: string): Promise<boolean>
  /** A database that is away is not waited for any longer. */
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
  /** Where the first line begins that was not handed on yet. */
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
    // Not kept and not acknowledged: whoever comes next reads it again.
    if (kept === 'unavailable') {
      unstored = true
      return
    }
    if (kept === 'refused') await recordApart(command)
    storedOffset = offset
    storedState = state
    storedHeard = heard
    // A slow disk is not made slower by writing more often than it can.
    waits = Math.max(every, (performance.now() - began) * 4)
    deps.acknowledge(offset)
  }

  /** A database that is away is waited for. */
  async function record(command: AgentRecord): Promise<'kept' | 'refused' | 'unavailable'> {
    for (let attempt = 1; ; attempt += 1) {
      const done = await app.dispatch(command, { kind: 'system', name: 'acp' }).catch((error: unknown) => ({
        ok: false as const,
        fault: { code: 'failed', kind: 'invalid', message: String(error) },
      }))
      if (done.ok) return 'kept'
      const { code, kind, message } = done.fault
      log.error({ code, message, attempt }, 'what the agent said could not be stored')
      if (kind !== 'unavailable') return 'refused'
      if (givenUp) return 'unavailable'
      await within(hurried.promise, backoff(attempt, 100, 2000))
    }
  }

  /** One message the database can't hold takes no other with it. */
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
    async stop(lastWords) {
      stderr = storable(lastWords)
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
