import { AdminCommand, notForAgents } from '../../domain/ask/admin-command.ts'
import { isSettled } from '../../domain/ask/answer.ts'
import type { AskId } from '../../domain/ask/id.ts'
import { NewAsk } from '../../domain/ask/schema.ts'
import { commandsAskedFor, sessionOfAgent } from '../../domain/ask/store-administration.ts'
import { loadContainerConfig } from '../../domain/agent-group/store-container-config.ts'
import { loadSession } from '../../domain/session/store.ts'
import type { SessionId } from '../../domain/session/id.ts'
import { systemStanding, type Actor } from '../../domain/user/actor.ts'
import type { Ask } from '../../domain/ask/schema.ts'
import type { Database } from '../../db/open.ts'
import { newId } from '../../lib/id.ts'
import { canonicalJson, type Json } from '../../lib/json.ts'
import { fail, ok, type Failed, type Result } from '../../lib/result.ts'
import { createAnswers } from '../answers.ts'
import type { App } from '../app.ts'
import type { Command } from '../command.ts'
import { isOf } from '../events.ts'
import type { Done } from '../dispatch.ts'
import type { ExpectedAsks } from './expected-asks.ts'

/** Commands of agents that come from the command line (C10): asked for, and carried out once they are approved. */
export type Requests = {
  /** Waits for the outcome; a fault `pending` if it takes longer. */
  request(command: Command, actor: Actor, signals?: readonly AbortSignal[]): Promise<Result<Pick<Done, 'subject'>>>
}

export function createRequests(deps: {
  app: App
  database: Pick<Database, 'read'>
  expected: ExpectedAsks
  holdMs: number
}): Requests {
  const { app, database, expected } = deps
  const { read } = database

  /** The session that the agent speaks for, if its group lets it use the command line. */
  async function sessionOf(actor: Actor): Promise<SessionId | null> {
    if (actor.kind !== 'agent') return null
    const id = actor.sessionId ?? (actor.tokenId === null ? null : await sessionOfAgent(read, actor.tokenId))
    const session = id === null ? undefined : await loadSession(read, id)
    const group = session?.agentGroupId ?? null
    const config = group === null ? undefined : await loadContainerConfig(read, group)
    return config === undefined || config.cliScope === 'disabled' ? null : (session?.id ?? null)
  }

  /** An earlier request for the same that is not over: its caller waits for it again. */
  async function askedBefore(sessionId: SessionId, command: AdminCommand): Promise<AskId | null> {
    const wanted = canonicalJson(withoutNewId(command))
    const found = (await commandsAskedFor(read, sessionId)).find(({ subject }) => {
      const asked = subject.kind === 'admin_command' ? AdminCommand.safeParse(subject.command) : null
      return asked?.success === true && canonicalJson(withoutNewId(asked.data)) === wanted
    })
    return found?.id ?? null
  }

  async function opened(sessionId: SessionId, command: AdminCommand, actor: Actor): Promise<Result<AskId>> {
    const before = await askedBefore(sessionId, command)
    if (before !== null) return ok(before)
    const id = newId<AskId>()
    const ask = NewAsk.parse({
      id,
      sessionId,
      origin: 'api',
      title: titleOf(command),
      subject: { kind: 'admin_command', command: command as unknown as Json, before: null, reason: null },
    })
    const done = await app.dispatch({ type: 'ask.open', ask }, actor)
    return done.ok ? ok(id) : done
  }

  async function settled(id: AskId, signals: readonly AbortSignal[]): Promise<Ask | null> {
    const answers = createAnswers(app)
    using _listening = app.tail.listen((events) => {
      for (const event of events) if (isOf(event, 'ask') && event.data.id === id) answers.heard(id)
    })
    return await answers.wait(id, AbortSignal.any([AbortSignal.timeout(deps.holdMs), ...signals]))
  }

  return {
    async request(command, actor, signals = []) {
      const wanted = AdminCommand.safeParse(command)
      const sessionId = await sessionOf(actor)
      if (!wanted.success || sessionId === null) return notForAgents
      const id = await opened(sessionId, wanted.data, actor)
      if (!id.ok) return id
      using _expected = expected.expect(id.value)
      const ask = await settled(id.value, signals)
      if (ask === null) {
        const now = await app.read.ask(systemStanding('administration'), id.value)
        return now.ok && isSettled(now.value) ? outcomeOf(now.value) : pending(id.value)
      }
      return outcomeOf(ask)
    },
  }
}

/** The id of a new wiring is made for each request. */
function withoutNewId(command: AdminCommand): object {
  if (command.type !== 'wiring.add') return command
  const { id: _id, ...rest } = command
  return rest
}

const titles: Readonly<Record<AdminCommand['type'], string>> = {
  'member.add': 'Add a member to the agent group?',
  'member.remove': 'Remove a member of the agent group?',
  'wiring.add': 'Let the agent group listen in another chat?',
  'wiring.update': 'Change how the agent group listens in a chat?',
  'destination.add': 'Let the agent group send messages somewhere else?',
  'agent_group.update': 'Change the agent group?',
  'agent_group.configure': 'Change the settings of the agent group?',
}
const titleOf = ({ type }: AdminCommand): string => titles[type]

function outcomeOf(ask: Ask): Result<Pick<Done, 'subject'>> {
  if (ask.status === 'consumed') {
    const { subject } = (ask.result ?? {}) as { subject?: unknown }
    return ok({ subject: typeof subject === 'string' ? subject : '' })
  }
  const reason = (ask.answer !== null && 'reason' in ask.answer ? ask.answer.reason : null) ?? ask.reason
  const why = reason === null ? '' : `: ${reason}`
  const details = { askId: ask.id }
  if (ask.status === 'failed') return ended('failed', `It was approved, but it failed${why}`, details)
  if (ask.status === 'answered') return ended('rejected', `An administrator rejected it${why}`, details)
  return ended('not_approved', `It was not approved; the ask is ${ask.status}`, details)
}

const ended = (code: string, message: string, details: { askId: string }): Failed =>
  fail({ kind: 'conflict', code, message: `${message.replace(/\.$/, '')}.`, details })

const pending = (id: AskId): Failed =>
  fail({
    kind: 'conflict',
    code: 'pending',
    message: `This waits for an administrator: ask ${id}.`,
    hint: 'Repeat the command to keep waiting. You get a message when it was answered.',
    details: { askId: id },
  })
