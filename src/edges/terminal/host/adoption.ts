import type { App } from '../../../app/app.ts'
import { authorizeAction } from '../../../app/authorize-action.ts'
import { SessionId } from '../../../domain/session/schema.ts'
import type { Terminal } from '../../../domain/terminal/schema.ts'
import type { Actor } from '../../../domain/user/actor.ts'
import type { ChildInfo } from '../../../keeper-client/client.ts'
import type { Logger } from '../../../lib/log.ts'
import { fail, ok, type Result } from '../../../lib/result.ts'
import type { Detection } from '../../../app/terminals.ts'
import { mayAct, reach, type ReachedTerminal } from './access.ts'
import type { LiveTerminal } from './live-terminal.ts'
import { system, type TerminalRegistry } from './terminal-registry.ts'
import type { Starting } from './starting.ts'
import { isTextList, jsonOrNull } from '../../../lib/parse-json.ts'

export type Adoption = {
  /** A program that `signalbox run` started in the keeper. */
  adopt(childId: string, actor: Actor): Promise<Result<Terminal>>
  /** Adopts what the previous server left, and reports what was lost. */
  adoptAll(): Promise<void>
}

type TerminalRow = ReachedTerminal['row']

type Deps = {
  app: App
  log: Logger
  nodeId: string
  /** What a terminal waits for now. */
  settle(id: SessionId, detection: Detection): Promise<void>
  over(id: SessionId, reason: string): Promise<void>
}

/** By then the output since the restart is on its screen. */
const settleMs = 1500
const retryMs = 5000

export function createAdoption(
  deps: Deps,
  registry: TerminalRegistry,
  { enroll, owner, logRoots, mayRun }: Starting,
): Adoption {
  const { app, log } = deps
  const { link, all, open } = registry

  async function adopt(childId: string, actor: Actor): Promise<Result<Terminal>> {
    // Adopting a program needs the same right as starting it.
    const refused = authorizeAction(actor, 'terminal.adopt') ?? (await mayRun(actor))
    if (refused) return refused
    const keeper = await link.find()
    if (!keeper.ok) return keeper
    const child = (await keeper.value?.list())?.find(({ id }) => id === childId)
    if (!child || !(await isFree(child, actor))) return fail(notHeld(childId))
    return takeUp(child, actor)
  }

  /** A terminal without a session, or one of their own. That another's exists is not revealed. */
  async function isFree(child: ChildInfo, actor: Actor): Promise<boolean> {
    const id = SessionId.safeParse(child.label['session'])
    if (!id.success || child.label['kind'] !== 'terminal') return false
    const known = await reach(app, id.data, system)
    if (!known.ok) return true
    return (await mayAct(app, id.data, actor, 'hang_up')) === null
  }

  /** A terminal that `signalbox run` started, known already or not. */
  async function takeUp(child: ChildInfo, actor: Actor): Promise<Result<Terminal>> {
    const id = SessionId.safeParse(child.label['session'])
    const ownerUserId = await owner(actor)
    if (!id.success || child.label['kind'] !== 'terminal' || ownerUserId === null || !child.pty)
      return fail({ kind: 'conflict', code: 'not_a_terminal', message: `${child.id} is not a terminal.` })
    const known = await reach(app, id.data, system)
    const { label } = child
    const remote = label['type'] === 'ssh'
    if (known.ok) {
      const { status } = known.value.terminal
      // It was reported lost, but it is still there.
      if (status === 'interrupted')
        await app.dispatch({ type: 'session.recover', id: id.data, reason: 'its program is still there' }, system)
      // One that is no longer watched stays unwatched.
      else if (known.value.terminal.state === 'stopped') {
        await forgetStopped(child)
        return ok(known.value.terminal)
      }
      if (!all.has(id.data))
        settleLater(open(id.data, known.value.terminal, { kind: 'pty', childId: child.id, child, remote }))
      return ok(known.value.terminal)
    }
    const parent = SessionId.safeParse(label['parent'])
    const parentKnown = parent.success && (await reach(app, parent.data, system)).ok
    const enrolled = await enroll(
      id.data,
      {
        sessionType: remote ? 'ssh' : 'script',
        logFile: null,
        typescript: false,
        command: commandIn(label['command']),
        host: label['host'] ?? null,
        user: label['user'] ?? null,
        name: label['name'] ?? null,
        parentSessionId: parentKnown ? parent.data : null,
        metadata: {},
        cols: child.pty.cols,
        rows: child.pty.rows,
        actor: { kind: 'person', userId: ownerUserId, scope: 'full' },
      },
      {
        ownerUserId,
        startedBy: null,
        workspaceRoot: label['cwd'] ?? '/',
        childId: child.id,
        position: 0,
        isolation: 'none',
        followed: undefined,
      },
    )
    if (!enrolled.ok) return enrolled
    open(id.data, enrolled.value, { kind: 'pty', childId: child.id, child, remote })
    return enrolled
  }

  async function lost(id: SessionId): Promise<void> {
    await deps.over(id, 'The terminal is gone, with its keeper.')
    await app.dispatch({ type: 'session.interrupt', id, reason: 'its keeper is gone' }, system)
  }

  /** An ask from before the restart may have been answered at the keyboard since. */
  function settleLater(live: LiveTerminal): void {
    const look = async () => {
      const detected = await registry.ask<Detection>(live, { what: 'detect' })
      if (detected.ok) await deps.settle(live.id, detected.value)
    }
    setTimeout(() => void look().catch(() => {}), settleMs).unref()
  }

  async function forgetStopped({ id, exit }: ChildInfo): Promise<void> {
    const keeper = link.current()
    keeper?.ack(id, Number.MAX_SAFE_INTEGER)
    if (exit) await keeper?.forget(id)
  }

  /** A log needs no keeper. */
  async function followAgain(row: TerminalRow, terminal: Terminal, path: string): Promise<void> {
    const { file_position: position, epoch, typescript, started_by: startedBy } = row
    await deps.over(row.session_id, "A log can't be answered.")
    const roots = await logRoots(terminal.ownerUserId, startedBy)
    open(row.session_id, terminal, { kind: 'file', path, position, epoch, typescript: typescript === 1, roots })
  }

  async function adoptAll(): Promise<void> {
    const keeper = await link.find()
    const children = keeper.ok && keeper.value ? await keeper.value.list() : []
    const mine = children.filter(({ label }) => label['kind'] === 'terminal')
    for (const row of await app.read.openTerminals(deps.nodeId)) {
      const { session_id: id } = row
      const known = await reach(app, id, system)
      if (all.has(id) || !known.ok || known.value.terminal.state === 'stopped') continue
      if (row.log_file !== null) await followAgain(row, known.value.terminal, row.log_file)
      else if (keeper.ok && !mine.some((child) => child.id === row.child_id)) await lost(id)
    }
    for (const child of mine) {
      const taken = await takeUp(child, system)
      if (!taken.ok) log.error({ child: child.id, code: taken.fault.code }, 'a terminal could not be adopted')
    }
    if (keeper.ok) return
    // Busy, or another version: the state of its programs is not known yet.
    log.error({ code: keeper.fault.code }, keeper.fault.message)
    setTimeout(
      () => void adoptAll().catch((error: unknown) => log.error({ error: String(error) }, 'reconnecting failed')),
      retryMs,
    ).unref()
  }

  return { adopt, adoptAll }
}

const notHeld = (childId: string) => ({
  kind: 'not_found' as const,
  code: 'child_not_found',
  message: `The keeper has no terminal ${childId} that you can adopt.`,
})

const commandIn = (text: string | undefined): string[] | null => jsonOrNull(text ?? 'null', isTextList)
