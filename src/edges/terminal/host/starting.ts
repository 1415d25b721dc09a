import type { App } from '../../../app/app.ts'
import type { TerminalStart } from '../../../app/terminals.ts'
import type { SessionId } from '../../../domain/session/schema.ts'
import type { Terminal } from '../../../domain/terminal/schema.ts'
import { systemStanding, type Actor } from '../../../domain/user/actor.ts'
import type { UserId } from '../../../domain/user/id.ts'
import { findProgram, noProgram } from '../../../lib/find-program.ts'
import { newRandomId } from '../../../lib/id.ts'
import { fail, ok, type Result } from '../../../lib/result.ts'
import { markNow, writeMark } from '../follow/mark.ts'
import { reach } from './access.ts'
import { system, type Floor } from './floor.ts'
import { followsLog, planOf, within, type Plan } from './plan.ts'

export type Confined = { argv: readonly [string, ...string[]]; env: Readonly<Record<string, string>>; cwd?: string }

export type StartingDeps = {
  app: App
  nodeId: string
  dataDir: string
  watchRoots: readonly string[]
  /** Where programs of a session that is confined run; null: as whoever runs the server. */
  confine(sessionId: SessionId, argv: readonly [string, ...string[]]): Promise<Result<Confined | null>>
}

export type Described = Pick<
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
}

export type Starting = {
  check(input: TerminalStart): Promise<Result<void>>
  start(input: TerminalStart): Promise<Result<Terminal>>
  /** Where the agent of a session may look. */
  rootsOf(session: SessionId): Promise<string[]>
  /** The row of a terminal: there before anything of it is read. */
  enroll(id: SessionId, input: Described, about: Enrolling): Promise<Result<Terminal>>
  owner(actor: Actor): Promise<UserId | null>
}

export function createStarting(deps: StartingDeps, floor: Floor): Starting {
  const { app } = deps
  const { door } = floor

  async function owner(actor: Actor): Promise<UserId | null> {
    return 'userId' in actor ? actor.userId : ((await app.read.firstOwner()) ?? null)
  }

  async function rootsOf(id: SessionId): Promise<string[]> {
    const session = await app.read.session(systemStanding('terminal'), id)
    const own = session.ok && !session.value.workspaceClaimed ? [session.value.workspaceRoot] : []
    return [...own, ...deps.watchRoots]
  }

  async function plan(input: TerminalStart): Promise<Result<Plan>> {
    const { actor } = input
    if (actor.kind !== 'agent') return planOf(input, null, null, deps.dataDir)
    if (actor.sessionId === null) return fail(noSession)
    const roots = await rootsOf(actor.sessionId)
    // Logs may be followed in terminal.watch_roots; programs run in the workspace alone.
    const places = followsLog(input) ? roots : roots.slice(0, roots.length - deps.watchRoots.length)
    return planOf(input, places[0] ?? null, places, deps.dataDir)
  }

  async function check(input: TerminalStart): Promise<Result<void>> {
    const planned = await plan(input)
    return planned.ok ? ok(undefined) : planned
  }

  async function start(input: TerminalStart): Promise<Result<Terminal>> {
    const planned = await plan(input)
    if (!planned.ok) return planned
    const { actor } = input
    if (actor.kind === 'agent' && planned.value.kind === 'program' && !input.approved) return fail(notAsked)
    const own = actor.kind === 'agent' ? actor.sessionId : null
    const id = input.sessionId ?? newRandomId<SessionId>()
    const ownerUserId = await owner(actor)
    if (ownerUserId === null) return fail(nobody)
    if (planned.value.kind === 'file') return startFile(id, input, planned.value, ownerUserId, own)
    const confined = own === null ? ok(null) : await deps.confine(own, planned.value.argv)
    if (!confined.ok) return confined
    // Before there is a row: what never ran is no terminal. What a sandbox holds is known in there alone.
    const { argv, cwd } = planned.value
    if (confined.value === null && findProgram(argv[0], cwd, process.env) === null)
      return fail(noProgram(argv[0], cwd, process.env))
    return startProgram(id, input, planned.value, { ownerUserId, startedBy: own, confined: confined.value })
  }

  async function startFile(
    id: SessionId,
    input: TerminalStart,
    plan: Extract<Plan, { kind: 'file' }>,
    ownerUserId: UserId,
    startedBy: SessionId | null,
  ): Promise<Result<Terminal>> {
    const position = input.filePosition ?? (input.typescript ? 0 : plan.size)
    const roots = startedBy === null ? null : await rootsOf(startedBy)
    // Now, not when the worker comes to it: by then it may have been written anew.
    const mark = await markNow(plan.path, position, async (path) =>
      roots === null || within(path, roots) ? ok(undefined) : fail(movedOut),
    )
    const opened = await enroll(id, input, {
      ownerUserId,
      startedBy,
      workspaceRoot: plan.path,
      childId: null,
      position,
    })
    if (!opened.ok) return opened
    if (mark) await writeMark(floor.directoryOf(id), mark)
    const source = { kind: 'file' as const, path: plan.path, position, epoch: 0, typescript: input.typescript, roots }
    floor.open(id, opened.value, source)
    return opened
  }

  async function startProgram(
    id: SessionId,
    input: TerminalStart,
    plan: Extract<Plan, { kind: 'program' }>,
    about: { ownerUserId: UserId; startedBy: SessionId | null; confined: Confined | null },
  ): Promise<Result<Terminal>> {
    const keeper = await door.ensure()
    if (!keeper.ok) return keeper
    const childId = `t-${id}`
    const { ownerUserId, startedBy, confined } = about
    const opened = await enroll(id, input, { ownerUserId, startedBy, workspaceRoot: plan.cwd, childId, position: 0 })
    if (!opened.ok) return opened
    const spawned = await keeper.value.spawn({
      id: childId,
      argv: confined?.argv ?? plan.argv,
      cwd: confined?.cwd ?? plan.cwd,
      env: { ...(confined?.env ?? ownEnvironment()), TERM: 'xterm-256color', SIGNALBOX_SESSION: id },
      label: { kind: 'terminal', session: id, type: input.sessionType },
      output: 'acknowledged',
      pty: { cols: input.cols, rows: input.rows },
    })
    if (!spawned.ok) {
      await app.dispatch({ type: 'terminal.close', id, exitCode: null, exitSignal: null }, system)
      await app.dispatch({ type: 'session.fail', id, reason: spawned.fault.message }, system)
      return spawned
    }
    floor.open(id, opened.value, { kind: 'pty', childId, child: spawned.value, remote: input.sessionType === 'ssh' })
    return opened
  }

  async function enroll(id: SessionId, input: Described, about: Enrolling): Promise<Result<Terminal>> {
    const { ownerUserId, startedBy, workspaceRoot, childId, position } = about
    const { sessionType, logFile, typescript, command, host, user, name, parentSessionId, cols, rows } = input
    const opened = await app.dispatch(
      {
        type: 'terminal.open',
        session: {
          ...newSession,
          id,
          ownerUserId,
          workspaceRoot,
          metadata: input.metadata,
        },
        terminal: {
          sessionType,
          name: name === '' ? null : name,
          logFile,
          typescript,
          command: command === null ? null : [...command],
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
      },
      input.actor,
    )
    if (!opened.ok) return opened
    const found = await reach(app, id, system)
    return found.ok ? ok(found.value.terminal) : found
  }

  return { check, start, enroll, owner, rootsOf }
}

const notAsked = {
  kind: 'forbidden' as const,
  code: 'not_permitted',
  message: 'A program of an agent is asked about before it is started.',
  hint: 'Use the tool start_session_monitor.',
}

const movedOut = {
  kind: 'forbidden' as const,
  code: 'not_permitted',
  message: 'The log leads out of the workspace and of terminal.watch_roots.',
  hint: 'Ask a person to add its directory to terminal.watch_roots.',
}

const noSession = {
  kind: 'forbidden' as const,
  code: 'not_permitted',
  message: 'This token has no session a terminal could belong to.',
  hint: 'Connect over MCP, or use a token of a session.',
}

const nobody = {
  kind: 'conflict' as const,
  code: 'nobody_here',
  message: 'There is nobody a terminal could belong to.',
}

/** What is not ours to hand on stays out. */
function ownEnvironment(): Record<string, string> {
  const entries = Object.entries(process.env).filter(([name]) => !/^(SIGNALBOX_|NODE_)/.test(name))
  return Object.fromEntries(entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
}

const newSession = {
  protocolMode: 'terminal' as const,
  repoId: null,
  prompt: null,
  mode: 'remote' as const,
  agent: null,
  agentProvider: null,
  agentGroupId: null,
  messagingGroupId: null,
  threadId: null,
  channelId: null,
  threadTs: null,
  isolation: null,
  tokenId: null,
}
