import { homedir } from 'node:os'
import { resolve } from 'node:path'
import { dataDirectory } from '../../config/data-directory.ts'
import type { Handler } from '../command.ts'
import type { Context } from '../context.ts'
import { wrongUsage } from '../failure.ts'
import { clients, type ClientName, type Scope } from '../mcp/install/clients.ts'
import { planInstall } from '../mcp/install/install.ts'
import { launchOf } from '../mcp/install/launch.ts'
import { show } from '../show.ts'
import type { installFlags } from '../table/mcp.ts'

export const installMcp: Handler<typeof installFlags> = async ({ args: [name], flags }, context) => {
  const client = clientOf(name)
  const scope: Scope = flags.scope === 'project' ? 'project' : 'user'
  if (scope === 'project' && flags.token !== undefined)
    throw wrongUsage(
      "A project's file is shared with others: no token goes into it.",
      'Set SIGNALBOX_TOKEN where the agent runs, or install it for yourself: --scope user',
    )
  const env = flags.token === undefined ? {} : { SIGNALBOX_TOKEN: flags.token }
  const here = { program: process.argv[1] ?? '', node: process.execPath }
  const launch = launchOf(['mcp', ...whichServer(context)], env, here)
  const place = { home: homedir(), cwd: process.cwd(), env: context.env, platform: process.platform }
  const plan = planInstall({ client, scope, launch, place })
  const { path, snippet, outcome } = plan
  const { title, next } = clients[client]
  if (flags.print) return show(context, { client, scope, path, text: snippet }, () => `${path}\n\n${snippet}`)
  plan.write()
  const needsToken = context.url !== undefined && flags.token === undefined
  show(context, { client, scope, path, outcome }, () =>
    [
      ...(outcome === 'unchanged'
        ? [`${title} knows Signalbox already: ${path}`]
        : [`${path}: signalbox ${outcome}, everything else as it was.`, next]),
      ...(needsToken ? [`Set SIGNALBOX_TOKEN for ${title} to a token for ${context.url}.`] : []),
    ].join('\n'),
  )
}

function clientOf(name: string | undefined): ClientName {
  const found = Object.keys(clients).find((known): known is ClientName => known === name)
  if (found === undefined) throw wrongUsage(`"${name}" is not one of ${Object.keys(clients).join(', ')}.`)
  return found
}

/** The agent is to find the server that this command line finds, without our flags and variables. */
function whichServer({ url, env, dataDir, configFile }: Context): string[] {
  if (url !== undefined) return ['--url', url]
  // Clients pass little of their environment on: what our place follows from must be said.
  const usual = dataDirectory({ LOCALAPPDATA: env['LOCALAPPDATA'] })
  const config = configFile ?? (env['SIGNALBOX_CONFIG'] || undefined)
  return [
    ...(usual === dataDir ? [] : ['--home', dataDir]),
    ...(config === undefined ? [] : ['--config', resolve(config)]),
  ]
}
