import { iso } from '../../lib/clock.ts'
import { hasEnded, type SessionStatus } from '../session/status.ts'
import type { Activity } from '../session/phase.ts'
import type { Diagnosis, Turn } from './about.ts'

/** Protocol activity noted by the driver; enough to tell causes of silence apart. */
export type Signs = {
  turn: Turn | null
  /** When the agent last sent anything. */
  heardAt: string | null
  openTools: readonly { title: string; since: string }[]
  /** The same call repeated with the same arguments. */
  repeats: { title: string; count: number } | null
  failure: { message: string; rateLimited: boolean; at: string } | null
}

const manyTimes = 3

export function diagnose(
  session: {
    status: SessionStatus
    openAsks: readonly { title: string; createdAt: string }[]
    endedAt: string | null
    activity?: Activity | null
    sleepingSince?: string | null
  },
  signs: Signs,
  facts: { now: number; silentAfterMs: number },
): Diagnosis {
  const { status } = session
  if (session.activity === 'queued')
    return tell('queued', null, 'It waits until a container is free.', 'Cancel it, or end a session that runs in one.')
  if (status === 'created') return tell('starting', null, 'The agent is starting.')
  if (status === 'interrupted')
    return tell('dead', session.endedAt, 'The agent was lost with its keeper or machine.', 'Recover the session.')
  if (status === 'error')
    return tell('dead', session.endedAt, 'The agent crashed or could not start.', 'Its last output: signalbox logs ID')
  if (hasEnded(status)) return tell('done', session.endedAt, `The session is ${status}.`, 'Continue it as a new one.')
  const [ask] = session.openAsks
  if (ask)
    return tell('waiting_for_person', ask.createdAt, `It is waiting for an answer: ${ask.title}`, 'signalbox asks')
  if (session.activity === 'asleep')
    return tell(
      'asleep',
      session.sleepingSince ?? null,
      'Its agent was ended to free a slot.',
      'Send a prompt to wake it.',
    )
  if (status === 'paused') return tell('paused', null, 'The session is paused.', 'Resume it.')
  return signs.turn === null ? betweenTurns(signs) : inTurn(signs, signs.turn, facts)
}

function betweenTurns({ failure, heardAt }: Signs): Diagnosis {
  if (failure?.rateLimited) return limited(failure)
  if (failure) return tell('idle', failure.at, `The last turn failed: ${failure.message}`, 'Send another prompt.')
  return tell('idle', heardAt, 'The turn has ended; it is waiting for a prompt.')
}

function inTurn(signs: Signs, turn: Turn, { now, silentAfterMs }: { now: number; silentAfterMs: number }): Diagnosis {
  const { repeats, failure, openTools } = signs
  if (turn.ignoresCancel === true)
    return tell(
      'ignores_cancel',
      turn.startedAt,
      'It was told to stop, but has not stopped.',
      'Give it a new process: signalbox sessions restart-agent ID. Or end the session.',
    )
  if (repeats !== null && repeats.count >= manyTimes)
    return tell(
      'looping',
      turn.startedAt,
      `${repeats.title} was called ${repeats.count} times with the same arguments.`,
      'Cancel the turn.',
    )
  // Anything sent after the failure shows that the limit is over.
  if (failure?.rateLimited && (signs.heardAt === null || signs.heardAt <= failure.at)) return limited(failure)
  const heardAt = signs.heardAt !== null && signs.heardAt > turn.startedAt ? signs.heardAt : turn.startedAt
  if (now - Date.parse(heardAt) < silentAfterMs) return tell('working', turn.startedAt, 'It is working.')
  const [tool] = openTools
  return tool
    ? tell('child_hung', tool.since, `${tool.title} has not come back since ${tool.since}.`, 'Cancel the turn.')
    : tell('model_silent', heardAt, `The agent has sent nothing since ${heardAt}.`, 'Cancel the turn, or wait.')
}

const limited = (failure: { message: string; at: string }): Diagnosis =>
  tell('rate_limited', failure.at, `The model refuses for now: ${failure.message}`, 'Wait, then send a prompt.')

const tell = (
  cause: Diagnosis['cause'],
  since: string | null,
  detail: string,
  hint: string | null = null,
): Diagnosis => ({ cause, since: since === null ? null : iso(Date.parse(since)), detail, hint })

/** Messages agents print when their model temporarily refuses requests. */
export const soundsRateLimited = (text: string): boolean =>
  /\b429\b|rate.?limit|too many requests|quota|overloaded|resource.?exhausted/i.test(text)
