import { readFile } from 'node:fs/promises'
import type { ContainerConfig, ContainerConfigFields, GroupMcpServer } from '../../domain/agent-group/schema.ts'
import { containerConfigFields } from '../../domain/agent-group/schema.ts'
import { jsonOrNull } from '../../lib/parse-json.ts'
import { renderFields } from '../columns.ts'
import type { FlagValues, Handler } from '../command.ts'
import { wrongUsage } from '../failure.ts'
import { findGroup } from '../find-by-id.ts'
import { printResult } from '../print-result.ts'
import { readAll } from '../read-all.ts'
import type { configFlags, instructionFlags } from '../table/groups.ts'

type Values = FlagValues<typeof configFlags>
type Changes = Partial<ContainerConfigFields>

const cleared = 'none'

const word = (value: string): string | null => (value === cleared ? null : value)
const words = (value: string): string[] =>
  value === cleared
    ? []
    : value
        .split(',')
        .map((one) => one.trim())
        .filter((one) => one !== '')

function amount(flag: string, value: string): number | null {
  if (value === cleared) return null
  const found = Number(value.replace(/^\$/, ''))
  if (Number.isFinite(found) && found > 0) return found
  throw wrongUsage(`Invalid --${flag} "${value}".`, 'Give a number, or none.')
}

const limitFlags = { memory: 'memoryMb', cpus: 'cpus', pids: 'pids', disk: 'diskMb' } as const

function limitsOf(flags: Values, now: ContainerConfig): Changes {
  const given = Object.entries(limitFlags).flatMap(([flag, field]) => {
    const value = flags[flag as keyof typeof limitFlags]
    return value === undefined ? [] : [[field, amount(flag, value)] as const]
  })
  return given.length === 0 ? {} : { limits: { ...now.limits, ...Object.fromEntries(given) } }
}

function budgetOf({ budget, period }: Values, now: ContainerConfig): Changes {
  if (budget === undefined && period === undefined) return {}
  const costUsd = budget === undefined ? (now.budget?.costUsd ?? null) : amount('budget', budget)
  const before = now.budget ?? { costUsd: null, tokens: null, period: 'month' as const }
  const wanted = { ...before, costUsd, ...(period !== undefined && { period: period as typeof before.period }) }
  return { budget: wanted.costUsd === null && wanted.tokens === null ? null : wanted }
}

/** `/srv/data`, or `/srv/data:rw`. */
function mountOf(text: string): ContainerConfigFields['additionalMounts'][number] {
  const hostPath = text.replace(/:r[ow]$/, '')
  return { hostPath, containerPath: null, readOnly: !text.endsWith(':rw') }
}

const isAnything = (value: unknown): value is unknown => value !== undefined

/** `FIELD=JSON`; a value that is not JSON is a text. */
function fieldsOf(set: readonly string[]): Changes {
  return Object.fromEntries(
    set.map((one) => {
      const at = one.indexOf('=')
      const field = one.slice(0, at)
      if (at < 1 || !(field in containerConfigFields))
        throw wrongUsage(
          `Invalid --set "${one}".`,
          `Write FIELD=JSON. Fields: ${Object.keys(containerConfigFields).join(', ')}.`,
        )
      const text = one.slice(at + 1)
      return [field, jsonOrNull(text, isAnything) ?? (text === 'null' ? null : text)]
    }),
  )
}

function changesOf(flags: Values, now: ContainerConfig): Changes {
  const { agent, model, effort, image, skills, apt, npm, mounts, hosts, providers, isolation } = flags
  const [name, most, scope] = [flags['assistant-name'], flags['max-messages'], flags['cli-scope']]
  return {
    ...(agent !== undefined && { provider: word(agent) }),
    ...(model !== undefined && { model: word(model) }),
    ...(effort !== undefined && { effort: word(effort) }),
    ...(image !== undefined && { imageTag: word(image) }),
    ...(name !== undefined && { assistantName: word(name) }),
    ...(most !== undefined && { maxMessagesPerPrompt: amount('max-messages', most) }),
    ...(skills !== undefined && { skills: skills === 'all' ? ('all' as const) : words(skills) }),
    ...(apt !== undefined && { packagesApt: words(apt) }),
    ...(npm !== undefined && { packagesNpm: words(npm) }),
    ...(mounts !== undefined && { additionalMounts: words(mounts).map(mountOf) }),
    ...(hosts !== undefined && { networkHosts: words(hosts) }),
    ...(providers !== undefined && { providers: words(providers) }),
    ...(isolation !== undefined && {
      isolation: isolation === 'default' ? null : (isolation as ContainerConfig['isolation']),
    }),
    ...(scope !== undefined && { cliScope: scope as ContainerConfig['cliScope'] }),
    ...limitsOf(flags, now),
    ...budgetOf(flags, now),
    ...fieldsOf(flags.set ?? []),
  }
}

const listed = (values: readonly string[]): string => (values.length === 0 ? 'none' : values.join(', '))
const serverText =
  ({ vouchedServers }: ContainerConfig) =>
  ([name, server]: [string, GroupMcpServer]): string => {
    if ('url' in server) return `${name} (${server.url})`
    const where = vouchedServers.includes(name) ? '' : '; only with isolation'
    return `${name} (${[server.command, ...server.args].join(' ')}${where})`
  }

function limitText({ limits: { memoryMb, cpus, pids, diskMb } }: ContainerConfig): string {
  const parts = [
    memoryMb === null ? null : `${memoryMb} MiB of memory`,
    cpus === null ? null : `${cpus} CPUs`,
    pids === null ? null : `${pids} processes`,
    diskMb === null ? null : `${diskMb} MiB on disk`,
  ].filter((part) => part !== null)
  return parts.length === 0 ? 'as configured' : parts.join(', ')
}

function budgetText({ budget }: ContainerConfig): string {
  if (budget === null) return 'none'
  const { costUsd, tokens, period } = budget
  const sums = [costUsd === null ? null : `$${costUsd}`, tokens === null ? null : `${tokens} tokens`]
  return `${sums.filter((sum) => sum !== null).join(' or ')} ${period === 'total' ? 'in total' : `per ${period}`}`
}

export const configureGroup: Handler<typeof configFlags> = async ({ args: [group = ''], flags }, context) => {
  const { client } = await context.api()
  const id = await findGroup(client, group)
  const now = await client.getGroupConfig({ params: { id } })
  const body = changesOf(flags, now)
  const config = Object.keys(body).length === 0 ? now : await client.updateGroupConfig({ params: { id }, body })
  printResult(context, config, (one) =>
    renderFields(
      [
        ['Agent', one.provider ?? 'as the group says'],
        ['Model', one.model ?? 'as the group says'],
        ['Effort', one.effort ?? 'as the agent says'],
        ['Name', one.assistantName],
        ['Messages per prompt', one.maxMessagesPerPrompt === null ? null : String(one.maxMessagesPerPrompt)],
        ['Skills', one.skills === 'all' ? 'all' : listed(one.skills)],
        ['MCP servers', listed(Object.entries(one.mcpServers).map(serverText(one)))],
        ['Isolation', one.isolation ?? 'as configured'],
        ['Image', one.imageTag ?? 'the base image'],
        ['Debian packages', listed(one.packagesApt)],
        ['npm packages', listed(one.packagesNpm)],
        [
          'Mounts',
          listed(one.additionalMounts.map(({ hostPath, readOnly }) => `${hostPath}${readOnly ? '' : ' (writable)'}`)),
        ],
        ['Hosts', listed(one.networkHosts)],
        ['Providers', listed(one.providers)],
        ['Limits', limitText(one)],
        ['CLI scope', one.cliScope],
        ['Budget', budgetText(one)],
      ],
      context.out,
    ),
  )
}

export const groupInstructions: Handler<typeof instructionFlags> = async ({ args: [group = ''], flags }, context) => {
  const { client } = await context.api()
  const id = await findGroup(client, group)
  if (flags.file === undefined) {
    const found = await client.getGroupInstructions({ params: { id } })
    return printResult(context, found, ({ text }) => (text === '' ? 'No instructions.' : text.trimEnd()))
  }
  const text = flags.file === '-' ? await readAll(process.stdin) : await readFile(flags.file, 'utf8')
  const done = await client.setGroupInstructions({ params: { id }, body: { text } })
  printResult(context, done, () => `${group} has new instructions. Sessions that start now read them.`)
}
