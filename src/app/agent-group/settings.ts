import type { CliScope, ContainerConfig, ContainerLimits } from '../../domain/agent-group/container-config.ts'
import type { AgentGroup } from '../../domain/agent-group/schema.ts'
import type { Isolation } from '../../domain/session/schema.ts'
import type { AgentGroupId } from '../../domain/user/id.ts'

/** An MCP server that an agent is given when its session opens. */
export type NamedMcpServer =
  | { readonly name: string; readonly url: string; readonly headers: Readonly<Record<string, string>> }
  | {
      readonly name: string
      readonly command: string
      readonly args: readonly string[]
      readonly env: Readonly<Record<string, string>>
    }

/** What a session says itself, which counts before its agent group (C11). */
export type SessionChoices = {
  readonly agent?: string | null | undefined
  readonly model?: string | null | undefined
  readonly effort?: string | null | undefined
  readonly isolation?: Isolation | null | undefined
}

/** How a session of an agent group runs: everything that its launch needs. */
export type GroupSettings = {
  readonly agentGroupId: AgentGroupId
  readonly name: string
  /** The name of its folder, in which its instructions, skills and memory are. */
  readonly folder: string
  readonly instructions: string
  readonly skills: 'all' | readonly string[]
  readonly assistantName: string | null
  readonly maxMessagesPerPrompt: number | null
  readonly provider: string | null
  /** Null: the default agent. */
  readonly agent: string | null
  readonly model: string | null
  readonly effort: string | null
  /** Null: as the agent's settings say. */
  readonly isolation: Isolation | null
  /** Used if it runs in a container. */
  readonly container: {
    /** Null: the base image. */
    readonly image: string | null
    readonly packages: { readonly apt: readonly string[]; readonly npm: readonly string[] }
    readonly mounts: readonly { readonly from: string; readonly to: string | null; readonly write: boolean }[]
    /** Null: the value in the configuration. */
    readonly limits: ContainerLimits
    readonly hosts: readonly string[]
    /** Names of providers in the configuration. */
    readonly providers: readonly string[]
  }
  readonly mcpServers: readonly NamedMcpServer[]
  /** The names of those that someone with the machine right set. */
  readonly vouchedServers: readonly string[]
  readonly cliScope: CliScope
}

/** C11: the session's own choice, else the container config's, else the group's. */
export function settingsOf(
  group: Pick<AgentGroup, 'id' | 'name' | 'folder' | 'agent' | 'agentProvider' | 'model'>,
  config: ContainerConfig,
  instructions: string,
  session: SessionChoices,
): GroupSettings {
  return {
    agentGroupId: group.id,
    name: group.name,
    folder: group.folder,
    instructions,
    skills: config.skills,
    assistantName: config.assistantName,
    maxMessagesPerPrompt: config.maxMessagesPerPrompt,
    provider: config.provider ?? group.agentProvider,
    agent: session.agent ?? config.provider ?? group.agent ?? group.agentProvider,
    model: session.model ?? config.model ?? group.model,
    effort: session.effort ?? config.effort,
    isolation: session.isolation ?? config.isolation,
    container: {
      image: config.imageTag,
      packages: { apt: config.packagesApt, npm: config.packagesNpm },
      mounts: config.additionalMounts.map(({ hostPath, containerPath, readOnly }) => ({
        from: hostPath,
        to: containerPath,
        write: !readOnly,
      })),
      limits: config.limits,
      hosts: config.networkHosts,
      providers: config.providers,
    },
    mcpServers: Object.entries(config.mcpServers).map(([name, server]) => Object.assign({ name }, server)),
    vouchedServers: config.vouchedServers,
    cliScope: config.cliScope,
  }
}

/** S1: those that nobody with the machine right set. */
export const unvouchedServers = ({
  mcpServers,
  vouchedServers,
}: Pick<GroupSettings, 'mcpServers' | 'vouchedServers'>): string[] =>
  mcpServers.flatMap(({ name }) => (vouchedServers.includes(name) ? [] : [name]))

/**
 * S1: the MCP servers that an agent is not given. Admins of a group choose programs for its sandbox or container; without
 * isolation they would run as the server's user, so only those of people with the machine right do.
 */
export function leftOutServers(
  settings: Pick<GroupSettings, 'mcpServers' | 'vouchedServers'>,
  isolation: Isolation,
): string[] {
  if (isolation !== 'none') return []
  const programs = settings.mcpServers.filter((server) => 'command' in server).map(({ name }) => name)
  return unvouchedServers(settings).filter((name) => programs.includes(name))
}

/** What the session says about them; null if none is left out. */
export const leftOutText = (names: readonly string[]): string | null =>
  names.length === 0
    ? null
    : `Left out, because it would run as the server's user and was set by someone without the machine right: MCP server ` +
      `${names.join(', ')}. In a sandbox or a container the agent gets it. To allow it here, someone with the machine right ` +
      'removes it from the agent group and adds it again.'

/** What the agent is told before its first prompt: who it is, and its group's instructions if they are not in its directory. */
export function briefingOf(
  { name, assistantName, instructions }: GroupSettings,
  folder: { readonly path: string; readonly worksThere: boolean },
): string | null {
  const parts = [
    assistantName === null ? null : `Your name is ${assistantName}.`,
    instructions.trim() === '' || folder.worksThere
      ? null
      : `Instructions of the agent group ${name}:\n\n${instructions.trim()}`,
    folder.worksThere ? null : `Keep what you want to remember in ${folder.path}/memory.`,
  ].filter((part) => part !== null)
  return parts.length === 0 ? null : parts.join('\n\n')
}
