import { iso } from '../../lib/clock.ts'
import { fail, notFound, ok, type Failed, type Result } from '../../lib/result.ts'
import { canResume, type AgentAbout } from '../agent/about.ts'
import type { AgentChange } from '../agent/schema.ts'
import { messageAdded } from '../message/decide.ts'
import { queueAdded } from '../queue/decide.ts'
import type { QueueItem } from '../queue/schema.ts'
import type { AgentGroupId } from '../user/id.ts'
import { moved, phaseChanged, type SessionFacts, type SessionState } from './decide.ts'
import { crashesSoFar, holdsSlot, isContainer, restartDelay } from './phase.ts'
import { ended, full, noContainer } from './refusals.ts'
import type { SessionChange, SessionCommand } from './schema.ts'
import { hasEnded } from './status.ts'

export type PhaseCommand = Extract<
  SessionCommand,
  { type: 'session.sleep' | 'session.wake' | 'session.awake' | 'session.exit' }
>

/** What is known of the hosted agent, besides its session. */
export type HostedFacts = {
  readonly about: Pick<AgentAbout, 'agentSessionId' | 'capabilities' | 'turnless'>
  readonly crashes: number
  readonly crashedAt: string | null
  /** The prompt of its turn, if it is in one. */
  readonly sent: QueueItem | undefined
  readonly waiting: boolean
  /** Whether agents that people started are restarted too. */
  readonly restartAll: boolean
}

type Hosted = SessionState & { agentGroupId: AgentGroupId | null; phaseSince: string | null }
type Decided = Result<(SessionChange | AgentChange)[]>

export function decidePhase(
  session: Hosted | undefined,
  hosted: HostedFacts | undefined,
  command: PhaseCommand,
  facts: SessionFacts,
): Decided {
  if (!session) return notFound('session', command.id)
  if (!hosted || session.protocolMode !== 'acp') return fail(notHosted)
  switch (command.type) {
    case 'session.sleep':
      return command.why === 'restart'
        ? restart(session, hosted, command, facts)
        : sleep(session, hosted, command.why, facts)
    case 'session.wake':
      return wake(session, facts)
    case 'session.awake':
      if (hasEnded(session.status)) return ended(session.status)
      // Restarted again in the meantime: that process is not the one that is wanted.
      if (session.agentPhase !== 'waking' || session.phaseSince !== command.since) return fail(notWaking)
      return ok([phaseChanged(session, 'awake', 'its agent has started', facts.slots.taken)])
    case 'session.exit':
      return exit(session, hosted, command, facts)
    default:
      return command satisfies never
  }
}

/** Only with nothing open, so that nothing has to be repeated. */
function sleep(session: Hosted, hosted: HostedFacts, why: string, facts: SessionFacts): Decided {
  if (session.status !== 'active') return hasEnded(session.status) ? ended(session.status) : busy(session.status)
  if (session.agentPhase === 'asleep') return ok([])
  if (session.agentPhase !== 'awake') return busy('starting')
  if (!canResume(hosted.about)) return fail(cannotResume)
  if (session.openAsks.length > 0) return busy('waiting for an answer')
  if (hosted.sent || hosted.waiting || hosted.about.turnless) return busy('working')
  return ok([phaseChanged(session, 'asleep', why, facts.slots.taken - 1)])
}

/** Its slot is kept. The prompt that the old process works on is over: only the next process gets `onWake`. */
function restart(
  session: Hosted,
  hosted: HostedFacts,
  { onWake }: Extract<PhaseCommand, { type: 'session.sleep' }>,
  facts: SessionFacts,
): Decided {
  const { id, agentPhase } = session
  if (session.status !== 'active') return hasEnded(session.status) ? ended(session.status) : busy(session.status)
  if (!canResume(hosted.about)) return fail(cannotResume)
  const needsSlot = !holdsSlot(session.status, agentPhase)
  const refused = needsSlot ? noRoom(session, facts) : null
  if (refused) return refused
  const changes: SessionChange[] = []
  if (hosted.sent)
    changes.push({ type: 'queue.delivered', data: { id: hosted.sent.id, sessionId: id, outcome: 'cancelled' } })
  if (onWake) changes.push(queueAdded({ id: onWake.itemId, sessionId: id, when: 'now' }, onWake.text, facts.by))
  return ok([...changes, phaseChanged(session, 'waking', 'restart', facts.slots.taken + Number(needsSlot))])
}

function wake(session: Hosted, facts: SessionFacts): Decided {
  const { status, agentPhase } = session
  if (hasEnded(status)) return ended(status)
  if (agentPhase === 'awake' || agentPhase === 'waking') return ok([])
  if (status !== 'active' && agentPhase === 'asleep') return busy(status)
  // First come, first served.
  if (agentPhase === 'queued' && !facts.by.startsWith('system:')) return busy('queued')
  const refused = noRoom(session, facts)
  if (refused) return refused
  return ok([phaseChanged(session, 'waking', 'something to do', facts.slots.taken + 1)])
}

function noRoom(session: Hosted, { slots, containers }: SessionFacts): Failed | null {
  if (slots.taken >= slots.limit) return full(session, slots.limit)
  if (containers && isContainer(session.isolation) && containers.taken >= containers.limit)
    return noContainer(containers.limit)
  return null
}

/** Agents of groups serve people who are not watching: they are restarted. Others are not (A9), unless configured. */
function exit(
  session: Hosted,
  hosted: HostedFacts,
  { what, how }: Extract<PhaseCommand, { type: 'session.exit' }>,
  facts: SessionFacts,
): Decided {
  const { id, status, agentPhase } = session
  const { taken } = facts.slots
  // It was ended on purpose, and another process is started or will be.
  if (hasEnded(status) || (how === 'unstarted' ? agentPhase !== 'waking' : agentPhase !== 'awake')) return ok([])
  const serves = session.agentGroupId !== null
  const resumes = canResume(hosted.about) && status !== 'created'
  if (how === 'clean')
    return ok(
      serves && resumes
        ? [phaseChanged(session, 'asleep', what, taken - 1)]
        : moved(session, 'completed', what, taken - 1, true),
    )
  const crashes = crashesSoFar(hosted, facts.now)
  const delay = resumes && (serves || hosted.restartAll) ? restartDelay(crashes) : null
  const note = (text: string) => messageAdded(facts.noteId, id, 'system', { type: 'text', text, partial: false })
  if (delay === null && how === 'lost') return ok(moved(session, 'interrupted', what, taken - 1))
  if (delay === null) {
    const again = crashes > 0 ? ` after ${crashes === 1 ? '1 restart' : `${crashes} restarts`}` : ''
    return ok([...moved(session, 'error', what, taken - 1), note(`The session ended with an error${again}: ${what}`)])
  }
  const seconds = delay / 1000
  return ok([
    { type: 'agent.crashed', data: { id, crashes: crashes + 1 } },
    phaseChanged(session, 'waking', 'crash', taken, iso(facts.now + delay)),
    note(`The agent crashed and will be restarted in ${seconds === 1 ? '1 second' : `${seconds} seconds`}: ${what}`),
  ])
}

const busy = (what: string): Failed =>
  fail({ kind: 'conflict', code: 'session_busy', message: `This session can't do that now: it is ${what}.` })

const notHosted = {
  kind: 'conflict' as const,
  code: 'not_hosted',
  message: 'Signalbox does not run the agent of this session.',
}

const notWaking = { kind: 'conflict' as const, code: 'not_waking', message: 'This agent is not being started.' }

const cannotResume = {
  kind: 'conflict' as const,
  code: 'cannot_resume',
  message: "This agent can't continue its conversation in a new process.",
  hint: 'Continue the session as a new one.',
}
