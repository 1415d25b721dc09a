import type { App } from '../app/app.ts'
import { createAdministration, type Administration } from '../app/administration/administration.ts'
import type { AdministrationPorts, Vault } from '../app/administration/ports.ts'
import type { QueueItemId } from '../domain/queue/schema.ts'
import { hasEnded } from '../domain/session/status.ts'
import { systemStanding } from '../domain/user/actor.ts'
import type { AgentGroupId } from '../domain/user/id.ts'
import type { Database } from '../db/open.ts'
import { derivedId } from '../lib/derived-id.ts'
import { lazy } from '../lib/lazy.ts'
import { ok, type Result } from '../lib/result.ts'
import type { ServerContext } from './context.ts'
import type { Edges } from './edges.ts'

/** What administrators approve is carried out here. */
export function createAdministrationPart(
  { loaded, clock, log, nodeId }: ServerContext,
  { app, database }: { app: App; database: Database },
  containers: Pick<AdministrationPorts, 'buildImage' | 'restartAgent'>,
): Administration {
  const { config, dataDir } = loaded
  const vault = lazy(() => openVault(dataDir, config.chat.keyStore, config.database.url !== null))
  return createAdministration({
    app,
    database,
    clock,
    log: log.child({ part: 'administration' }),
    nodeId,
    holdMs: config.mcp.holdSeconds * 1000,
    ports: {
      ...containers,
      vault: vault.get,
    },
  })
}

/** Sealed with the same key as the credentials of chats. */
async function openVault(dataDir: string, store: 'auto' | 'file', shared: boolean): Promise<Result<Vault>> {
  const [{ createSeal }, { chatKey }] = await Promise.all([
    import('../edges/chat/seal.ts'),
    import('../edges/chat/key.ts'),
  ])
  const key = await chatKey({ dataDir, store, shared })
  if (!key.ok) return key
  const seal = createSeal(key.value.key)
  return ok({
    seal: (value, owner) => seal.seal({ value }, owner),
    open(sealed, owner) {
      const opened = seal.open(sealed, owner)
      return opened.ok ? ok(opened.value['value'] ?? '') : opened
    },
  })
}

/** Images and new processes for what was approved. Edges are made after the administration that uses them. */
export function containerPorts(
  { loaded }: Pick<ServerContext, 'loaded'>,
  app: App,
  edges: () => Edges,
): Pick<AdministrationPorts, 'buildImage' | 'restartAgent'> {
  const isolationOf = (id: AgentGroupId) => app.read.groupSettings(id)
  return {
    async buildImage(id, { imageTag, packagesApt, packagesNpm, isolation }, onLog) {
      const group = await isolationOf(id)
      const runs = isolation ?? group?.isolation ?? loaded.config.acp.isolation
      if (runs !== 'container') return ok(null)
      const containers = await edges().containers.get()
      const image = imageTag ?? loaded.config.containers.image
      const built = await containers.ensureImage({ image, packages: { apt: packagesApt, npm: packagesNpm } }, onLog)
      return built.ok ? ok({ image: built.value }) : built
    },
    async restartAgent(id, { key, text }) {
      const session = await app.read.session(systemStanding('administration'), id)
      if (!session.ok || session.value.protocolMode !== 'acp' || hasEnded(session.value.status)) return false
      const onWake = { itemId: derivedId<QueueItemId>('administration', key), text }
      const command = { type: 'session.sleep' as const, id, why: 'restart' as const, onWake }
      const done = await edges().agents.sleep(
        command,
        { kind: 'system', name: 'administration' },
        { key: `ask:${key}` },
      )
      return done.ok
    },
  }
}
