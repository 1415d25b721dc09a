import { join } from 'node:path'
import type { Administration } from '../app/administration/administration.ts'
import type { App } from '../app/app.ts'
import type { LoadedConfig } from '../config/index.ts'
import type { ContainerDeps, ContainerInput } from '../edges/acp/launch/container.ts'
import type { ConfinedCommand } from '../edges/acp/launch/launch.ts'
import { providerNameOf } from '../lib/container/provider-name.ts'
import type { Session } from '../domain/session/schema.ts'
import type { AgentGroupId, UserId } from '../domain/user/id.ts'
import type { Containers } from '../lib/container/containers.ts'
import type { ContainerProvider, ContainerRequest, ContainerSettings } from '../lib/container/settings.ts'
import { lazy, type Lazy } from '../lib/lazy.ts'
import type { Logger } from '../lib/log.ts'
import { fail, ok, type Failed, type Result } from '../lib/result.ts'
import { socketPath } from '../lib/socket-path.ts'
import { containerRunner, relayInSandbox } from './own-programs.ts'

/** Whose session gets a container. */
export type ContainerOwner = { readonly ownerUserId: UserId; readonly agentGroupId: AgentGroupId | null }

/** What a session's container is made from. */
export type ContainerChoice = (owner: ContainerOwner) => Promise<Result<ContainerRequest>>

type Config = LoadedConfig['config']

/** For sessions without an agent group, and where a group says nothing. */
export function usualSettings({ containers }: Pick<Config, 'containers'>): ContainerSettings {
  const { image, memoryMb, cpus, pids, diskMb, hosts, providers } = containers
  return {
    image,
    packages: { apt: [], npm: [] },
    mounts: [],
    limits: { memoryMb, cpus, pids, diskMb },
    network: { hosts, providers },
    env: {},
  }
}

/** An agent group's container: what its config says, else the configuration. Its sessions share a home. */
export const groupChoice =
  (
    config: Pick<Config, 'containers'>,
    read: Pick<App['read'], 'groupSettings'>,
    { secretsOf }: Pick<Administration, 'secretsOf'>,
  ): ContainerChoice =>
  async ({ agentGroupId }) => {
    const usual = usualSettings(config)
    const group = agentGroupId === null ? null : await read.groupSettings(agentGroupId)
    if (group === null) return ok({ settings: usual, homeKey: null })
    const { image, packages, mounts, limits, hosts, providers } = group.container
    const unknown = providers.find((name) => !usual.network.providers.some((provider) => provider.name === name))
    if (unknown !== undefined) return unknownProvider(group.name, unknown)
    const secrets = await secretsOf(group.agentGroupId)
    if (!secrets.ok) return secrets
    const granted = new Map(secrets.value.map((secret) => [providerNameOf(secret.name), grantedProvider(secret)]))
    return ok({
      homeKey: `group-${group.agentGroupId}`,
      settings: {
        image: image ?? usual.image,
        packages,
        mounts,
        limits: {
          memoryMb: limits.memoryMb ?? usual.limits.memoryMb,
          cpus: limits.cpus ?? usual.limits.cpus,
          pids: limits.pids ?? usual.limits.pids,
          diskMb: limits.diskMb ?? usual.limits.diskMb,
        },
        network: {
          hosts: [...usual.network.hosts, ...hosts],
          // A group that names none gets those that everybody has. What administrators gave to the group comes first.
          providers: [
            ...usual.network.providers.filter(
              ({ name }) => !granted.has(name) && (providers.length === 0 || providers.includes(name)),
            ),
            ...granted.values(),
          ],
        },
        env: usual.env,
      },
    })
  }

const grantedProvider = ({ name, host, value }: { name: string; host: string; value: string }): ContainerProvider => ({
  name: providerNameOf(name),
  baseUrl: `https://${host}`,
  keyRef: null,
  key: value,
  header: null,
})

const unknownProvider = (group: string, provider: string): Failed =>
  fail({
    kind: 'invalid',
    code: 'unknown_provider',
    message: `The agent group ${group} uses the model provider ${provider}, which is not in the configuration.`,
    hint: 'Add it to [containers] providers in config.toml, or remove it from the group.',
  })

/** The engine, images and leftovers of this server. */
export async function openContainers({ config, dataDir }: LoadedConfig): Promise<Containers> {
  const { createContainers } = await import('../lib/container/containers.ts')
  return createContainers({
    dataDir,
    engineSocket: config.containers.engine,
    env: process.env,
    ownSocket: socketPath(dataDir, join('engine', 'podman')),
  })
}

/** Launches in containers, and commands in those that run. */
export function createContainerLaunches(deps: {
  loaded: LoadedConfig
  containers: Lazy<Containers>
  containerFor: ContainerChoice
  log: Logger
  ownPort(): number | null
}) {
  const parts = lazy(async () => {
    const [launching, network] = await Promise.all([
      import('../edges/acp/launch/container.ts'),
      import('../edges/acp/launch/container-network.ts'),
    ])
    const keys = network.usualKeys(process.env)
    const containers = await deps.containers.get()
    return { ...launching, deps: containerDeps(deps.loaded, { ...deps, containers, keys }) }
  })
  return {
    async launch(common: Omit<ContainerInput, 'ownerUserId' | 'request'>, owner: ContainerOwner) {
      const { prepareContainer, deps: shared } = await parts.get()
      const request = await deps.containerFor(owner)
      if (!request.ok) return request
      return prepareContainer({ ...common, ownerUserId: owner.ownerUserId, request: request.value }, shared)
    },
    async command(session: Session, argv: readonly [string, ...string[]]): Promise<Result<ConfinedCommand>> {
      const { execPrefix, userOf, deps: shared } = await parts.get()
      const engine = await shared.containers.engine()
      if (!engine.ok) return engine
      const user = await userOf(session.workspaceRoot)
      const { install } = shared.containers
      const { wrap, commandEnv } = execPrefix(shared, {
        engine: engine.value.address,
        install,
        session: session.id,
        user,
      })
      const [program = '', ...words] = wrap
      return ok({ argv: [program, ...words, '--', ...argv], env: commandEnv ?? {} })
    },
  }
}

function containerDeps(
  { config, dataDir }: LoadedConfig,
  input: { containers: Containers; keys: ContainerDeps['keys']; ownPort(): number | null; log: Logger },
): ContainerDeps {
  const [, , relay = ''] = relayInSandbox()
  return {
    containers: input.containers,
    dataDir,
    hostEnv: process.env,
    runner: containerRunner(),
    relay,
    gate: config.acp.ownTools ? socketPath(dataDir, 'gate') : null,
    ownPort: input.ownPort,
    allowed: config.containers.mounts,
    allowMissingLimits: config.containers.allowMissingLimits,
    keys: input.keys,
    onLog: (line) => input.log.info({ line }, 'image'),
  }
}
