import { moves, type Step } from './steps.ts'

export type ModelSession = {
  owner: number
  protocol: 'mcp' | 'acp' | 'terminal'
  status: string
  delegates: Set<number>
  offline: boolean
  /** Which session it continues. */
  continues?: number
}
export type ModelAsk = {
  session: number | null
  kind: 'diff' | 'command' | 'prompt' | 'question'
  sole: boolean
  needed: number
  status: string
  voters: Set<number>
  answer: string | null
  expiresAt: number | null
}

/** What Signalbox should do, in as few words as possible and without any of its code. */
export type Model = {
  minute: number
  sessions: ModelSession[]
  asks: ModelAsk[]
  roles: Set<'owner' | 'admin'>[]
  events: number
}

export const limits = { mcp: 3, acp: 2, terminal: 0 }
export const newModel = (): Model => ({
  minute: 0,
  sessions: [],
  asks: [],
  roles: [new Set(['owner']), new Set(), new Set(), new Set()],
  events: 0,
})

const ended = (status: string) => ['completed', 'cancelled', 'error', 'terminated'].includes(status)
const takesSlot = (status: string) => ['created', 'active', 'paused'].includes(status)
export const slotsOf = (model: Model, protocol: string) =>
  model.sessions.filter((session) => session.protocol === protocol && takesSlot(session.status)).length
const openOf = (model: Model, session: number) =>
  model.asks.filter((ask) => ask.session === session && ask.status === 'open')
const isFull = (model: Model, protocol: keyof typeof limits) =>
  protocol !== 'terminal' && slotsOf(model, protocol) >= limits[protocol]

/** 0 is Signalbox itself; n is person n - 1. */
function mayOperate(model: Model, who: number, session: ModelSession): string | null {
  const person = who - 1
  if (who === 0 || session.owner === person || session.delegates.has(person)) return null
  return model.roles[person]?.size ? 'not_owner' : 'not_found'
}

function mayAnswer(model: Model, who: number, ask: ModelAsk): string | null {
  if (who === 0) return null
  if (ask.session === null) return model.roles[who - 1]?.size ? null : 'not_found'
  const session = model.sessions[ask.session]!
  const refused = mayOperate(model, who, session)
  // An answer there is typed, as the server's user.
  return refused ?? (session.protocol === 'terminal' && !model.roles[who - 1]?.size ? 'needs_machine' : null)
}

const closedCode = (status: string) =>
  ['expired', 'interrupted', 'cancelled'].includes(status) ? `ask_${status}` : 'already_answered'

function end(model: Model, index: number): number {
  const open = openOf(model, index)
  for (const ask of open) ask.status = 'interrupted'
  return open.length
}

/** Changes the model and returns null, or returns why nothing changes. */
export function take(model: Model, step: Exclude<Step, { do: 'wait' }>): string | null {
  const log = (n: number) => {
    model.events += n
    return null
  }
  switch (step.do) {
    case 'start': {
      if (isFull(model, step.protocol)) return 'session_limit'
      const owner = Math.max(0, step.who - 1)
      model.sessions.push({
        owner,
        protocol: step.protocol,
        status: step.active ? 'active' : 'created',
        delegates: new Set(),
        offline: false,
      })
      return log(step.active ? 2 : 1)
    }
    case 'restart': {
      const old = model.sessions[step.session]!
      const refused = mayOperate(model, step.who, old)
      if (refused) return refused
      if (model.sessions.some((other) => other.continues === step.session && !ended(other.status)))
        return 'already_continued'
      const was = old.status
      if (!ended(was)) old.status = 'terminated'
      if (isFull(model, step.protocol)) {
        old.status = was
        return 'session_limit'
      }
      if (!ended(was)) log(end(model, step.session) + 1)
      const owner = Math.max(0, step.who - 1)
      // The old session's delegates are delegates of the new one.
      const delegates = new Set([...old.delegates].filter((person) => person !== owner))
      model.sessions.push({
        owner,
        protocol: step.protocol,
        status: 'active',
        delegates,
        offline: false,
        continues: step.session,
      })
      return log(2 + delegates.size)
    }
    case 'move': {
      const session = model.sessions[step.session]!
      const { to, from, by } = moves[step.move]
      if (step.move === 'activate' && step.who !== 0) return 'not_for_callers'
      const refused = mayOperate(model, step.who, session)
      if (refused) return refused
      if (by === 'system' && step.who !== 0) return 'not_for_callers'
      if (!(from as readonly string[]).includes(session.status)) return 'illegal_transition'
      if (step.move === 'recover' && isFull(model, session.protocol)) return 'session_limit'
      session.status = to
      // A session that is interrupted is offline until it is active again (X2).
      if ((to === 'interrupted') !== session.offline && (to === 'interrupted' || to === 'active')) {
        session.offline = to === 'interrupted'
        log(1)
      }
      return log(1 + (ended(to) ? end(model, step.session) : 0) + (to === 'cancelled' || to === 'error' ? 1 : 0))
    }
    case 'delegate':
    case 'undelegate': {
      const session = model.sessions[step.session]!
      const refused = mayOperate(model, step.who, session)
      if (refused) return refused
      const person = step.who - 1
      const gives = step.do === 'undelegate' && person === step.target
      if (step.who !== 0 && person !== session.owner && !gives) return 'not_owner'
      const has = session.delegates.has(step.target)
      if (step.do === 'undelegate') return session.delegates.delete(step.target) ? log(1) : null
      if (has || step.target === session.owner) return null
      session.delegates.add(step.target)
      return log(1)
    }
    case 'say': {
      const session = model.sessions[step.session]!
      return mayOperate(model, step.who, session) ?? (ended(session.status) ? 'session_ended' : log(1))
    }
    case 'open': {
      const session = step.session < 0 ? null : step.session
      if (step.needed > 1 && (step.kind === 'prompt' || step.kind === 'question')) return 'votes_do_not_fit'
      if (session !== null && ended(model.sessions[session]!.status)) return 'session_ended'
      if (session !== null && step.sole && openOf(model, session).some((ask) => ask.sole)) return 'approval_pending'
      const expiresAt = step.minutes === 0 ? null : model.minute + step.minutes
      const { kind, needed, sole } = step
      model.asks.push({ session, kind, sole, needed, status: 'open', voters: new Set(), answer: null, expiresAt })
      return log(1)
    }
    case 'answer':
      return answer(model, step, log)
    case 'withdraw': {
      const ask = model.asks[step.ask]!
      const refused = ask.session === null ? null : mayOperate(model, step.who, model.sessions[ask.session]!)
      if (refused) return refused
      if (ask.status !== 'open') return closedCode(ask.status)
      ask.status = 'cancelled'
      return log(1)
    }
    case 'expire': {
      const ask = model.asks[step.ask]!
      if (ask.status !== 'open') return closedCode(ask.status)
      if (ask.expiresAt === null || ask.expiresAt > model.minute) return 'ask_not_due'
      ask.status = ask.kind === 'prompt' ? 'answered' : 'expired'
      if (ask.kind === 'prompt') ask.answer = 'continue'
      return log(1)
    }
    case 'claim': {
      const ask = model.asks[step.ask]!
      if (ask.status === 'consumed' || ask.status === 'applying') return 'already_consumed'
      if (ask.status !== 'answered' || ask.kind !== 'diff' || ask.answer !== 'approve') return 'not_approved'
      ask.status = 'applying'
      return log(1)
    }
    case 'release':
    case 'consume':
    case 'break': {
      const ask = model.asks[step.ask]!
      if (ask.status !== 'applying') return 'not_applying'
      ask.status = { release: 'answered', consume: 'consumed', break: 'failed' }[step.do]
      return log(1)
    }
    case 'grant':
    case 'revoke':
      return changeRole(model, step, log)
    default:
      return step satisfies never
  }
}

function answer(model: Model, step: Extract<Step, { do: 'answer' }>, log: (n: number) => null): string | null {
  const ask = model.asks[step.ask]!
  const refused = mayAnswer(model, step.who, ask)
  if (refused) return refused
  if (ask.status !== 'open') return closedCode(ask.status)
  const fits = {
    diff: ['approve', 'reject'],
    command: ['approve', 'reject'],
    prompt: ['continue'],
    question: ['reply'],
  }
  if (!fits[ask.kind].includes(step.outcome)) return 'answer_does_not_fit'
  let votes = 0
  if (ask.needed > 1 && step.outcome === 'approve') {
    if (step.who === 0) return 'needs_people'
    if (ask.voters.has(step.who)) return 'already_voted'
    ask.voters.add(step.who)
    votes = 1
    if (ask.voters.size < ask.needed) return log(1)
  }
  ask.status = 'answered'
  ask.answer = step.outcome
  return log(1 + votes)
}

function changeRole(
  model: Model,
  step: Extract<Step, { do: 'grant' | 'revoke' }>,
  log: (n: number) => null,
): string | null {
  const self = step.who - 1 === step.target
  const held = model.roles[step.target]!
  if (self && step.do === 'grant') return 'not_yourself'
  if (step.who !== 0 && !self && !model.roles[step.who - 1]?.has('owner')) return 'needs_role'
  if (step.do === 'grant') {
    if (held.has(step.role)) return null
    held.add(step.role)
    return log(1)
  }
  if (!held.has(step.role)) return 'role_not_found'
  if (step.role === 'owner' && model.roles.filter((roles) => roles.has('owner')).length <= 1) return 'last_owner'
  held.delete(step.role)
  return log(1)
}
