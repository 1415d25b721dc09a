import type { Executor } from '../../db/open.ts'
import { loadContainerConfig } from '../agent-group/store-container-config.ts'
import { isRegistered } from '../policy/registry.ts'
import { headOfQueue, loadQueueItem } from '../queue/store.ts'
import { lineageOf } from '../session/query.ts'
import type { SessionChange } from '../session/schema.ts'
import { loadOpenAsks } from '../session/store.ts'
import type { CommandContext, Settings } from '../slice/context.ts'
import { operates, sessionGrounds, withLife, withWorkplace, type Grounds } from '../slice/grounds.ts'
import type { Slice } from '../slice/slice.ts'
import { actorName } from '../user/actor.ts'
import type { UserId } from '../user/id.ts'
import { circlesOf } from '../user/query.ts'
import { holderOf, strangers } from '../user/store.ts'
import { findAllowances } from '../session/store-allowances.ts'
import { allowableOf } from './allowance.ts'
import { askEvents, type AskChange } from './change.ts'
import { decideAsk, decideAskOpen, isSoleApproval } from './decide.ts'
import { lateItemId, type LateFacts } from './late-answer.ts'
import type { AskCommand, AskId, RiskLevel } from './schema.ts'
import { administrationOf, escalationDue } from './store-administration.ts'
import { loadAsk, projectAsk } from './store.ts'
import type { AskFacts, RiskRouting } from './state.ts'
import { isAboutGroup } from './subject.ts'

/** Refused once the owner may no longer use the session's workspace. */
const inWorkspace: ReadonlySet<AskCommand['type']> = new Set(['ask.open', 'ask.claim', 'ask.undo'])

export const askSlice: Slice<AskCommand, AskChange, SessionChange> = {
  events: askEvents,

  streams: async (db, command) =>
    command.type === 'ask.open'
      ? [command.ask.sessionId ?? command.ask.id]
      : [(await loadAsk(db, command.id))?.sessionId ?? command.id],

  async load(db, command, context) {
    const found = await loadAsk(db, command.type === 'ask.open' ? command.ask.id : command.id)
    const sessionId = command.type === 'ask.open' ? command.ask.sessionId : (found?.sessionId ?? null)
    // A session that continues another may apply what that one was granted.
    const lineage = command.type === 'ask.claim' && sessionId !== null ? await lineageOf(db, sessionId) : []
    const known = await sessionGrounds(db, sessionId, context)
    const session = inWorkspace.has(command.type) ? await withWorkplace(db, known, context) : known
    const about = command.type === 'ask.answer' || command.type === 'ask.retract' ? (found?.agentGroupId ?? null) : null
    const config = about === null ? undefined : await loadContainerConfig(db, about)
    const grounds: Grounds = { ...session, ask: found, lineage, config }
    return {
      grounds,
      async decide() {
        const facts = await factsOf(db, grounds, command, context)
        if (command.type !== 'ask.open') return withLife(grounds, context, decideAsk(found, command, facts))
        const asker = await askerOf(db, grounds, command)
        return withLife(grounds, context, decideAskOpen(found, asker, command, facts), command.tool ?? null)
      },
    }
  },

  project: projectAsk,

  audience: ({ data: { id, sessionId } }) =>
    sessionId === null ? { stream: id, visibility: 'admin' } : { session: sessionId },

  /** Named as an answerer, or as a voter. */
  named: ({ type, data }) => [...(data.answerers ?? []), ...(type === 'ask.voted' ? [data.by] : [])],

  deadlines: {
    ask: {
      command: (id) => ({ type: 'ask.expire', id: id as AskId }),
      setBy: ({ type, data }) => (type === 'ask.opened' ? (data.expiresAt ?? data.alertAt ?? null) : null),
      waitsForPeople: true,
    },
    ask_escalation: {
      command: (id) => ({ type: 'ask.escalate', id: id as AskId }),
      setBy: ({ type, data }) =>
        type === 'ask.opened' || type === 'ask.escalated' ? (data.escalatesAt ?? null) : null,
      waitsForPeople: true,
    },
  },

  subject: (command) => (command.type === 'ask.open' ? command.ask.id : command.id),
}

async function factsOf(
  db: Executor,
  grounds: Grounds,
  command: AskCommand,
  context: CommandContext,
): Promise<AskFacts> {
  const { session } = grounds
  const { actor } = context.standing
  const { settings } = context
  const late = command.type === 'ask.answer' ? await lateFacts(db, grounds, actorName(actor)) : undefined
  const opens = command.type === 'ask.open'
  const subject = opens ? command.ask.subject : command.type === 'ask.answer' ? grounds.ask?.subject : undefined
  const allowable = subject && session ? allowableOf(subject, session) : null
  return {
    now: context.now,
    by: actorName(actor),
    voter: actor.kind === 'person' ? actor.userId : null,
    bySystem: actor.kind === 'system',
    unknownAnswerers: opens ? await strangers(db, command.ask.answerers ?? []) : [],
    timeouts: settings.timeouts,
    routing: opens ? await routingOf(db, settings) : nobodyElse,
    rule: context.rule,
    allowable,
    allowed: opens && session && allowable ? await findAllowances(db, session.id, allowable.key) : [],
    registered: opens && isRegistered(command.ask.subject, settings.commands ?? [], session?.workspaceRoot ?? '/'),
    noteId: context.noteId,
    late,
    administration: opens ? await openedAbout(db, command) : undefined,
    escalation: command.type === 'ask.escalate' ? await escalationOf(db, grounds) : undefined,
    separateRequester: settings.separateRequester ?? false,
  }
}

/** The agent group that an ask is about: that of its session. */
async function openedAbout(db: Executor, { ask }: Extract<AskCommand, { type: 'ask.open' }>) {
  const { subject, sessionId } = ask
  return sessionId !== null && isAboutGroup(subject) ? administrationOf(db, sessionId, subject) : undefined
}

async function escalationOf(db: Executor, { ask }: Grounds): Promise<AskFacts['escalation']> {
  if (!ask || ask.agentGroupId === null) return undefined
  return { circles: await circlesOf(db, ask.agentGroupId), dueAt: await escalationDue(db, ask.id) }
}

/** Only for a question that has expired: its late answer is a message to the session. */
async function lateFacts(db: Executor, grounds: Grounds, by: string): Promise<LateFacts | undefined> {
  const { ask, session } = grounds
  if (!session || ask?.status !== 'expired' || ask.subject.kind !== 'question') return undefined
  const id = lateItemId(ask.id, by)
  const open = operates(grounds) ? await loadOpenAsks(db, session.id) : []
  const openWait = open.find(({ kind }) => kind === 'wait')?.id ?? null
  return { session: { ...session, openWait }, item: await loadQueueItem(db, id) }
}

async function askerOf(db: Executor, { session }: Grounds, command: Extract<AskCommand, { type: 'ask.open' }>) {
  if (!session) return undefined
  const open = await loadOpenAsks(db, session.id)
  const waits = command.ask.subject.kind === 'wait'
  return {
    status: session.status,
    workspaceRoot: session.workspaceRoot,
    ownerUserId: session.ownerUserId,
    openApproval: open.find(({ origin }) => isSoleApproval(origin))?.id ?? null,
    instruction: waits ? ((await headOfQueue(db, session.id)).next ?? null) : null,
  }
}

/** Finds reviewers by identity; an identity nobody holds cannot answer. */
async function routingOf(db: Executor, { routing }: Settings): Promise<RiskRouting> {
  if (!routing) return nobodyElse
  const found: Record<RiskLevel, { needed: number; reviewers: UserId[] }> = { ...nobodyElse }
  for (const risk of ['low', 'high', 'critical'] as const) {
    const { needed, reviewers } = routing[risk]
    const known = await Promise.all(reviewers.map((identity) => holderOf(db, [identity])))
    found[risk] = { needed, reviewers: known.filter((id) => id !== null) }
  }
  return found
}
const alone = { needed: 1, reviewers: [] }
const nobodyElse = { low: alone, high: alone, critical: alone }
