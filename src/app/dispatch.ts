import { restartStallClock } from '../domain/alert/store-watched.ts'
import { setContainerStatus } from '../domain/session/store-container.ts'
import { LostRace } from '../domain/ask/store.ts'
import type { EventId } from '../domain/audit/schema.ts'
import { appendEvent, eventsOfCommand } from '../domain/audit/store.ts'
import type { MessageId } from '../domain/message/schema.ts'
import type { Settings, CommandContext } from '../domain/slice/context.ts'
import type { LoadedCommand } from '../domain/slice/slice.ts'
import { actorName, type Actor, personOf, type Standing } from '../domain/user/actor.ts'
import { loadStanding, ownerNames } from '../domain/user/store.ts'
import type { Guard } from '../db/leases.ts'
import type { Database, Tx, Executor } from '../db/open.ts'
import { tablesChange } from '../db/remembered.ts'
import { backoff } from '../lib/backoff.ts'
import { iso, type Clock } from '../lib/clock.ts'
import { newId } from '../lib/id.ts'
import { canonicalJson } from '../lib/json.ts'
import type { Logger } from '../lib/log.ts'
import { fail, ok, type Failed, type Fault, type Result } from '../lib/result.ts'
import { sha256 } from '../lib/secret.ts'
import { listNames } from '../domain/user/query.ts'
import { audienceOf, knownAudiences } from './audience.ts'
import { outright, authorize } from './authorize.ts'
import type { Command, Change } from './command.ts'
import { isLogged, readEvent, trusted, type LoggedEvent } from './events.ts'
import { markFor, type WorkspaceMarks } from './workspace-marks.ts'
import type { Rulings } from './rulings.ts'
import { sliceOf } from './slices.ts'
import { whomToAsk } from './rules-machine.ts'

export type DispatchOptions = {
  /** A repeated command with the same key returns its first result and changes nothing. */
  readonly key?: string | undefined
  /** What the caller asked for, if the command itself has ids or secrets that are new on each attempt. */
  readonly fingerprint?: string | undefined
  /** The mark of the workspace of a session that starts, if the caller has just read it. */
  readonly workspaceMark?: string | null | undefined
  /** The lease this runs under: if it is lost, nothing is changed and `LeaseLost` is thrown. */
  readonly guard?: Guard | undefined
}

/** The result of a command: the id of its subject, and the events in order. */
export type Done = { readonly subject: string; readonly events: readonly LoggedEvent[]; readonly repeated: boolean }

export type Dispatch = (command: Command, actor: Actor, options?: DispatchOptions) => Promise<Result<Done>>

/**
 * What a command would be answered now, for edges that must act outside the database first: null if it would be carried
 * out, `repeated` if its key was used before. Not a promise: the command itself is decided again.
 */
export type CheckCommand = (
  command: Command,
  actor: Actor,
  options?: DispatchOptions,
) => Promise<Failed | 'repeated' | null>

/** Whether a caller may give a command at all. Nothing else about it is decided, so it costs less than a check. */
export type PermitCommand = (command: Command, standing: Standing) => Promise<Failed | null>

export type DispatchDeps = {
  database: Database
  clock: Clock
  settings: () => Settings
  log: Logger
  rulings?: Rulings
  roots?: WorkspaceMarks | undefined
  /** Called after the commit, never before. */
  committed(events: readonly LoggedEvent[]): void
}

const attempts = 8
/** How long to keep retrying a database that is busy or briefly unavailable. */
const patienceMs = 5000

export function createDispatch(deps: DispatchDeps): Dispatch {
  const { database, clock, log } = deps
  const { flavor } = database

  async function once(
    tx: Tx,
    command: Command,
    actor: Actor,
    key: string | null,
    { fingerprint: asked, guard }: DispatchOptions,
    found: { rule: string | null; workspaceMark: string | null },
    ended: DisposableStack,
  ): Promise<Result<Done>> {
    if (!flavor.oneWriter) await flavor.lock(tx, await lockNames(tx, command, key))
    await guard?.(tx)
    const fingerprint = key === null ? '' : (asked ?? sha256(canonicalJson(command)))
    const standing = await loadStanding(tx, actor)
    const refused = outright(standing)
    if (refused) return refused
    if (key !== null) {
      const first = await tx.selectFrom('commands').selectAll().where('key', '=', key).executeTakeFirst()
      if (first) return repeat(tx, first, fingerprint)
    }
    const now = clock.now()
    const context = { now, standing, settings: deps.settings(), noteId: newId<MessageId>(), ...found }
    const loaded = await loadPermitted(tx, command, context)
    if ('fault' in loaded) return loaded
    const decided = await decideLoaded(tx, loaded, context)
    if (!decided.ok) return decided
    if (decided.value.some(changesRemembered)) ended.use(tablesChange())
    const at = iso(now)
    const subject = sliceOf(command).subject(command, decided.value)
    if (key !== null)
      await tx.insertInto('commands').values({ key, type: command.type, fingerprint, subject, at }).execute()
    const events: LoggedEvent[] = []
    const audiences = knownAudiences(loaded.grounds.session)
    for (const change of decided.value) {
      await restartStallClock(tx, change, at)
      await sliceOf(change).project(tx, change, at)
      await setContainerStatus(tx, change)
      if (!isLogged(change.type)) continue
      const audience = await audienceOf(tx, change, audiences)
      const { type, data } = change
      const named = sliceOf(change).named?.(change) ?? []
      const event = {
        id: newId<EventId>(),
        at,
        type,
        actor: actorName(actor),
        ...audience,
        commandKey: key,
        data,
        named,
      }
      events.push(trusted(await appendEvent(tx, event)))
    }
    return ok({ subject, events, repeated: false })
  }

  function conclude(command: Command, actor: Actor, result: Result<Done>): void {
    if (!result.ok) {
      const { code, kind } = result.fault
      // Refusals are logged, including those reported as not found (R3).
      const level =
        kind === 'forbidden' || kind === 'unauthenticated' ? 'warn' : kind === 'not_found' ? 'info' : 'debug'
      log[level]({ command: command.type, actor: actorName(actor), code }, 'refused')
    } else if (result.value.events.length > 0 && !result.value.repeated) deps.committed(result.value.events)
  }

  return async (command, actor, options = {}) => {
    if (!database.intact()) return fail(fileGone)
    const key = options.key === undefined ? null : `${actorName(actor)} ${options.key}`
    const since = performance.now()
    const [rule, workspaceMark] = await Promise.all([
      deps.rulings?.before(command) ?? null,
      markFor(command, deps.roots, options.workspaceMark),
    ])
    const found = { rule, workspaceMark }
    for (let attempt = 1; ; attempt += 1) {
      let result: Result<Done>
      using ended = new DisposableStack()
      try {
        result = await database.write
          .transaction()
          .execute((tx) => once(tx, command, actor, key, options, found, ended))
      } catch (error) {
        const lost = error instanceof LostRace || flavor.isConstraint(error)
        const waits = flavor.isTransient(error) && performance.now() - since < patienceMs
        if (!waits && (!lost || attempt >= attempts)) {
          const refusal = flavor.refusal(error)
          if (!refusal) throw error
          log.error(
            { command: command.type, code: refusal.code, error: String(error) },
            'the database refused a change',
          )
          return fail(refusal)
        }
        await new Promise((resolve) => setTimeout(resolve, backoff(attempt, 2, 100) * Math.random()))
        continue
      }
      conclude(command, actor, result)
      return result
    }
  }
}

/** Families whose changes touch no table that `remembered` reads. All others count as if they did, whatever they write. */
const harmlessFamilies = [
  'agent',
  'alert',
  'ask',
  'attachment',
  'checkpoint',
  'input',
  'login',
  'message',
  'pattern',
  'push',
  'queue',
  'schedule',
  'session',
  'terminal',
  'token',
]
const changesRemembered = ({ type }: Change): boolean => !harmlessFamilies.includes(type.slice(0, type.indexOf('.')))

export function createCheck({
  database,
  clock,
  settings,
  rulings,
}: Pick<DispatchDeps, 'database' | 'clock' | 'settings' | 'rulings'>): CheckCommand {
  return async (command, actor, { key, fingerprint } = {}) => {
    if (!database.intact()) return fail(fileGone)
    await rulings?.checking(command)
    const db = database.read
    const standing = await loadStanding(db, actor)
    const refused = outright(standing)
    if (refused) return refused
    if (key !== undefined) {
      const whole = `${actorName(actor)} ${key}`
      const first = await db
        .selectFrom('commands')
        .select(['key', 'fingerprint'])
        .where('key', '=', whole)
        .executeTakeFirst()
      // A key that another request used does not count as a repetition.
      if (first && (fingerprint === undefined || first.fingerprint === fingerprint)) return 'repeated'
    }
    const context = { now: clock.now(), standing, settings: settings(), noteId: newId<MessageId>(), rule: null }
    const decided = await decideCommand(db, command, context)
    return decided.ok ? null : decided
  }
}

export const createPermit =
  ({ database, clock, settings }: Pick<DispatchDeps, 'database' | 'clock' | 'settings'>): PermitCommand =>
  async (command, standing) => {
    if (!database.intact()) return fail(fileGone)
    const refused = outright(standing)
    if (refused) return refused
    const context = { now: clock.now(), standing, settings: settings(), noteId: newId<MessageId>(), rule: null }
    const loaded = await loadPermitted(database.read, command, context)
    return 'fault' in loaded ? loaded : null
  }

const fileGone: Fault = {
  kind: 'unavailable',
  code: 'database_gone',
  message: 'The database file was moved or deleted while the server was running. Nothing was changed.',
  hint: 'Put it back and restart the server.',
}

async function lockNames(tx: Tx, command: Command, key: string | null): Promise<readonly string[]> {
  const streams = await sliceOf(command).streams(tx, command)
  return key === null ? streams : [...streams, `key:${key}`]
}

async function repeat(
  tx: Tx,
  first: { key: string; subject: string; fingerprint: string; at: string },
  fingerprint: string,
): Promise<Result<Done>> {
  if (first.fingerprint !== fingerprint)
    return fail({
      kind: 'conflict',
      code: 'key_reused',
      message: 'This Idempotency-Key was used for another command.',
      hint: 'Use a new key for each command.',
    })
  return ok({
    subject: first.subject,
    events: (await eventsOfCommand(tx, first.key, first.at)).map(readEvent),
    repeated: true,
  })
}

/** load → authorize → decide; writes nothing. */
async function decideCommand(db: Executor, command: Command, context: CommandContext): Promise<Result<Change[]>> {
  const loaded = await loadPermitted(db, command, context)
  return 'fault' in loaded ? loaded : decideLoaded(db, loaded, context)
}

async function decideLoaded(
  db: Executor,
  loaded: LoadedCommand<Change>,
  context: CommandContext,
): Promise<Result<Change[]>> {
  const decided = await loaded.decide()
  return decided.ok ? decided : namingWhomToAsk(db, decided, context)
}

async function loadPermitted(
  db: Executor,
  command: Command,
  context: CommandContext,
): Promise<Failed | LoadedCommand<Change>> {
  const loaded = await sliceOf(command).load(db, command, context)
  if ('fault' in loaded) return loaded
  const refused = authorize(loaded.grounds, command)
  return refused ? namingWhomToAsk(db, loaded.hide?.(refused) ?? refused, context) : loaded
}

async function namingWhomToAsk(db: Executor, refused: Failed, { standing }: CommandContext): Promise<Failed> {
  if (refused.fault.code !== 'needs_machine') return refused
  const id = personOf(standing.actor)
  const name = id === null ? undefined : (await listNames(db)).find((one) => one.id === id)?.displayName
  return whomToAsk(refused, await ownerNames(db), name ?? 'NAME')
}
