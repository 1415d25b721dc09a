import { expect } from 'vitest'
import type { Command } from '../../../src/app/command.ts'
import type { AskId } from '../../../src/domain/ask/schema.ts'
import type { SessionId } from '../../../src/domain/session/schema.ts'
import type { Actor } from '../../../src/domain/user/actor.ts'
import { newId } from '../../../src/lib/id.ts'
import { newAsk, newSession, system, type Person, type World } from '../../world.ts'
import { answers, subjects } from '../samples.ts'
import { limits, newModel, slotsOf, take, type Model } from './model.ts'
import type { Step } from './steps.ts'

type Ids = { people: readonly Person[]; sessions: SessionId[]; asks: AskId[] }
type Row = Record<string, unknown>
type Tables = Record<string, readonly unknown[]>

/** Applies the same steps to the model and to the core, and compares them after each one. */
export async function runSteps(world: World, steps: readonly Step[]): Promise<string[]> {
  world.settings = { ...world.settings, limits: { ...limits } }
  const people = [await world.person(), await world.person(), await world.person(), await world.person()]
  await world.do({ type: 'role.grant', userId: people[0]!.userId, role: 'owner', agentGroupId: null })
  const model = newModel()
  const ids: Ids = { people, sessions: [], asks: [] }
  let before: Tables = await world.tables()
  const eventsAtStart = before['events']?.length ?? 0
  const outcomes: string[] = []
  for (const wanted of steps) {
    const step = fit(wanted, model)
    if (step === null) continue
    if (step.do === 'wait') {
      model.minute += step.minutes
      world.clock.advance(step.minutes * 60_000)
      continue
    }
    const { command, actor } = commandOf(step, ids)
    const result = await world.app.dispatch(command, actor)
    const expected = take(model, step)
    const after = await world.tables()
    agree({ step, said: result.ok ? null : codeOf(result.fault.code) }, { step, said: expected })
    outcomes.push(`${step.do} ${expected ?? 'done'}`)
    if (expected === null) remember(command, ids)
    else agree(after, before)
    compare(model, ids, after, eventsAtStart)
    before = after
  }
  return outcomes
}

/** A stranger can't tell whether the ask or its session is missing. */
const codeOf = (code: string) => code.replace(/^(ask|session)_not_found$/, 'not_found')

/** Wraps indexes around the existing items; null if there are none. */
function fit(step: Step, model: Model): Step | null {
  const wrap = (index: number, count: number) => (index < 0 ? index : index % count)
  if ('session' in step && step.session >= 0 && model.sessions.length === 0) return null
  if ('ask' in step && model.asks.length === 0) return null
  if ('session' in step) return { ...step, session: wrap(step.session, model.sessions.length) }
  if (!('ask' in step)) return step
  const ask = wrap(step.ask, model.asks.length)
  // Asks without a session are withdrawn by Signalbox itself.
  return step.do === 'withdraw' && model.asks[ask]?.session === null ? { ...step, ask, who: 0 } : { ...step, ask }
}

function commandOf(step: Exclude<Step, { do: 'wait' }>, ids: Ids): { command: Command; actor: Actor } {
  const actor: Actor = 'who' in step && step.who > 0 ? ids.people[step.who - 1]! : system
  const owner = 'who' in step ? ids.people[Math.max(0, step.who - 1)]! : ids.people[0]!
  const reason = null
  const command = (): Command => {
    switch (step.do) {
      case 'start': {
        const session = newSession(owner, { protocolMode: step.protocol })
        return { type: 'session.start', session, active: step.active, restartOf: null }
      }
      case 'restart': {
        const session = newSession(owner, { protocolMode: step.protocol })
        return { type: 'session.start', session, active: true, restartOf: ids.sessions[step.session]! }
      }
      case 'move':
        return { type: `session.${step.move}`, id: ids.sessions[step.session]!, reason }
      case 'delegate':
      case 'undelegate':
        return { type: `session.${step.do}`, id: ids.sessions[step.session]!, userId: ids.people[step.target]!.userId }
      case 'say': {
        const content = { type: 'text' as const, text: 'hello' }
        return { type: 'message.add', id: newId(), sessionId: ids.sessions[step.session]!, role: 'user', content }
      }
      case 'open': {
        const { kind, needed, minutes, sole } = step
        const more = {
          subject: subjects[kind],
          needed,
          timeoutSeconds: minutes * 60,
          origin: sole ? 'ask_approval' : 'acp',
        } as const
        return { type: 'ask.open', ask: newAsk(ids.sessions[step.session] ?? null, more) }
      }
      case 'answer':
        return { type: 'ask.answer', id: ids.asks[step.ask]!, answer: answers[step.outcome] }
      case 'withdraw':
        return { type: 'ask.cancel', id: ids.asks[step.ask]!, reason }
      case 'break':
        return { type: 'ask.fail', id: ids.asks[step.ask]!, reason }
      case 'release':
        return { type: 'ask.release', id: ids.asks[step.ask]!, reason }
      case 'expire':
      case 'claim':
      case 'consume':
        return { type: `ask.${step.do}`, id: ids.asks[step.ask]! }
      case 'grant':
      case 'revoke':
        return { type: `role.${step.do}`, userId: ids.people[step.target]!.userId, role: step.role, agentGroupId: null }
      default:
        return step satisfies never
    }
  }
  return { command: command(), actor }
}

function remember(command: Command, ids: Ids): void {
  if (command.type === 'session.start') ids.sessions.push(command.session.id)
  if (command.type === 'ask.open') ids.asks.push(command.ask.id)
}

/** Fast if they agree, and clear if they do not. */
function agree(found: unknown, expected: unknown): void {
  if (JSON.stringify(found) !== JSON.stringify(expected)) expect(found).toEqual(expected)
}

function compare(model: Model, ids: Ids, tables: Tables, eventsAtStart: number): void {
  const rows = (name: string) => (tables[name] ?? []) as readonly Row[]
  const statusOf = (name: string, wanted: readonly string[]) => {
    const found = new Map(rows(name).map((row) => [row['id'], row['status']]))
    return [found.size, wanted.map((id) => found.get(id))]
  }
  const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0)
  // There is a deadline exactly if an open ask expires.
  const timed = ids.asks.filter((_, i) => model.asks[i]?.status === 'open' && model.asks[i].expiresAt !== null)
  agree(
    {
      sessions: statusOf('sessions', ids.sessions),
      asks: statusOf('asks', ids.asks),
      events: rows('events').length,
      votes: rows('ask_votes').length,
      delegates: rows('session_delegates').length,
      roles: rows('user_roles').length,
      deadlines: rows('deadlines')
        .map((row) => String(row['subject_id']))
        .toSorted(),
      tally: tallyOf(rows('session_tally').map((row) => [row, Number(row['n'])])),
    },
    {
      sessions: [model.sessions.length, model.sessions.map((session) => session.status)],
      asks: [model.asks.length, model.asks.map((ask) => ask.status)],
      events: eventsAtStart + model.events,
      votes: sum(model.asks.map((ask) => ask.voters.size)),
      delegates: sum(model.sessions.map((session) => session.delegates.size)),
      roles: sum(model.roles.map((roles) => roles.size)),
      deadlines: timed.toSorted(),
      tally: tallyOf(rows('sessions').map((row) => [row, 1])),
    },
  )
  for (const protocol of ['mcp', 'acp'] as const)
    if (slotsOf(model, protocol) > limits[protocol]) throw new Error(`more ${protocol} sessions than slots`)
}

function tallyOf(rows: readonly (readonly [Row, number])[]): [string, number][] {
  const counted = new Map<string, number>()
  for (const [row, n] of rows) {
    const key = JSON.stringify([row['protocol_mode'], row['status'], row['owner_user_id'], row['repo_id'] ?? ''])
    counted.set(key, (counted.get(key) ?? 0) + n)
  }
  return [...counted].filter(([, n]) => n !== 0).toSorted(([a], [b]) => (a < b ? -1 : 1))
}
