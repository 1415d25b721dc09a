import { SessionId } from '../../../domain/session/id.ts'
import type { SessionStatus } from '../../../domain/session/status.ts'
import { reapLeftovers, type ChildInfo, type Keeper, type KeeperLink } from '../../../keeper-client/client.ts'

import type { Launch } from '../launch/launch.ts'
import { freshNotes, type HeldCall, type Notes } from '../transcript/recorder.ts'
import { systemViewer, system } from '../actor.ts'
import { settleFailedStart, type Stopping } from './failed-start.ts'
import { handshakeOf, onHostNetwork, type HostDeps, type DriverRegistry } from './driver-registry.ts'

/** Reconnects to agents that the previous server left in the keeper, and interrupts sessions whose agent is gone. */
export async function adopt(deps: HostDeps & Stopping, registry: DriverRegistry, link: KeeperLink): Promise<void> {
  const { app, log } = deps
  const hosted = await app.read.hosted(deps.nodeId)
  const found = await link.find()
  if (!found.ok) log.error({ code: found.fault.code }, "the keeper can't be reached")
  const keeper = found.ok ? found.value : null
  if (!keeper) await reapLeftovers(deps.dataDir, log)
  // People's terminals are in the keeper too; another edge owns them.
  const children = keeper ? (await keeper.list()).filter(({ label }) => label['kind'] !== 'terminal') : []
  for (const { id, status, phase, since } of hosted) {
    const own = children.filter(({ label }) => label['session'] === id)
    const child = phase === 'awake' ? own.at(-1) : await formerLife(app, id, own, since)
    if (phase !== 'awake' && !child) {
      await registry.disown(id)
      continue
    }
    if (keeper && child)
      // A failure here must not stop the other agents from being adopted.
      await takeUp(deps, registry, keeper, { id, status, child }).catch(async (error: unknown) => {
        log.error({ session: id, error: String(error) }, 'could not reconnect to an agent')
        await app.dispatch({ type: 'session.interrupt', id, reason: 'reconnecting to its agent failed' }, system)
        await registry.get(id)?.end({ keepAsks: true })
      })
    else {
      const reason = keeper ? 'its agent is gone' : 'its keeper is gone'
      await app.dispatch({ type: 'session.interrupt', id, reason }, system)
      await registry.disown(id)
    }
  }
  for (const child of children) {
    const owner = child.id.split('~')[0]
    if (!keeper || registry.all().some(([, driver]) => driver.childId === owner)) continue
    await keeper
      .end(child.id, 0)
      .then(() => disown(registry, child))
      .then(() => keeper.forget(child.id))
      .catch((error: unknown) =>
        log.error({ child: child.id, error: String(error) }, 'failed to end a leftover process'),
      )
  }
  if (registry.all().length > 0) log.info({ sessions: registry.all().length }, 'reconnected to agents')
}

/**
 * The process that was to end when the server was killed: its last output is read before it is ended. A newer one has got
 * no prompt yet; it is ended like any leftover, and another one is started.
 */
async function formerLife(
  app: HostDeps['app'],
  id: SessionId,
  own: readonly ChildInfo[],
  since: string | null,
): Promise<ChildInfo | undefined> {
  const life = (await app.read.agentLives(id)).at(-1)
  if (!life || since === null || life.startedAt >= since || life.endedAt !== null) return undefined
  return own.find((child) => child.id === life.id)
}

/** Revokes the tokens of a process whose session has ended or has another process. */
async function disown(registry: DriverRegistry, { label }: ChildInfo): Promise<void> {
  const id = SessionId.safeParse(label['session'])
  if (id.success && !registry.get(id.data)) await registry.disown(id.data)
}

async function takeUp(
  deps: HostDeps & Stopping,
  registry: DriverRegistry,
  keeper: Keeper,
  { id, status, child }: { id: SessionId; status: SessionStatus; child: ChildInfo },
): Promise<void> {
  const { app, log } = deps
  const session = await app.read.session(systemViewer, id)
  const row = await app.read.agent(id)
  const agent = session.ok ? await registry.agentFor(session.value) : registry.definitionOf(null)
  const known = agent.ok ? agent : registry.definitionOf(null)
  if (!session.ok || !row || !known.ok) {
    await app.dispatch({ type: 'session.interrupt', id, reason: 'nothing is known about its agent' }, system)
    return
  }
  const { workspaceRoot, isolation, restartOf } = session.value
  // An older keeper has no relay: its agents and their commands share our network.
  const held = keeper.relays ? known.value : onHostNetwork(known.value)
  const launched = await deps.launch(held, id, workspaceRoot, isolation, session.value)
  // The program may have been removed since. The agent keeps running, but can't start commands.
  const launch = launched.ok ? launched.value : stranded(workspaceRoot)
  const about = await registry.aboutOf(id)
  const notes = { ...freshNotes, ...(row.state as Partial<Notes>) }
  const stored = { offset: row.offset, notes, about, held: row.held as unknown as readonly HeldCall[] }
  const { text, plan, tools } = notes.transcript
  const growing = [text?.id, plan, ...tools.map(([, message]) => message)].filter(
    (one) => one !== null && one !== undefined,
  )
  const messages = await app.read.messagesById(growing)
  const driver = registry.drive({
    id,
    childId: child.id,
    status,
    agent: known.value,
    launch,
    owner: session.value,
    keeper,
    stored,
    messages,
  })
  if (status !== 'created' || about.agentSessionId !== null) return driver.adopt()
  // The server was killed during the handshake: repeat it with the same request ids.
  const before = restartOf === null ? null : (await registry.aboutOf(restartOf)).agentSessionId
  const opening = notes.opening ?? { authMethod: null, continues: before, forks: false }
  const { budget, worktree } = about
  const handshake = handshakeOf(known.value, launch, { ...opening, budget, worktree })
  void driver
    .begin(handshake, 'session.activate')
    .then(async (begun) => {
      if (!begun.ok) await settleFailedStart(deps, id, begun.fault)
    })
    .catch((error: unknown) => log.error({ error: String(error) }, 'failed to finish starting an agent'))
}

const stranded = (workspaceRoot: string): Launch => ({
  argv: ['/bin/false'],
  env: {},
  cwd: workspaceRoot,
  isolation: 'none',
  confinement: '',
  network: '',
  wrap: ['/bin/false'],
  entrance: [],
  relay: null,
  ownUrl: null,
})
