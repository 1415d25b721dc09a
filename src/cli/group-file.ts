import { parse, stringify } from 'smol-toml'
import * as z from 'zod'
import {
  containerConfigFields,
  defaultContainerConfig,
  GroupMount,
  type ContainerConfigFields,
  type GroupMcpServer,
} from '../domain/agent-group/schema.ts'
import { newAgentGroup } from '../domain/agent-group/schema.ts'
import { canonicalJson } from '../lib/json.ts'
import { isRecord, jsonOrNull } from '../lib/parse-json.ts'

const names = z.array(z.string().min(1).max(200)).default([])

/** Keys and tokens stay out of the file: only the names of variables and headers are in it. */
const ServerInFile = z.union([
  z.strictObject({ command: z.string().min(1), args: z.array(z.string()).default([]), env: names }),
  z.strictObject({ url: z.string().min(1), headers: names }),
])

const text = z.string().nullable().default(null)

/** An agent group as a file that can be kept in Git: no ids, no secrets, nothing that is as usual. */
export const GroupFile = z.strictObject({
  name: newAgentGroup.name,
  folder: z.string().min(1).max(80),
  agent: text,
  provider: text,
  model: text,
  repo: text,
  workspace: text,
  instructions: z.string().default(''),
  config: z
    .strictObject({
      ...containerConfigFields,
      mcpServers: z.record(z.string(), ServerInFile),
      limits: containerConfigFields.limits.partial(),
      additionalMounts: z.array(GroupMount),
    })
    .partial()
    .default({}),
})
export type GroupFile = z.infer<typeof GroupFile>

/** What the server holds of a group, with the name of its repo. */
export type KnownGroup = Omit<GroupFile, 'config'> & { readonly config: ContainerConfigFields }

const withoutSecrets = (server: GroupMcpServer): z.infer<typeof ServerInFile> =>
  'url' in server
    ? { url: server.url, headers: Object.keys(server.headers).toSorted() }
    : { command: server.command, args: server.args, env: Object.keys(server.env).toSorted() }

/** Sorted, so that the same group always gives the same file. */
function sorted<T>(value: T): T {
  if (Array.isArray(value)) return value.map(sorted) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, each]) => [key, sorted(each)]),
  ) as T
}

/** TOML has no null: what is not set is not in the file. */
function pruned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(pruned)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, each]) => each !== null && each !== undefined)
      .map(([key, each]) => [key, pruned(each)]),
  )
}

function configInFile(config: ContainerConfigFields): object {
  const shown = {
    ...config,
    mcpServers: Object.fromEntries(Object.entries(config.mcpServers).map(([name, one]) => [name, withoutSecrets(one)])),
  }
  const usual: Record<string, unknown> = { ...defaultContainerConfig }
  return Object.fromEntries(
    Object.entries(shown).filter(([field, value]) => canonicalJson(value) !== canonicalJson(usual[field])),
  )
}

export function writeGroupFile({ config, ...group }: KnownGroup, format: 'toml' | 'json'): string {
  const { instructions, ...rest } = group
  const head = pruned(rest) as Record<string, unknown>
  const tail = sorted(pruned(configInFile(config))) as Record<string, unknown>
  const hasConfig = Object.keys(tail).length > 0
  if (format === 'json') {
    const whole = { ...head, ...(instructions !== '' && { instructions }), ...(hasConfig && { config: tail }) }
    return `${JSON.stringify(whole, null, 2)}\n`
  }
  const parts = [
    stringify(head).trimEnd(),
    ...(instructions === '' ? [] : [`instructions = ${lines(instructions)}`]),
    ...(hasConfig ? ['', stringify({ config: tail }).trimEnd()] : []),
  ]
  return `${parts.join('\n')}\n`
}

/** Several lines as they are, so that a change in one line is a change of one line. */
function lines(value: string): string {
  const isShown = (letter: string) => letter === '\n' || letter === '\t' || (letter >= ' ' && letter !== '\u007f')
  const plain = Array.from(value).every(isShown) && !value.includes("'''") && !value.endsWith("'")
  return plain ? `'''\n${value}'''` : JSON.stringify(value).replaceAll('\u007f', '\\u007f')
}

/** Throws if it is not TOML; the fault of the schema says what is wrong. */
export function readGroupFile(content: string): z.ZodSafeParseResult<GroupFile> {
  const isJson = content.trimStart().startsWith('{')
  return GroupFile.safeParse(isJson ? jsonOrNull(content, isRecord) : parse(content))
}

/** The values of secrets that the server has; others are empty until someone sets them. */
function filled(
  wanted: z.infer<typeof ServerInFile>,
  known: GroupMcpServer | undefined,
): { server: GroupMcpServer; missing: string[] } {
  const before = known && ('url' in known ? known.headers : known.env)
  const keys = 'url' in wanted ? wanted.headers : wanted.env
  const values = Object.fromEntries(keys.map((key) => [key, before?.[key] ?? '']))
  const missing = keys.filter((key) => (before?.[key] ?? '') === '')
  const server =
    'url' in wanted ? { url: wanted.url, headers: values } : { command: wanted.command, args: wanted.args, env: values }
  return { server, missing }
}

export type FieldDifference = { readonly field: string; readonly from: unknown; readonly to: unknown }
export type GroupChanges = {
  readonly group: Partial<Pick<GroupFile, 'name' | 'agent' | 'provider' | 'model' | 'repo' | 'workspace'>>
  readonly config: Partial<ContainerConfigFields>
  readonly instructions: string | null
  readonly differences: readonly FieldDifference[]
  /** Secrets without a value, as `server.NAME`. */
  readonly missing: readonly string[]
}

const groupFields = ['name', 'agent', 'provider', 'model', 'repo', 'workspace'] as const

/** What must change for a group to be as in the file. What the file does not name is as usual. */
export function changesTo(known: KnownGroup | null, wanted: GroupFile): GroupChanges {
  const servers = Object.entries(wanted.config.mcpServers ?? {}).map(
    ([name, server]) => [name, filled(server, known?.config.mcpServers[name])] as const,
  )
  const { mcpServers: _servers, limits, ...fields } = wanted.config
  const config: ContainerConfigFields = {
    ...defaultContainerConfig,
    ...(Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as object),
    limits: {
      ...defaultContainerConfig.limits,
      ...(Object.fromEntries(Object.entries(limits ?? {}).filter(([, value]) => value !== undefined)) as object),
    },
    mcpServers: Object.fromEntries(servers.map(([name, { server }]) => [name, server])),
  }
  const differs = (one: unknown, other: unknown) => canonicalJson(one) !== canonicalJson(other)
  const before = known?.config ?? defaultContainerConfig
  const changedConfig = (Object.keys(config) as (keyof ContainerConfigFields)[]).filter((field) =>
    differs(config[field], before[field]),
  )
  const changedGroup = groupFields.filter((field) => (known ? known[field] !== wanted[field] : wanted[field] !== null))
  const text = (known?.instructions ?? '') === wanted.instructions ? null : wanted.instructions
  return {
    group: Object.fromEntries(changedGroup.map((field) => [field, wanted[field]])),
    config: Object.fromEntries(changedConfig.map((field) => [field, config[field]])),
    instructions: text,
    differences: [
      ...changedGroup.map((field) => ({ field, from: known?.[field] ?? null, to: wanted[field] })),
      ...(text === null ? [] : [{ field: 'instructions', from: known?.instructions ?? '', to: text }]),
      ...changedConfig.map((field) => ({
        field: `config.${field}`,
        from: field === 'mcpServers' ? Object.keys(before[field]) : before[field],
        to: field === 'mcpServers' ? Object.keys(config[field]) : config[field],
      })),
    ],
    missing: servers.flatMap(([name, { missing }]) => missing.map((key) => `${name}.${key}`)),
  }
}
