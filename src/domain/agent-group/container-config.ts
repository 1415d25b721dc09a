import * as z from 'zod'
import { aptPackage, imageReference, npmPackage } from '../../lib/container/package-names.ts'
import { AgentGroupId } from '../user/id.ts'

const word = z.string().trim().min(1).max(200)
const path = z.string().max(4096).startsWith('/', 'must be an absolute path')
const variables = z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of a variable'), z.string())

export const AptPackage = z
  .string()
  .max(128)
  .regex(aptPackage, 'must be a Debian package, for example ripgrep or git=1:2.39.5-0')

/** Names in the registry only: an address or a path would run code that nobody has read. */
export const NpmPackage = z
  .string()
  .max(214)
  .regex(npmPackage, 'must be an npm package, for example typescript or typescript@7.0.2')

/** Exact names, and `*.example.com` for what is below a name. */
export const HostName = z
  .string()
  .max(253)
  .regex(/^(\*\.)?([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z][a-z0-9-]*$/, 'must be a host, for example *.example.com')

/** Objects lose a key called `__proto__`. */
export const McpServerName = z.string().regex(/^(?!__proto__$)[A-Za-z0-9_-]{1,64}$/)

/** A server that the agent gets in addition to Signalbox's own tools. */
export const GroupMcpServer = z.union([
  z.strictObject({
    command: z.string().min(1).max(4096),
    args: z.array(z.string().max(10_000)).max(100).default([]),
    env: variables.default({}),
  }),
  z.strictObject({ url: z.url({ protocol: /^https?$/ }), headers: z.record(z.string(), z.string()).default({}) }),
])
export type GroupMcpServer = z.infer<typeof GroupMcpServer>

/** A directory of this machine inside the container. It must also be on the operator's list. */
export const GroupMount = z.strictObject({
  hostPath: path,
  containerPath: path.nullable().default(null).meta({ description: 'Default: the same path.' }),
  readOnly: z.boolean().default(true),
})
export type GroupMount = z.infer<typeof GroupMount>

/** Null: the value in `[containers]` of the configuration. */
export const ContainerLimits = z.strictObject({
  memoryMb: z.int().min(64).max(1_048_576).nullable().default(null),
  cpus: z.number().min(0.1).max(256).nullable().default(null),
  pids: z.int().min(16).max(65_536).nullable().default(null),
  diskMb: z.int().min(16).max(10_485_760).nullable().default(null),
})
export type ContainerLimits = z.infer<typeof ContainerLimits>

/** What all sessions of a group may cost in a period, together. */
export const GroupBudget = z.strictObject({
  costUsd: z.number().positive().max(1_000_000).nullable().default(null),
  tokens: z.int().positive().nullable().default(null),
  period: z.enum(['day', 'month', 'total']).default('month'),
})
export type GroupBudget = z.infer<typeof GroupBudget>

export const CliScope = z.enum(['disabled', 'group', 'global'])
export type CliScope = z.infer<typeof CliScope>

/** What people choose. Null: as the agent group or the configuration says. */
export const containerConfigFields = {
  provider: word.nullable(),
  model: word.nullable(),
  effort: word.nullable(),
  imageTag: z
    .string()
    .max(300)
    .regex(imageReference, 'must be the name of an image, such as node:24-bookworm')
    .nullable()
    .meta({ description: 'An image of your own instead of the base image.' }),
  assistantName: word.nullable(),
  maxMessagesPerPrompt: z.int().min(1).max(1_000).nullable(),
  skills: z.union([z.literal('all'), z.array(word).max(200)]),
  mcpServers: z.record(McpServerName, GroupMcpServer),
  packagesApt: z.array(AptPackage).max(200),
  packagesNpm: z.array(NpmPackage).max(200),
  additionalMounts: z.array(GroupMount).max(50),
  cliScope: CliScope,
  isolation: z
    .enum(['none', 'sandbox', 'container'])
    .nullable()
    .meta({ description: "Where its sessions run; null means as the agent's settings say." }),
  limits: ContainerLimits,
  networkHosts: z.array(HostName).max(500),
  providers: z.array(word).max(20).meta({ description: 'Model providers of the configuration that it may use.' }),
  budget: GroupBudget.nullable(),
}

export const ContainerConfig = z
  .object({
    agentGroupId: AgentGroupId,
    ...containerConfigFields,
    vouchedServers: z.array(z.string()).meta({
      description:
        'MCP servers that someone with the machine right set. Others do not run as programs without isolation, and open no port of this machine.',
    }),
    updatedAt: z.iso.datetime(),
  })
  .meta({ id: 'ContainerConfig' })
export type ContainerConfig = z.infer<typeof ContainerConfig>

export type ContainerConfigFields = Omit<ContainerConfig, 'agentGroupId' | 'vouchedServers' | 'updatedAt'>

export const defaultContainerConfig: ContainerConfigFields = {
  provider: null,
  model: null,
  effort: null,
  imageTag: null,
  assistantName: null,
  maxMessagesPerPrompt: null,
  skills: 'all',
  mcpServers: {},
  packagesApt: [],
  packagesNpm: [],
  additionalMounts: [],
  cliScope: 'group',
  isolation: null,
  limits: { memoryMb: null, cpus: null, pids: null, diskMb: null },
  networkHosts: [],
  providers: [],
  budget: null,
}

/** Names come from agents: `constructor` is one too. */
export const serverNamed = (servers: ContainerConfigFields['mcpServers'], name: string): GroupMcpServer | null =>
  Object.hasOwn(servers, name) ? (servers[name] ?? null) : null
