import type { Place } from '../domain/audit/cursor.ts'
import type { ConnectionRecords } from '../domain/connection/records.ts'
import type { PushRecords } from '../domain/push/records.ts'
import type { Database } from '../db/open.ts'
import type { Clock } from '../lib/clock.ts'
import type { Logger } from '../lib/log.ts'
import type { Fault } from '../lib/result.ts'
import { chatRecords, type ChatRecords } from './chat/records.ts'
import type { Settings } from '../domain/slice/context.ts'
import { connectionRecords, pushRecords } from './records.ts'
import {
  createCheck,
  createDispatch,
  createPermit,
  type CheckCommand,
  type Dispatch,
  type PermitCommand,
} from './dispatch.ts'
import type { LoggedEvent } from './events.ts'
import { createFollow, type Follow, type FollowDeps } from './follow.ts'
import { deadLetters, type DeadLetters } from './dead-letters.ts'
import { createOutbox, type Outbox } from './outbox.ts'
import { createConcernedPeople, type ConcernedPeople } from './recipients/recipients.ts'
import { readMarkRecords, type ReadMarks } from './catch-up/read-marks.ts'
import { createLive, type Live } from './live.ts'
import { createReads, type Reads } from './read/reads.ts'
import { createRetention, type Retention } from './retention.ts'
import type { WorkspaceMarks } from './workspace-marks.ts'
import { createRulings, noPolicy, type PolicyOf } from './rulings.ts'
import { createTail, type Tail } from './tail.ts'

/** The whole core: commands, reads, events, and the bus for live messages that are never stored. */
export type App = {
  readonly dispatch: Dispatch
  readonly check: CheckCommand
  readonly permits: PermitCommand
  readonly read: Reads
  readonly follow: Follow
  readonly tail: Pick<Tail, 'listen' | 'position'>
  readonly live: Live
  /** Records of the MCP edge. */
  readonly connections: ConnectionRecords
  /** How far each viewer has read. */
  readonly readMarks: ReadMarks
  /** Messages to people, for all senders. */
  readonly outbox: Outbox
  /** The people that something concerns. */
  readonly recipients: ConcernedPeople
  /** Events that followers failed on, and messages that could not be sent. */
  readonly deadLetters: DeadLetters
  /** Records of the push edge. */
  readonly push: PushRecords
  /** Records of the chat edge. */
  readonly chat: ChatRecords
  readonly retention: Retention
  /** Changes with every commit; null if that can't be known without querying the database. */
  version(): number | null
  /** Why the database is unavailable, if that is what the error means. */
  refusal(error: unknown): Fault | null
  [Symbol.asyncDispose](): Promise<void>
}

export type AppDeps = {
  database: Database
  clock: Clock
  settings: () => Settings
  log: Logger
  nodeId: string
  /** What the policy of a workspace says about an ask. */
  policy?: PolicyOf
  /** Workspaces on this machine. */
  roots?: WorkspaceMarks
  patience?: NonNullable<FollowDeps['patience']>
  leases?: NonNullable<FollowDeps['leases']>
  /** Notifies the other nodes of this database, and is notified by them. */
  nodes?: { notify(place: Place): void; listen(wake: (place?: Place) => void): Promise<AsyncDisposable> }
}

export async function createApp(deps: AppDeps): Promise<App> {
  const { database, clock, settings, log, nodeId, nodes } = deps
  const tail = await createTail({ database, log: log.child({ part: 'tail' }), pollMs: nodes ? 1000 : null })
  const listening = await nodes?.listen((place) => tail.wake(place))
  const committed = (events: readonly LoggedEvent[]) => {
    tail.offer(events)
    const last = events.at(-1)
    if (last) nodes?.notify(last.place)
  }
  const rulings = createRulings(database, deps.policy ?? noPolicy, deps.roots)
  const dispatch = createDispatch({
    database,
    clock,
    settings,
    log: log.child({ part: 'dispatch' }),
    rulings,
    roots: deps.roots,
    committed,
  })
  const live = createLive(log)
  const push = pushRecords(database)
  const { patience, leases } = deps
  const follow = createFollow({
    database,
    tail,
    clock,
    nodeId,
    log: log.child({ part: 'follow' }),
    ...(patience && { patience }),
    ...(leases && { leases }),
  })
  const outbox = createOutbox({ database, clock, log: log.child({ part: 'outbox' }), nodeId })
  return {
    dispatch,
    check: createCheck({ database, clock, settings, rulings }),
    permits: createPermit({ database, clock, settings }),
    read: createReads(database, live, settings, () => clock.now()),
    follow,
    tail,
    live,
    connections: connectionRecords(database),
    readMarks: readMarkRecords(database),
    outbox,
    recipients: createConcernedPeople(database, settings, push.waitingFor),
    deadLetters: deadLetters(follow, outbox, database.read),
    push,
    chat: chatRecords(database),
    retention: createRetention(database),
    version: database.version,
    refusal: (error) => database.flavor.refusal(error),
    async [Symbol.asyncDispose]() {
      await listening?.[Symbol.asyncDispose]()
      await tail[Symbol.asyncDispose]()
    },
  }
}
