import { afterAll, beforeAll, describe } from 'vitest'
import { createApp, type App, type AppDeps } from '../src/app/app.ts'
import type { Command } from '../src/app/command.ts'
import type { Done } from '../src/app/dispatch.ts'
import type { Settings } from '../src/domain/slice/context.ts'
import { migrate } from '../src/db/migrate.ts'
import { openPostgres, openSqlite, type Database } from '../src/db/open.ts'
import { postgresNodes } from '../src/db/postgres-nodes.ts'
import { NewAsk, type AskId } from '../src/domain/ask/schema.ts'
import { NewSession, type SessionId } from '../src/domain/session/schema.ts'
import type { Actor } from '../src/domain/user/actor.ts'
import type { UserId } from '../src/domain/user/id.ts'
import { RepoId } from '../src/domain/workspace/id.ts'
import { iso } from '../src/lib/clock.ts'
import { newId, newRandomId } from '../src/lib/id.ts'
import { silentLogger } from '../src/lib/log.ts'
import type { Fault } from '../src/lib/result.ts'
import { subjects } from './app/samples.ts'
import { dumpTables } from './app/dump.ts'
import { makeHome, type Home } from './app/home.ts'
import { fakeClock, type FakeClock } from './support/fake-clock.ts'
import { scale } from './support/scale.ts'

export type Kind = 'sqlite' | 'postgres'
export type Person = Extract<Actor, { kind: 'person' }>
export type Node = { readonly nodeId: string; readonly app: App; readonly database: Database } & AsyncDisposable
export type NodeOptions = { nodeId?: string; poolSize?: number } & Pick<AppDeps, 'patience' | 'leases'>

/** The whole core in one process, on its own database. */
export type World = Node & {
  readonly kind: Kind
  /** Where the database is: a file, or an address. */
  readonly place: string
  readonly clock: FakeClock
  /** Read at every command; a test may change it. */
  settings: Settings
  /** Another server on the same database; ends with the world if not before. */
  join(options?: NodeOptions): Promise<Node>
  /** `asked` is the caller's input as the edge received it, if the command contains an id made for this try. */
  do(command: Command, actor?: Actor, key?: string, asked?: string): Promise<Done>
  refused(command: Command, actor?: Actor, key?: string): Promise<Fault>
  /** Someone who works only in `/work`. */
  person(name?: string): Promise<Person>
  /** Someone who works in any directory. */
  machineUser(name?: string): Promise<Person>
  session(owner: Person, more?: Partial<NewSession>): Promise<SessionId>
  ask(sessionId: SessionId | null, more?: Partial<Omit<NewAsk, 'id' | 'sessionId'>>): Promise<AskId>
  /** Every row of every table, to check that nothing changed. */
  tables(): Promise<Record<string, readonly unknown[]>>
}

/** Where sessions of these tests work. */
export const workRepo = { id: RepoId.parse('0192f0c1-2d3e-7a4b-8c5d-6e7f8091a2b3'), path: '/work' }

export const system: Actor = { kind: 'system', name: 'test' }

export const defaultSettings: Settings = {
  timeouts: { approvalSeconds: 3600, promptSeconds: 1800, waitSeconds: 0 },
  limits: { mcp: 1000, acp: 1000, terminal: Number.MAX_SAFE_INTEGER },
  adminsMayAnswer: false,
  vouched: [],
  groupsRoot: '/groups',
  stall: { enabled: true, inactivityMs: 300_000, escalationMs: 120_000, maxRetries: 3, message: 'Please go on.' },
}

/** Runs a suite on both databases. Each test opens its own world: `await using world = await open()`. */
export function describeBoth(name: string, suite: Suite): void {
  describeOn(['sqlite', 'postgres'], name, suite)
}

/** For suites that are not about storage: PostgreSQL too in `npm run test:long`. */
export function describeUsual(name: string, suite: Suite): void {
  describeOn(scale<Kind[]>({ test: ['sqlite'], long: ['sqlite', 'postgres'] }), name, suite)
}

type Suite = (open: () => Promise<World>, kind: Kind) => void

function describeOn(kinds: readonly Kind[], name: string, suite: Suite): void {
  describe.each(kinds)(`${name} (%s)`, (kind) => {
    let home: Home | undefined
    beforeAll(async () => {
      home = await makeHome(kind)
    })
    afterAll(() => home?.[Symbol.asyncDispose]())
    suite(() => openWorld(kind, home), kind)
  })
}

export async function openWorld(kind: Kind, home?: Home): Promise<World> {
  await using stack = new AsyncDisposableStack()
  const place = await (home ?? stack.use(await makeHome(kind))).fresh()
  const clock = fakeClock()
  const open = (poolSize: number) =>
    kind === 'sqlite' ? openSqlite({ file: place, synchronous: 'normal' }) : openPostgres({ url: place, poolSize })
  const nodes = stack.use(new AsyncDisposableStack())

  async function join({ nodeId = newId(), poolSize = 5, ...deps }: NodeOptions = {}): Promise<Node> {
    await using parts = new AsyncDisposableStack()
    const database = await open(poolSize)
    parts.defer(() => database.close())
    await migrate(database, { now: () => iso(clock.now()) })
    const wakes = kind === 'postgres' ? postgresNodes(database, place, silentLogger) : undefined
    const settings = () => world.settings
    const app = await createApp({
      database,
      clock,
      settings,
      log: silentLogger,
      nodeId,
      ...deps,
      ...(wakes && { nodes: wakes }),
    })
    parts.use(app)
    const whole = nodes.use(parts.move())
    return { nodeId, app, database, [Symbol.asyncDispose]: () => whole.disposeAsync() }
  }

  const world: Omit<World, keyof Node> & Partial<Node> = {
    kind,
    place,
    clock,
    settings: defaultSettings,
    join,
    ...helpers(() => first),
  }
  const first = await join({ nodeId: 'first', poolSize: 10 })
  // A repo that everyone may use: tests about restrictions name another workspace.
  await first.database.write
    .insertInto('repos')
    .values({ ...workRepo, name: 'work', added_by: null, created_at: iso(0), removed_at: null, everyone: 1 })
    .execute()
  const whole = stack.move()
  return Object.assign(world, first, { [Symbol.asyncDispose]: () => whole.disposeAsync() })
}

function helpers(node: () => Node) {
  const dispatch = (command: Command, actor: Actor, key?: string, fingerprint?: string) =>
    node().app.dispatch(command, actor, { key, fingerprint })
  const done = async (command: Command, actor: Actor = system, key?: string, asked?: string): Promise<Done> => {
    const result = await dispatch(command, actor, key, asked)
    if (!result.ok) throw new Error(`${command.type} was refused: ${result.fault.code} ${result.fault.message}`)
    return result.value
  }
  return {
    do: done,
    async refused(command: Command, actor: Actor = system, key?: string): Promise<Fault> {
      const result = await dispatch(command, actor, key)
      if (result.ok) throw new Error(`${command.type} was not refused`)
      return result.fault
    },
    async person(name = 'Ann'): Promise<Person> {
      const userId = newId<UserId>()
      await done({ type: 'user.create', id: userId, displayName: name, identities: [] })
      return { kind: 'person', userId, scope: 'full' }
    },
    async machineUser(name = 'Max'): Promise<Person> {
      const userId = newId<UserId>()
      await done({ type: 'user.create', id: userId, displayName: name, identities: [] })
      await done({ type: 'role.grant', userId, role: 'machine', agentGroupId: null })
      return { kind: 'person', userId, scope: 'full' }
    },
    async session(owner: Person, more: Partial<NewSession> = {}): Promise<SessionId> {
      const session = newSession(owner, more)
      await done({ type: 'session.start', session, active: true, restartOf: null }, owner)
      return session.id
    },
    async ask(sessionId: SessionId | null, more: Partial<Omit<NewAsk, 'id' | 'sessionId'>> = {}): Promise<AskId> {
      const ask = newAsk(sessionId, more)
      await done({ type: 'ask.open', ask })
      return ask.id
    },
    tables: () => dumpTables(node().database),
  }
}

export const newSession = (owner: Person, more: Partial<NewSession> = {}): NewSession =>
  NewSession.parse({ id: newRandomId(), ownerUserId: owner.userId, workspaceRoot: '/work', ...more })

export const newAsk = (sessionId: SessionId | null, more: Partial<Omit<NewAsk, 'id' | 'sessionId'>> = {}): NewAsk =>
  NewAsk.parse({ id: newId(), sessionId, origin: 'api', title: 'May I?', subject: subjects.command, ...more })

/** Waits for background work, turn by turn of the event loop; the test's own time limit ends it. */
export async function until<T>(look: () => Promise<T> | T): Promise<NonNullable<T>> {
  for (;;) {
    const found = await look()
    if (found) return found
    await new Promise((resolve) => setImmediate(resolve))
  }
}
