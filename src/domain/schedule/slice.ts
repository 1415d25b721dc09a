import type { Executor } from '../../db/open.ts'
import { notFound } from '../../lib/result.ts'
import { loadGroup } from '../agent-group/store.ts'
import { getSession, lineageOf } from '../session/query.ts'
import { loadSession } from '../session/store.ts'
import type { CommandContext } from '../slice/context.ts'
import { entryTo, groundsOf, sessionGrounds, withWorkplace, workplaceOf, type Grounds } from '../slice/grounds.ts'
import type { Slice } from '../slice/slice.ts'
import { personOf } from '../user/actor.ts'
import { getRepo } from '../workspace/store.ts'
import { decideSchedule, type Maker } from './decide.ts'
import { scheduleEvents, type ScheduleChange, type ScheduleCommand, type ScheduleId } from './schema.ts'
import { countHeld, loadRun, loadSchedule, openRuns, projectSchedule, type LoadedSchedule } from './store.ts'

type Create = Extract<ScheduleCommand, { type: 'schedule.create' }>

export const scheduleSlice: Slice<ScheduleCommand, ScheduleChange> = {
  events: scheduleEvents,

  streams: (_db, { id }) => [id],

  async load(db, command, context) {
    const { actor } = context.standing
    const found = await loadSchedule(db, command.id)
    if (!found && command.type !== 'schedule.create') return notFound('schedule', command.id)
    const creates = command.type === 'schedule.create'
    return {
      grounds: creates
        ? await placeOf(db, command, context)
        : { ...groundsOf(context), schedule: found && { ...found, ofAgent: await isOfAgent(db, found, context) } },
      async decide() {
        const isAgent = creates && actor.kind === 'agent' && actor.sessionId !== null
        const own = isAgent ? await getSession(db, { sees: 'all' }, actor.sessionId) : undefined
        const maker: Maker | null = own ?? null
        const owner = own?.ownerUserId ?? personOf(actor)
        return decideSchedule(found, command, {
          now: context.now,
          owner,
          maker,
          unknown: creates ? await unknownIn(db, command) : null,
          held: creates && owner !== null ? await countHeld(db, owner, maker?.id ?? null) : 0,
          open: found ? await openRuns(db, found.id) : [],
          run: 'runId' in command ? await loadRun(db, command.runId) : undefined,
        })
      },
    }
  },

  project: projectSchedule,

  audience: ({ data }) => ({ person: data.ownerUserId }),

  deadlines: {
    schedule: {
      command: (id) => ({ type: 'schedule.fall_due', id: id as ScheduleId }),
      setBy: ({ data }) => ('fireAt' in data ? data.fireAt : null),
      waitsForPeople: false,
    },
  },

  subject: (command) => ('runId' in command ? command.runId : command.id),
}

/** What a new schedule is for, so that its creator learns at once what they may not start. */
async function placeOf(db: Executor, command: Create, context: CommandContext): Promise<Grounds> {
  const { sessionId, agentGroupId, repoId, workspaceRoot } = command
  const { actor } = context.standing
  if (sessionId !== null && actor.kind === 'person')
    return withWorkplace(db, await sessionGrounds(db, sessionId, context), context)
  const base = groundsOf(context)
  if (actor.kind !== 'person') return base
  const group = agentGroupId === null ? undefined : await loadGroup(db, agentGroupId)
  const entry = agentGroupId === null ? undefined : await entryTo(db, context.standing, agentGroupId, null)
  const repo = group?.repoId ?? repoId
  const root = group?.workspaceRoot ?? workspaceRoot
  const path = repo === null ? root : ((await getRepo(db, repo))?.path ?? null)
  if (path === null) return { ...base, entry }
  const place = { ownerUserId: actor.userId, repoId: repo, workspaceRoot: path }
  return { ...base, entry, workspace: await workplaceOf(db, place, context) }
}

async function unknownIn(db: Executor, { sessionId, agentGroupId, repoId }: Create) {
  if (sessionId !== null && !(await loadSession(db, sessionId))) return { what: 'session', id: sessionId }
  const group = agentGroupId === null ? null : await loadGroup(db, agentGroupId)
  if (agentGroupId !== null && (!group || group.removedAt !== null)) return { what: 'agent_group', id: agentGroupId }
  const repo = repoId === null ? null : await getRepo(db, repoId)
  if (repoId !== null && (!repo || repo.removedAt !== null)) return { what: 'repo', id: repoId }
  return null
}

/** An agent acts on schedules of its session's owner that belong to its session or its agent group. */
async function isOfAgent(db: Executor, schedule: LoadedSchedule, { standing: { actor } }: CommandContext) {
  if (actor.kind !== 'agent' || actor.sessionId === null) return false
  const own = await loadSession(db, actor.sessionId)
  if (!own || own.ownerUserId !== schedule.ownerUserId) return false
  if (own.agentGroupId !== null && own.agentGroupId === schedule.agentGroupId) return true
  const lineage = [own.id, ...(await lineageOf(db, own.id))]
  return [schedule.madeBy, schedule.sessionId].some((id) => id !== null && lineage.includes(id))
}
