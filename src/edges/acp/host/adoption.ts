import { SessionId } from '../../../domain/session/id.ts'
import type { SessionStatus } from '../../../domain/session/status.ts'
import { reapLeftovers, type ChildInfo, type Keeper, type KeeperLink } from '../../../keeper-client/client.ts'

import type { Launch } from '../launch/launch.ts'
import { freshNotes, type HeldCall, type Notes } from '../transcript/recorder.ts'
import { seeing, system } from '../actor.ts'
import { settleFailedStart, type Stopping } from './failed-start.ts'
import { handshakeOf, onHostNetwork, type HostDeps, type DriverRegistry } from './driver-registry.ts'

/** Takes up what the server before this one left in the keeper, and finds out what was lost. */
export async function adopt(deps: HostDeps & Stopping, registry: DriverRegistry, link: KeeperLink): Promise<void> {
  const { app, log } = deps
  const hosted = await app.read.hosted(deps.nodeId)
  const found = await link.find()
  if (!found.ok) log.error({ code: found.fault.code }, "the keeper can't be reached")
  const keeper = found.ok ? found.value : null
  if (!keeper) await reapLeftovers(deps.dataDir, log)
  // Terminals of people are there too; they are not ours.
  const children = keeper ? (await keeper.list()).filter(({ label }) => label['kind'] !== 'terminal') : []
  for (const { id, status } of hosted) {
    const child = children.findLast(({ label }) => label['session'] === id)
    if (keeper && child)
      // What is wrong with one must not keep the others from being taken up.
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
      .catch((error: unknown) => log.error({ child: child.id, error: String(error) }, 'a leftover could not be ended'))
  }
  if (registry.all().length > 0) log.info({ sessions: registry.all().length }, 'reconnected to agents')
}

/** Its session has ended, or has another process. */
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
  const session = await app.read.session(seeing, id)
  const row = await app.read.agent(id)
  const agent = registry.definitionOf(session.ok ? session.value.agent : null)
  const known = agent.ok ? agent : registry.definitionOf(null)
  if (!session.ok || !row || !known.ok) {
    await app.dispatch({ type: 'session.interrupt', id, reason: 'nothing is known about its agent' }, system)
    return
  }
  const { workspaceRoot, isolation, restartOf } = session.value
  // What an older keeper holds shares our network, and so do its commands.
  const held = keeper.relays ? known.value : onHostNetwork(known.value)
  const launched = await deps.launch(held, id, workspaceRoot, isolation)
  // Its program may be gone since; it runs all the same, and starts no further ones.
  const launch = launched.ok ? launched.value : stranded(workspaceRoot)
  const about = await registry.aboutOf(id)
  const notes = { ...freshNotes, ...(row.state as Partial<Notes>) }
  const stored = { offset: row.offset, notes, about, held: row.held as unknown as readonly HeldCall[] }
  const { text, plan, tools } = notes.transcript
  const growing = [text?.id, plan, ...tools.map(([, message]) => message)].filter(
    (one) => one !== null && one !== undefined,
  )
  const messages = await app.read.messagesById(growing)
  const driver = registry.drive({ id, childId: child.id, status, agent: known.value, launch, keeper, stored, messages })
  if (status !== 'created' || about.agentSessionId !== null) return driver.adopt()
  // Killed while the agent introduced itself: the same questions again, under the same names.
  const before = restartOf === null ? null : (await registry.aboutOf(restartOf)).agentSessionId
  const opening = notes.opening ?? { authMethod: null, continues: before, forks: false }
  const { budget, worktree } = about
  const handshake = handshakeOf(known.value, launch, { ...opening, budget, worktree })
  void driver
    .begin(handshake, 'session.activate')
    .then(async (begun) => {
      if (!begun.ok) await settleFailedStart(deps, id, begun.fault)
    })
    .catch((error: unknown) => log.error({ error: String(error) }, 'a start could not be finished'))
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
