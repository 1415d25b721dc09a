import { homedir } from 'node:os'
import { resolve } from 'node:path'
import { dataDirectory } from '../../config/data-directory.ts'
import type { Handler } from '../command.ts'
import type { Context } from '../context.ts'
import type { Result } from '../../lib/result.ts'
import { exit, Failure, wrongUsage } from '../failure.ts'
import { clients, type ClientName, type InstallScope } from '../../lib/mcp-clients/clients.ts'
import { planInstall, planRemoval, type RemovalPlan } from '../../lib/mcp-clients/install.ts'
import { launchOf } from '../../lib/mcp-clients/launch.ts'
import { printResult } from '../print-result.ts'
import type { installFlags } from '../table/mcp.ts'

export const installMcp: Handler<typeof installFlags> = async ({ args: [name], flags }, context) => {
  const client = clientOf(name)
  const scope: InstallScope = flags.scope === 'project' ? 'project' : 'user'
  if (scope === 'project' && flags.token !== undefined)
    throw wrongUsage(
      "A project's file is shared, so it must not contain a token.",
      'Set SIGNALBOX_TOKEN where the agent runs, or install for yourself: --scope user',
    )
  const env = flags.token === undefined ? {} : { SIGNALBOX_TOKEN: flags.token }
  const here = { program: process.argv[1] ?? '', node: process.execPath }
  const launch = launchOf(['mcp', ...whichServer(context)], env, here)
  const place = { home: homedir(), cwd: process.cwd(), env: context.env, platform: process.platform }
  if (flags.remove) return removeMcp(context, valueOf(planRemoval({ client, scope, launch, place })), client, scope)
  const plan = valueOf(planInstall({ client, scope, launch, place }))
  const { path, snippet, outcome } = plan
  const { title, next } = clients[client]
  if (flags.print) return printResult(context, { client, scope, path, text: snippet }, () => `${path}\n\n${snippet}`)
  valueOf(plan.write())
  const needsToken = context.url !== undefined && flags.token === undefined
  printResult(context, { client, scope, path, outcome }, () =>
    [
      ...(outcome === 'unchanged'
        ? [`${title} is already configured: ${path}`]
        : [`${path}: signalbox ${outcome}; everything else is unchanged.`, next]),
      ...(needsToken ? [`Set SIGNALBOX_TOKEN for ${title} to a token for ${context.url}.`] : []),
    ].join('\n'),
  )
}

function removeMcp(
  context: Context,
  { path, isThere, write }: RemovalPlan,
  client: ClientName,
  scope: InstallScope,
): void {
  valueOf(write())
  const { title } = clients[client]
  printResult(context, { client, scope, path, outcome: isThere ? 'removed' : 'unchanged' }, () =>
    isThere
      ? `${path}: signalbox removed; everything else is unchanged. Restart ${title} to disconnect it.`
      : `${path}: signalbox is not configured there.`,
  )
}

function valueOf<T>(result: Result<T>): T {
  if (result.ok) return result.value
  const { code, message, hint } = result.fault
  throw new Failure({ exit: exit.failed, code, message, hint })
}

function clientOf(name: string | undefined): ClientName {
  const found = Object.keys(clients).find((known): known is ClientName => known === name)
  if (found === undefined) throw wrongUsage(`"${name}" is not one of ${Object.keys(clients).join(', ')}.`)
  return found
}

/** The agent must find the same server without our flags and variables. */
function whichServer({ url, env, dataDir, configFile }: Context): string[] {
  if (url !== undefined) return ['--url', url]
  // Clients pass on little of their environment, so the data directory is written down.
  const usual = dataDirectory({ LOCALAPPDATA: env['LOCALAPPDATA'] })
  const config = configFile ?? (env['SIGNALBOX_CONFIG'] || undefined)
  return [
    ...(usual === dataDir ? [] : ['--home', dataDir]),
    ...(config === undefined ? [] : ['--config', resolve(config)]),
  ]
}
