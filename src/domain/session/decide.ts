import { derivedId } from '../../lib/derived-id.ts'
import { fail, notFound, ok, type Result } from '../../lib/result.ts'
import { sha256 } from '../../lib/secret.ts'
import { recoveryNote } from '../alert/decide.ts'
import type { AskChange } from '../ask/change.ts'
import { messageAdded } from '../message/decide.ts'
import type { MessageId } from '../message/schema.ts'
import { promptFilesOf, queueAdded, type Uploads } from '../queue/decide.ts'
import type { KeptItem } from '../queue/schema.ts'
import type { SessionId } from './id.ts'
import type { ListingCommand, ProgressItem, SessionChange, SessionCommand } from './schema.ts'
import { holdsSlot, waitsForContainer, type AgentPhase } from './phase.ts'
import { continuedAlready, ended, full, noContainer } from './refusals.ts'
import { hasEnded, isGitWork, mayBecome, type SessionStatus } from './status.ts'
import type { SessionFacts, SessionState } from './state.ts'

export type { SessionFacts, SessionState } from './state.ts'

type StartCommand = Extract<SessionCommand, { type: 'session.start' }>
type RejoinCommand = Extract<SessionCommand, { type: 'session.rejoin' }>
type OtherCommand = Extract<SessionCommand, { type: 'session.begin_work' | 'session.disallow' }>
type MoveCommand = Extract<SessionCommand, { reason: string | null }>
type PhaseCommand = Extract<
  SessionCommand,
  { type: 'session.sleep' | 'session.wake' | 'session.awake' | 'session.exit' }
>

const target: Readonly<Record<MoveCommand['type'], SessionStatus>> = {
  'session.activate': 'active',
  'session.pause': 'paused',
  'session.resume': 'active',
  'session.complete': 'completed',
  'session.cancel': 'cancelled',
  'session.fail': 'error',
  'session.terminate': 'terminated',
  'session.interrupt': 'interrupted',
  'session.recover': 'active',
}

/** The required start status of commands that share a target status. */
const onlyFrom: Partial<Readonly<Record<MoveCommand['type'], SessionStatus>>> = {
  'session.activate': 'created',
  'session.resume': 'paused',
  'session.recover': 'interrupted',
}

/** What a session takes over from the checkpoint it continues from. */
export type StartingPoint = {
  progress: readonly ProgressItem[] | null
  queue: readonly KeptItem[]
}

export function decideStart(
  existing: SessionState | undefined,
  predecessor: (SessionState & { liveSuccessor: SessionId | null; queued: boolean }) | undefined,
  command: StartCommand,
  facts: SessionFacts,
  from?: StartingPoint,
  uploads: Uploads = { found: [], sender: null },
): Result<SessionChange[]> {
  const { session } = command
  const files = promptFilesOf(command, uploads)
  if (!files.ok) return files
  if (existing)
    return fail({
      kind: 'conflict',
      code: 'session_already_exists',
      message: `Session ${session.id} already exists.`,
      hint: 'Use another id, or leave it out to get one.',
    })
  const { inThread = null } = facts
  if (inThread !== null && inThread !== command.restartOf)
    return fail({
      kind: 'conflict',
      code: 'thread_taken',
      message: 'The agent group has a session in this thread already.',
      details: { sessionId: inThread },
    })
  const changes: SessionChange[] = []
  let { taken } = facts.slots
  if (command.restartOf !== null) {
    if (!predecessor) return notFound('session', command.restartOf)
    if (predecessor.liveSuccessor !== null) return continuedAlready(predecessor.liveSuccessor)
    if (!hasEnded(predecessor.status)) {
      if (holdsSlot(predecessor.status, predecessor.agentPhase) && predecessor.protocolMode === session.protocolMode)
        taken -= 1
      changes.push(...moved(predecessor, 'terminated', 'replaced by a restart', taken))
    }
  }
  const isFull = taken >= facts.slots.limit
  const waits = waitsForContainer(session.isolation, facts.containers, predecessor, isFull)
  if (waits && command.queued === undefined) return noContainer(facts.containers?.limit ?? 0)
  // A client that only connected takes no slot.
  const connects = session.protocolMode === 'mcp' && Boolean(session.client)
  if (isFull && session.protocolMode !== 'terminal' && !waits && !connects) return full(session, facts.slots.limit)
  const tokenId = session.tokenId ?? predecessor?.tokenId ?? null
  changes.push({
    type: 'session.started',
    data: {
      id: session.id,
      ownerUserId: session.ownerUserId,
      protocolMode: session.protocolMode,
      workspaceRoot: session.workspaceRoot,
      repoId: session.repoId,
      restartOf: command.restartOf,
      promptHash: session.prompt === null ? null : sha256(session.prompt),
      tokenId,
      isolation: session.isolation,
      ...(command.network !== undefined && { network: command.network }),
    },
    // A restart keeps the token, client and chats of the old session, and gains no more trust.
    body: {
      ...session,
      tokenId,
      client: session.client ?? predecessor?.client ?? null,
      workspaceClaimed: (session.workspaceClaimed ?? false) || predecessor?.workspaceClaimed === 1,
      workspaceMark: facts.workspaceMark ?? null,
      status: command.active ? 'active' : 'created',
      // A container may have become free since: then it is started now.
      agentPhase: connects ? 'connected' : waits ? 'queued' : command.queued === undefined ? 'awake' : 'waking',
      sessionMode: session.sessionMode ?? predecessor?.sessionMode ?? null,
    },
  })
  for (const userId of predecessor?.delegates ?? [])
    if (userId !== session.ownerUserId) changes.push({ type: 'session.delegated', data: { id: session.id, userId } })
  // Waiting items come first, then the new prompt.
  if (from) changes.push(...takenUp(session.id, from, facts.by))
  else if (command.restartOf !== null && predecessor?.queued)
    changes.push({ type: 'queue.moved', data: { sessionId: session.id, from: command.restartOf } })
  if (command.promptItem !== undefined && session.prompt !== null) {
    const item = { id: command.promptItem, sessionId: session.id, when: 'next' as const }
    changes.push(queueAdded(item, session.prompt, facts.by, files.value))
  } else if (files.value) return fail(filesWithoutPrompt)
  if (command.active)
    changes.push({
      type: 'session.status_changed',
      data: { id: session.id, from: 'created', to: 'active', reason: null, slots: taken + Number(!connects) },
      body: { inserted: true },
    })
  return ok(changes)
}

const filesWithoutPrompt = {
  kind: 'invalid' as const,
  code: 'files_without_prompt',
  message: 'Files go along with the first prompt of an agent that Signalbox runs.',
  hint: 'Say what to do with them: send a prompt too.',
}

function takenUp(id: SessionId, { progress, queue }: StartingPoint, by: string): SessionChange[] {
  const items = queue.map(({ text, when, attachments = [], links = [] }, index) =>
    queueAdded(
      { id: derivedId(id, 'from checkpoint', index), sessionId: id, when },
      text,
      by,
      attachments.length + links.length > 0 ? { attachments, links } : undefined,
    ),
  )
  return [
    ...(progress === null ? [] : [{ type: 'session.touched' as const, data: { id, tool: null, progress } }]),
    ...items,
  ]
}

export function decideSession(
  session: Omit<SessionState, 'openAsks'> | undefined,
  command: Exclude<
    SessionCommand,
    StartCommand | RejoinCommand | MoveCommand | PhaseCommand | OtherCommand | ListingCommand
  >,
  facts: Moment,
): Result<SessionChange[]> {
  if (!session) return notFound('session', command.id)
  switch (command.type) {
    case 'session.touch': {
      if (hasEnded(session.status)) return ok([])
      return ok(touched(session, command, facts))
    }
    case 'session.end_turn':
      if (hasEnded(session.status) || session.protocolMode !== 'mcp' || session.turnOver !== 0) return ok([])
      return ok([{ type: 'session.turn_changed', data: { id: session.id, over: true } }])
    case 'session.set_mode':
      if (hasEnded(session.status)) return ended(session.status)
      if (session.mode === command.mode) return ok([])
      return ok([{ type: 'session.mode_changed', data: { id: session.id, from: session.mode, to: command.mode } }])
    case 'session.watch': {
      if (hasEnded(session.status)) return ended(session.status)
      const { paused, until } = command
      return ok([{ type: 'session.watch_changed', data: { id: session.id, paused, until: paused ? until : null } }])
    }
    case 'session.connect':
      if (session.connectivityStatus === command.connectivity || hasEnded(session.status)) return ok([])
      return ok([{ type: 'session.connectivity_changed', data: { id: session.id, to: command.connectivity } }])
    case 'session.set_thread':
      return ok([{ type: 'session.thread_opened', data: { id: session.id, threadTs: command.threadTs } }])
    case 'session.steer': {
      const { what, detail } = command
      if (hasEnded(session.status) && !isGitWork(what)) return ended(session.status)
      return ok([{ type: 'session.steered', data: { id: session.id, what, detail } }])
    }
    case 'session.alert':
      return ok([
        messageAdded(facts.noteId, session.id, 'system', { type: 'text', text: command.text, partial: false }),
        { type: 'session.alerted', data: { id: session.id, what: command.what, messageId: facts.noteId } },
      ])
    case 'session.delegate':
      if (session.delegates.includes(command.userId) || command.userId === session.ownerUserId) return ok([])
      return ok([{ type: 'session.delegated', data: { id: session.id, userId: command.userId } }])
    case 'session.undelegate':
      if (!session.delegates.includes(command.userId)) return ok([])
      return ok([{ type: 'session.undelegated', data: { id: session.id, userId: command.userId } }])
    default:
      return command satisfies never
  }
}

/** A client that reconnected as a new session continues its old one (R13), and takes over that slot. */
export function decideRejoin(
  session: SessionState | undefined,
  target: SessionState | undefined,
  command: RejoinCommand,
  facts: SessionFacts,
): Result<SessionChange[]> {
  if (!session) return notFound('session', command.id)
  const isSame = target?.ownerUserId === session.ownerUserId && target.protocolMode === session.protocolMode
  if (!target || !isSame || hasEnded(target.status)) return notFound('session', command.to)
  if (hasEnded(session.status)) return ended(session.status)
  if (session.openAsks.length > 0)
    return fail({
      kind: 'conflict',
      code: 'session_busy',
      message: 'This session is waiting for an answer; it can’t continue as another one now.',
    })
  const { taken } = facts.slots
  const back = target.status === 'interrupted' ? comesBack(target, 'its client is back', taken, facts.by) : []
  return ok([
    ...moved(session, 'completed', `its client continued as ${target.id}`, taken - 1),
    { type: 'session.rejoined', data: { id: session.id, to: target.id } },
    ...back,
  ])
}

const connectivity = ({ id, connectivityStatus }: SessionState, to: 'online' | 'offline'): SessionChange[] =>
  connectivityStatus === to ? [] : [{ type: 'session.connectivity_changed', data: { id, to } }]

/** A person paused it: an agent that reconnects does not end the pause. */
function comesBack(session: SessionState, reason: string | null, slots: number, by: string): SessionChange[] {
  const active = [...moved(session, 'active', reason, slots), ...connectivity(session, 'online')]
  if (session.wasPaused === 0 || by.startsWith('user:')) return active
  return [...active, ...moved({ ...session, status: 'active' }, 'paused', 'it was paused when it was lost', slots)]
}

const aSecond = 1000

type TouchCommand = Extract<SessionCommand, { type: 'session.touch' }>

/** Changes are always written; repeats at most once a second. */
function touched(session: Omit<SessionState, 'openAsks'>, command: TouchCommand, facts: Moment): SessionChange[] {
  const { tool, progress, beat = false } = command
  const changed = progress !== undefined && JSON.stringify(progress) !== session.progress
  const still = beat && !changed
  const { stallPaused, stallPausedUntil } = session
  // The owner's pause takes precedence over the agent's.
  const ownersPause = stallPaused !== 0 && (stallPausedUntil === null || Date.parse(stallPausedUntil) > facts.now)
  const longUntil = beat && !ownersPause ? (command.longUntil ?? null) : undefined
  const long = longUntil !== undefined && longUntil !== session.stallPausedUntil
  const life = [...signOfLife(session, tool, facts), ...(tool === null ? begins(session) : [])]
  if (!changed && !long && !still) return life
  if (!changed && !long && !life.some(({ type }) => type === 'session.touched')) return life
  const data = {
    id: session.id,
    tool,
    ...(progress !== undefined && { progress }),
    ...(still && { still }),
    ...(long && { longUntil }),
  }
  return [{ type: 'session.touched', data }, ...life.filter(({ type }) => type !== 'session.touched')]
}

export type Moment = Pick<SessionFacts, 'now' | 'noteId'>
type Lively = Pick<SessionState, 'id' | 'lastActivityAt' | 'lastTool' | 'connectivityStatus'> & { turnOver?: number }

/** The session is not stalled after all, so its alert closes. */
const recovered = ({ id, connectivityStatus }: Lively, noteId: MessageId): SessionChange[] => [
  ...(connectivityStatus === 'stalled'
    ? [{ type: 'alert.recovered' as const, data: { sessionId: id } }, recoveryNote(id, derivedId(noteId, 'recovered'))]
    : []),
  ...(connectivityStatus === 'online'
    ? []
    : [{ type: 'session.connectivity_changed' as const, data: { id, to: 'online' as const } }]),
]

/** Written at most once a second unless the tool changed (R5); any sign of life brings a session back online. */
export function signOfLife(session: Lively, tool: string | null, { now, noteId }: Moment): SessionChange[] {
  const { id, lastActivityAt, lastTool } = session
  const fresh = lastActivityAt !== null && now - Date.parse(lastActivityAt) < aSecond
  const changes: SessionChange[] = []
  if (!fresh || (tool !== null && tool !== lastTool)) changes.push({ type: 'session.touched', data: { id, tool } })
  return [...changes, ...(tool === null ? [] : begins(session)), ...recovered(session, noteId)]
}

/** An agent that works again is in a turn again. */
const begins = ({ id, turnOver = 0 }: Lively): SessionChange[] =>
  turnOver === 0 ? [] : [{ type: 'session.turn_changed', data: { id, over: false } }]

export function decideMove(
  session: SessionState | undefined,
  command: MoveCommand,
  facts: SessionFacts,
): Result<SessionChange[]> {
  if (!session) return notFound('session', command.id)
  const to = target[command.type]
  const from = onlyFrom[command.type]
  if (!mayBecome(session.status, to) || (from !== undefined && from !== session.status))
    return fail({
      kind: 'conflict',
      code: 'illegal_transition',
      message: hasEnded(session.status)
        ? `Session already ended (${session.status}).`
        : `Can't ${command.type.replace('session.', '')} this session: it is ${session.status}.`,
      details: { status: session.status, wanted: to },
    })
  const { taken, limit } = facts.slots
  // It has a new process, so an agent that was asleep is awake.
  const startsAgent = command.type === 'session.activate' || command.type === 'session.recover'
  const phase = startsAgent && session.agentPhase !== 'connected' ? 'awake' : session.agentPhase
  const had = holdsSlot(session.status, session.agentPhase)
  const needsSlot = holdsSlot(to, phase) && !had && session.protocolMode !== 'terminal'
  if (needsSlot && taken >= limit) return full(session, limit)
  const slots = taken + Number(holdsSlot(to, phase)) - Number(had)
  const awake: SessionChange[] =
    phase === session.agentPhase ? [] : [phaseChanged(session, phase, 'its agent has started', slots)]
  const noted = (to === 'completed' || to === 'paused') && command.reason !== null && facts.by.startsWith('system:')
  if (command.type === 'session.recover') return ok([...awake, ...comesBack(session, command.reason, slots, facts.by)])
  const changes: SessionChange[] = [...awake, ...moved(session, to, command.reason, slots, noted)]
  // Its connection or its process is gone (X2).
  if (to === 'interrupted') changes.push(...connectivity(session, 'offline'))
  if (to === 'cancelled' || to === 'error') {
    const what = to === 'cancelled' ? 'The session was cancelled' : 'The session ended with an error'
    const text = command.reason === null ? `${what}.` : `${what}: ${command.reason}`
    changes.push(messageAdded(facts.noteId, session.id, 'system', { type: 'text', text, partial: false }))
  }
  return ok(changes)
}

/** Ending a session closes its open asks; interrupting it keeps them. */
export function moved(
  session: SessionState,
  to: SessionStatus,
  reason: string | null,
  slots: number,
  noted = false,
): SessionChange[] {
  const change: SessionChange = {
    type: 'session.status_changed',
    data: { id: session.id, from: session.status, to, reason, slots },
    ...(noted && { body: { noted: true } }),
  }
  if (!hasEnded(to)) return [change]
  const asks = session.openAsks.map((id): AskChange => ({
    type: 'ask.interrupted',
    data: { id, sessionId: session.id },
  }))
  return [...asks, change]
}

export const phaseChanged = (
  { id, agentPhase: from }: Pick<SessionState, 'id' | 'agentPhase'>,
  to: AgentPhase,
  why: string,
  slots: number,
  wakeAt: string | null = null,
): SessionChange => ({ type: 'session.phase_changed', data: { id, from, to, why, wakeAt, slots } })
