import type { Diagnosis } from '../domain/agent/about.ts'
import type { Ask } from '../domain/ask/schema.ts'
import { stateWords } from '../domain/session/phase.ts'
import type { Session } from '../domain/session/schema.ts'
import type { User } from '../domain/user/schema.ts'
import type { Cell } from './columns.ts'
import { isWholeId, shortId } from './ids.ts'
import type { Colour } from './output.ts'

const statusColours: Partial<Record<Session['status'] | Ask['status'], Colour>> = {
  active: 'green',
  paused: 'yellow',
  interrupted: 'red',
  error: 'red',
  failed: 'red',
  open: 'yellow',
  completed: 'dim',
  cancelled: 'dim',
  terminated: 'dim',
  expired: 'dim',
}

export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

/** What a session is doing, else its status. */
export function sessionCell(session: Pick<Session, 'status' | 'activity' | 'waiting' | 'queuePosition'>): Cell {
  const text = stateWords(session)
  const colour = session.waiting ? 'yellow' : session.activity === 'asleep' ? 'dim' : statusColours[session.status]
  return colour === undefined ? text : { text, colour }
}

export function statusCell(status: Session['status'] | Ask['status'], more = ''): Cell {
  const colour = statusColours[status]
  const text = status + more
  return colour === undefined ? text : { text, colour }
}

const riskColours: Record<Ask['riskLevel'], Colour> = { low: 'dim', high: 'yellow', critical: 'red' }
export const riskCell = (risk: Ask['riskLevel']): Cell => ({ text: risk, colour: riskColours[risk] })

/** `user:<id>` as a name if known; whole ids are shortened. */
export function actorText(actor: string, people: ReadonlyMap<string, string>): string {
  const [kind = '', ...rest] = actor.split(':')
  const name = rest.join(':')
  if (kind === 'user') return people.get(name) ?? `user ${shortId(name)}`
  return isWholeId(name) ? `${kind} ${shortId(name)}` : actor
}

export const roleText = ({ roles }: Pick<User, 'roles'>): string =>
  roles
    .map(({ role, agentGroupId }) => (agentGroupId === null ? role : `${role} of ${shortId(agentGroupId)}`))
    .join(', ')

const causeColours: Partial<Record<Diagnosis['cause'], Colour>> = {
  waiting_for_person: 'yellow',
  paused: 'yellow',
  model_silent: 'yellow',
  rate_limited: 'yellow',
  looping: 'red',
  child_hung: 'red',
  dead: 'red',
}

/** Why a session makes no progress, if it makes none. */
export function causeText(cause: Diagnosis['cause']): Cell {
  const text = cause === 'waiting_for_person' ? 'waiting for a person' : cause.replaceAll('_', ' ')
  const colour = causeColours[cause]
  return colour === undefined ? text : { text, colour }
}
