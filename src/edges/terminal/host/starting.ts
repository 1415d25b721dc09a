import type { App } from '../../../app/app.ts'
import { authorizeAction } from '../../../app/authorize-action.ts'
import type { TerminalStart } from '../../../app/terminals.ts'
import { inNoChat, type Isolation, type SessionId } from '../../../domain/session/schema.ts'
import type { Terminal, TerminalCommand } from '../../../domain/terminal/schema.ts'
import { systemStanding, type Actor } from '../../../domain/user/actor.ts'
import type { UserId } from '../../../domain/user/id.ts'
import type { RelaySpec } from '../../../keeper-client/client.ts'
import { maskSecretWords, maskSecretsInLine } from '../../../lib/secret-words.ts'
import { findProgram, noProgram } from '../../../lib/find-program.ts'
import { newRandomId } from '../../../lib/id.ts'
import { lookAgain } from '../../../lib/directory-mark.ts'
import { fail, ok, type Failed, type Fault, type Result } from '../../../lib/result.ts'
import { markNow, writeMark } from '../follow/mark.ts'
import { reach } from './access.ts'
import { system, type TerminalRegistry } from './terminal-registry.ts'
import { followedFrom, followsLog, misfitOf, planOf, within, type StartPlan } from './start-plan.ts'

export type Confined = {
  argv: readonly [string, ...string[]]
  env: Readonly<Record<string, string>>
  cwd?: string
  relay?: RelaySpec
}

export type StartingDeps = {
  app: App
  nodeId: string
  dataDir: string
  watchRoots: readonly string[]
  /** How programs of a confined session run; null: as the server's user. */
  confine(sessionId: SessionId, argv: readonly [string, ...string[]]): Promise<Result<Confined | null>>
}

export type DescribedStart = Pick<
  TerminalStart,
  | 'sessionType'
  | 'logFile'
  | 'typescript'
  | 'command'
  | 'host'
  | 'user'
  | 'name'
  | 'parentSessionId'
  | 'metadata'
  | 'cols'
  | 'rows'
  | 'actor'
>

export type Enrolling = {
  ownerUserId: UserId
  startedBy: SessionId | null
  workspaceRoot: string
  childId: string | null
  position: number
  /** The isolation of its program; null for a log. */
  isolation: Isolation | null
  followed: OpenCommand['followed']
}

type OpenCommand = Extract<TerminalCommand, { type: 'terminal.open' }>
type Permitted = { id: SessionId; about: Enrolling; workspace: string | null }

export type Starting = {
  check(input: TerminalStart): Promise<Result<void>>
  start(input: TerminalStart): Promise<Result<Terminal>>
  /** The directories a log must be in, each time it is opened; null: anywhere. */
  logRoots(ownerUserId: UserId, startedBy: SessionId | null): Promise<string[] | null>
  /** Stores the terminal before anything of it is read. */
  enroll(id: SessionId, input: DescribedStart, about: Enrolling): Promise<Result<Terminal>>
  owner(actor: Actor): Promise<UserId | null>
  mayRun(actor: Actor): Promise<Failed | null>
}

export function createStarting(deps: StartingDeps, registry: TerminalRegistry): Starting {
  const { app } = deps
  const { link } = registry

  async function owner(actor: Actor): Promise<UserId | null> {
    return 'userId' in actor ? actor.userId : ((await app.read.firstOwner()) ?? null)
  }

  async function rootsOf(id: SessionId): Promise<string[]> {
    const session = await app.read.session(systemStanding('terminal'), id)
    const own = session.ok && !session.value.workspaceClaimed ? [session.value.workspaceRoot] : []
    return [...own, ...deps.watchRoots]
  }

  /** The directories a log must be in, each time it is opened; null: anywhere. */
  async function logRoots(ownerUserId: UserId, startedBy: SessionId | null): Promise<string[] | null> {
    if (startedBy !== null) return rootsOf(startedBy)
    const anywhere = await app.read.usesMachine(ownerUserId)
    return anywhere ? null : [...deps.watchRoots]
  }

  /** The isolation a program would get. */
  async function isolationFor(startedBy: SessionId | null): Promise<Isolation> {
    const session = startedBy === null ? null : await app.read.session(systemStanding('terminal'), startedBy)
    return (session?.ok && session.value.isolation) || 'none'
  }

  /** A fault if another directory has replaced the agent's workspace. */
  async function isReplaced(id: SessionId): Promise<Failed | null> {
    const session = await app.read.session(systemStanding('terminal'), id)
    if (!session.ok) return null
    const { workspaceRoot } = session.value
    if ((await lookAgain(workspaceRoot, await app.read.workspaceMark(id))) !== 'replaced') return null
    await app.dispatch({ type: 'security.report', what: 'path_refused', detail: workspaceRoot }, system)
    return fail(anotherDirectory(workspaceRoot))
  }

  /** Whether the core permits it; checked before the disk is touched. */
  async function permitted(input: TerminalStart): Promise<Result<Permitted>> {
    const { actor } = input
    const startedBy = actor.kind === 'agent' ? actor.sessionId : null
    const refused = authorizeAction(actor, 'terminal.start')
    if (refused) return refused
    const ownerUserId = await owner(actor)
    if (ownerUserId === null) return fail(nobody)
    const places = startedBy === null ? [] : await rootsOf(startedBy)
    const [workspace = null] = places.slice(0, places.length - deps.watchRoots.length)
    const isLog = followsLog(input)
    const about: Enrolling = {
      ...blank,
      ownerUserId,
      startedBy,
      isolation: isLog ? null : await isolationFor(startedBy),
      followed: isLog ? followedFrom(input.logFile ?? '', workspace, deps.watchRoots) : undefined,
    }
    const id = input.sessionId ?? newRandomId<SessionId>()
    const checked = await app.check(openCommand(id, input, about), actor)
    if (checked !== null && checked !== 'repeated' && checked.fault.kind === 'forbidden') return checked
    return ok({ id, about, workspace })
  }

  /** Logs may be followed in terminal.watch_roots; programs of agents run only in the workspace. */
  async function plan(input: TerminalStart, { workspace, about }: Permitted): Promise<Result<StartPlan>> {
    const { startedBy } = about
    if (startedBy === null) return planOf(input, null, null, deps.dataDir)
    const replaced = await isReplaced(startedBy)
    if (replaced !== null) return replaced
    const places = followsLog(input) ? await rootsOf(startedBy) : [workspace ?? []].flat()
    return planOf(input, places[0] ?? null, places, deps.dataDir)
  }

  async function check(input: TerminalStart): Promise<Result<void>> {
    const misfit = misfitOf(input)
    if (misfit) return misfit
    const allowed = await permitted(input)
    if (!allowed.ok) return allowed
    const planned = await plan(input, allowed.value)
    return planned.ok ? ok(undefined) : planned
  }

  async function start(input: TerminalStart): Promise<Result<Terminal>> {
    const misfit = misfitOf(input)
    if (misfit) return misfit
    const allowed = await permitted(input)
    if (!allowed.ok) return allowed
    const planned = await plan(input, allowed.value)
    if (!planned.ok) return planned
    const { id, about } = allowed.value
    if (planned.value.kind === 'file') return startFile(id, input, planned.value, about)
    const refused = input.approved ? null : authorizeAction(input.actor, 'terminal.run_unapproved')
    if (refused) return refused
    const { startedBy } = about
    const confined = startedBy === null ? ok(null) : await deps.confine(startedBy, planned.value.argv)
    if (!confined.ok) return confined
    // Before it is stored: a program that can't start is not a terminal. Inside a sandbox other programs may exist.
    const { argv, cwd } = planned.value
    if (confined.value === null && findProgram(argv[0], cwd, process.env) === null)
      return fail(noProgram(argv[0], cwd, process.env))
    return startProgram(id, input, planned.value, { ...about, confined: confined.value })
  }

  async function startFile(
    id: SessionId,
    input: TerminalStart,
    plan: Extract<StartPlan, { kind: 'file' }>,
    about: Enrolling,
  ): Promise<Result<Terminal>> {
    const position = input.filePosition ?? (input.typescript ? 0 : plan.size)
    const roots = await logRoots(about.ownerUserId, about.startedBy)
    // Now, not later in the worker: by then it may have been rewritten.
    const mark = await markNow(plan.path, position, async (path) =>
      roots === null || within(path, roots) ? ok(undefined) : fail(movedOut),
    )
    const opened = await enroll(id, input, { ...about, workspaceRoot: plan.path, position })
    if (!opened.ok) return opened
    if (mark) await writeMark(registry.directoryOf(id), mark)
    const source = { kind: 'file' as const, path: plan.path, position, epoch: 0, typescript: input.typescript, roots }
    registry.open(id, opened.value, source)
    return opened
  }

  async function startProgram(
    id: SessionId,
    input: TerminalStart,
    plan: Extract<StartPlan, { kind: 'program' }>,
    { confined, ...about }: Enrolling & { confined: Confined | null },
  ): Promise<Result<Terminal>> {
    const keeper = await link.ensure()
    if (!keeper.ok) return keeper
    const childId = `t-${id}`
    const isolation = confined === null ? 'none' : about.isolation
    const opened = await enroll(id, input, { ...about, workspaceRoot: plan.cwd, childId, isolation })
    if (!opened.ok) return opened
    const spawned = await keeper.value.spawn({
      id: childId,
      argv: confined?.argv ?? plan.argv,
      cwd: confined?.cwd ?? plan.cwd,
      env: { ...(confined?.env ?? ownEnvironment()), TERM: 'xterm-256color', SIGNALBOX_SESSION: id },
      label: { kind: 'terminal', session: id, type: input.sessionType },
      output: 'acknowledged',
      pty: { cols: input.cols, rows: input.rows },
      ...(confined?.relay && { relay: confined.relay }),
    })
    if (!spawned.ok) {
      await app.dispatch({ type: 'terminal.close', id, exitCode: null, exitSignal: null }, system)
      await app.dispatch({ type: 'session.fail', id, reason: spawned.fault.message }, system)
      return spawned
    }
    registry.open(id, opened.value, { kind: 'pty', childId, child: spawned.value, remote: input.sessionType === 'ssh' })
    return opened
  }

  const openCommand = (id: SessionId, input: DescribedStart, about: Enrolling): OpenCommand => {
    const { ownerUserId, startedBy, workspaceRoot, childId, position, isolation, followed } = about
    const { sessionType, logFile, typescript, command, host, user, name, parentSessionId, cols, rows } = input
    return {
      type: 'terminal.open',
      session: { ...newSession, id, ownerUserId, workspaceRoot, isolation, metadata: maskedTexts(input.metadata) },
      terminal: {
        sessionType,
        name: name === null || name === '' ? null : maskSecretsInLine(name),
        logFile,
        typescript,
        command: command === null ? null : maskSecretWords(command, { all: true }),
        cwd: sessionType === 'file' ? null : workspaceRoot,
        host,
        user,
        parentSessionId,
        startedBy,
        childId,
        cols,
        rows,
        filePosition: position,
      },
      node: deps.nodeId,
      ...(followed !== undefined && { followed }),
    }
  }

  /** Whether the actor may run programs as the server's user. */
  async function mayRun(actor: Actor): Promise<Failed | null> {
    const ownerUserId = await owner(actor)
    if (ownerUserId === null) return fail(nobody)
    const about = { ...blank, ownerUserId, isolation: 'none' as const }
    const checked = await app.check(openCommand(newRandomId<SessionId>(), { ...anything, actor }, about), actor)
    return checked === null || checked === 'repeated' ? null : checked
  }

  async function enroll(id: SessionId, input: DescribedStart, about: Enrolling): Promise<Result<Terminal>> {
    const opened = await app.dispatch(openCommand(id, input, about), input.actor)
    if (!opened.ok) return opened
    const found = await reach(app, id, system)
    return found.ok ? ok(found.value.terminal) : found
  }

  return { check, start, enroll, owner, logRoots, mayRun }
}

const movedOut = {
  kind: 'forbidden' as const,
  code: 'not_permitted',
  message: 'The log is outside the workspace and terminal.watch_roots.',
  hint: 'Ask a person to add its directory to terminal.watch_roots.',
}

const anotherDirectory = (root: string): Fault => ({
  kind: 'forbidden',
  code: 'path_violation',
  message: `${root} is not the directory this session started in: it was replaced by a link or another directory.`,
  hint: 'Put the directory back, or start a new session in the new place. This attempt was recorded.',
})

const nobody = {
  kind: 'conflict' as const,
  code: 'nobody_here',
  message: 'A terminal needs an owner, and nobody is signed in.',
}

/** Secrets in the stored description are masked; only the program gets them. */
const maskedTexts = (texts: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(texts).map(([name, value]) => [name, maskSecretsInLine(value)]))

/** Without our own settings. */
function ownEnvironment(): Record<string, string> {
  const entries = Object.entries(process.env).filter(([name]) => !/^(SIGNALBOX_|NODE_)/.test(name))
  return Object.fromEntries(entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
}

const blank = { startedBy: null, workspaceRoot: '/', childId: null, position: 0, followed: undefined }

const anything = {
  sessionType: 'script' as const,
  logFile: null,
  typescript: false,
  command: null,
  host: null,
  user: null,
  name: null,
  parentSessionId: null,
  metadata: {},
  cols: 80,
  rows: 24,
}

const newSession = {
  protocolMode: 'terminal' as const,
  repoId: null,
  prompt: null,
  mode: 'remote' as const,
  agent: null,
  ...inNoChat,
  tokenId: null,
}
