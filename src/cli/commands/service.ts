import { spawn } from 'node:child_process'
import { userInfo } from 'node:os'
import { resolve } from 'node:path'
import { confirmed } from '../confirm.ts'
import type { Handler } from '../command.ts'
import type { Context } from '../context.ts'
import { exit, Failure, wrongUsage } from '../failure.ts'
import { counted } from '../display-text.ts'
import { launchOf } from '../../lib/mcp-clients/launch.ts'
import { printResult } from '../print-result.ts'
import { programName } from '../program-name.ts'
import { endKeeper, runningServer, untilGone } from '../running-server.ts'
import { readConfig } from '../read-config.ts'
import {
  installedService,
  mustRun,
  removeService,
  runStep,
  serviceManager,
  writeService,
  type Scope,
  type ServiceManager,
} from '../service/manager.ts'
import type { ServiceSpec } from '../service/units.ts'
import type { installServiceFlags, serviceFlags, serviceLogFlags, uninstallServiceFlags } from '../table/service.ts'

const readyMs = 30_000

export const installService: Handler<typeof installServiceFlags> = async ({ flags }, context) => {
  const scope = scopeOf(flags)
  if (flags.user !== undefined && scope === 'user') throw wrongUsage('--user works only with --system.')
  if (scope === 'system' && flags.user === undefined)
    throw wrongUsage('Missing --user NAME: the account that the server and its agents run as.')
  const manager = managerOf(scope, context)
  const text = manager.text(specOf(context, flags.user ?? null))
  if (flags.print)
    return printResult(context, { file: manager.file, text }, () => `# ${manager.file}\n${text.trimEnd()}`)
  // A faulty configuration would only fail later, in the service.
  readConfig({ env: context.env, dataDir: context.dataDir, configFile: context.configFile })
  const before = installedService(manager.file)
  await register(manager, text, context)
  if (before === null) await giveWay(context)
  await mustRun(manager.start, context.env)
  const lingers = manager.linger === null || (await runStep(manager.linger, context.env)).code === 0
  const address = scope === 'user' ? await addressOnceReady(context) : null
  printResult(context, { file: manager.file, manager: manager.name, address, lingers }, () =>
    [
      `Signalbox is a service of ${manager.name} now, and starts ${scope === 'user' ? 'when you log in' : 'with the machine'}.`,
      ...(address === null ? [] : [`  Address  ${address}`]),
      `  File     ${manager.file}`,
      `  Status   ${programName()} service status${scope === 'system' ? ' --system' : ''}`,
      ...(lingers
        ? []
        : [`  It ends when you log out. To keep it: sudo ${manager.linger?.join(' ')} ${userInfo().username}`]),
    ].join('\n'),
  )
}

export const serviceStatus: Handler<typeof serviceFlags> = async ({ flags }, context) => {
  const manager = managerOf(scopeOf(flags), context)
  mustBeInstalled(manager)
  const { code, output } = await runStep(manager.status, context.env)
  const running = code === 0
  const server = context.url === undefined ? await (await context.api()).client.getStatus({}).catch(() => null) : null
  printResult(
    context,
    { file: manager.file, running, address: server?.address ?? null, version: server?.version ?? null },
    () => [output, ...(server ? ['', `Signalbox ${server.version} at ${server.address}`] : [])].join('\n'),
  )
  return running ? exit.ok : exit.failed
}

export const serviceLogs: Handler<typeof serviceLogFlags> = async ({ flags }, context) => {
  const manager = managerOf(scopeOf(flags), context)
  mustBeInstalled(manager)
  const [program, ...args] = manager.logs(flags.follow)
  const child = spawn(program, args, { stdio: 'inherit', env: context.env })
  return await new Promise<number>((done) => {
    child.on('error', () => done(exit.failed))
    child.on('close', (code) => done(code ?? exit.interrupted))
  })
}

export const uninstallService: Handler<typeof uninstallServiceFlags> = async ({ flags }, context) => {
  const scope = scopeOf(flags)
  const manager = managerOf(scope, context)
  mustBeInstalled(manager)
  const { client } = await context.api()
  const live = (await runningServer(client))?.agentsRunning ?? 0
  if (live > 0 && !flags.yes)
    await confirmed(
      context,
      `Remove the service and end ${counted(live, 'agent')}?`,
      `${programName()} service uninstall --yes`,
    )
  // The manager ends the server alone; the keeper and its agents are ended here.
  for (const step of manager.uninstall) await mustRun(step, context.env)
  removeService(manager.file)
  const held = scope === 'user' ? await endKeeper(context.dataDir) : null
  printResult(context, { file: manager.file, agents: held?.agents ?? 0 }, () =>
    [
      'The service is removed.',
      ...(held && held.terminals > 0
        ? [`${counted(held.terminals, 'terminal')} in the background; to attach: ${programName()} attach ID`]
        : []),
      `Your data stays in ${context.dataDir}.`,
    ].join('\n'),
  )
}

const scopeOf = ({ system }: { system: boolean }): Scope => (system ? 'system' : 'user')

const managerOf = (scope: Scope, { env, url }: Context): ServiceManager => {
  if (url !== undefined) throw wrongUsage('A service is for this machine: leave --url out.')
  return serviceManager(scope, { platform: process.platform, env })
}

function specOf({ dataDir, configFile, env }: Context, user: string | null): ServiceSpec {
  const { command, args } = launchOf([], {}, { program: process.argv[1] ?? '', node: process.execPath })
  const config = configFile ?? (env['SIGNALBOX_CONFIG'] || undefined)
  return {
    command: [command, ...args],
    dataDir,
    config: config === undefined ? undefined : resolve(config),
    path: env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin',
    user,
  }
}

/** Before a running server is touched: if this fails, it keeps running and the old file is back. */
async function register(manager: ServiceManager, text: string, { env }: Context): Promise<void> {
  const before = installedService(manager.file)
  writeService(manager.file, text)
  try {
    for (const step of manager.register) await mustRun(step, env)
  } catch (error) {
    if (before === null) removeService(manager.file)
    else writeService(manager.file, before)
    throw error
  }
}

/** A server that was started by hand stops first, and leaves its agents to the service. */
async function giveWay(context: Context): Promise<void> {
  const { client } = await context.api()
  const running = await runningServer(client)
  if (running === null) return
  context.out.note('A server is running here. It stops, and the service takes over its agents.')
  await client.stopServer({ body: { agents: 'keep' } })
  await untilGone(client, running.pid, context)
}

async function addressOnceReady(context: Context): Promise<string | null> {
  const { client } = await context.api()
  const end = performance.now() + readyMs
  while (performance.now() < end) {
    const running = await runningServer(client)
    if (running) return running.address
    await new Promise((done) => setTimeout(done, 200))
  }
  context.out.note(`The server did not answer within ${readyMs / 1000} s. See: ${programName()} service logs`)
  return null
}

function mustBeInstalled({ file }: ServiceManager): void {
  if (installedService(file) !== null) return
  throw new Failure({
    exit: exit.notFound,
    code: 'service_not_installed',
    message: `Signalbox is not installed as a service: ${file} is missing.`,
    hint: 'Install it with: signalbox service install',
  })
}
