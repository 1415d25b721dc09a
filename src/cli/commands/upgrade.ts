import { existsSync, realpathSync } from 'node:fs'
import { dirname, join, resolve, sep } from 'node:path'
import { confirmed } from '../confirm.ts'
import type { Handler } from '../command.ts'
import type { Context } from '../context.ts'
import { exit, Failure } from '../failure.ts'
import { printResult } from '../print-result.ts'
import { programName } from '../program-name.ts'
import { runningServer, untilGone } from '../running-server.ts'
import { installedService, mustRun, runStep, serviceManager } from '../service/manager.ts'
import { startServer } from '../start-server.ts'
import type { upgradeFlags } from '../table/service.ts'

/** Installs another version with npm and starts it in place of the running one. Agents keep running; the start migrates the data. */
export const upgrade: Handler<typeof upgradeFlags> = async (
  { args: [wanted = 'signalbox@latest'], flags },
  context,
) => {
  const what = existsSync(wanted) ? resolve(wanted) : wanted
  const program = await globalProgram(context)
  const { client } = await context.api()
  const before = await runningServer(client)
  if (!flags.yes)
    await confirmed(context, `Install ${what}, and restart the server?`, `${programName()} upgrade ${wanted} --yes`)
  await mustRun(['npm', 'install', '--global', '--no-fund', '--no-audit', what], context.env)
  const { stdout: version } = await runStep([process.execPath, program, 'version'], context.env)
  if (before !== null) await restart(context, program)
  const after = before === null ? null : await client.getStatus({})
  printResult(context, { from: context.parts.version, to: version, restarted: after !== null }, () =>
    [
      `Signalbox ${context.parts.version} → ${version}.`,
      ...(after === null ? [] : [`The server runs at ${after.address}. Agents kept running.`]),
    ].join('\n'),
  )
}

async function restart(context: Context, program: string): Promise<void> {
  const { client } = await context.api()
  const manager = serviceOf(context)
  if (manager && installedService(manager.file) !== null) return mustRun(manager.restart, context.env)
  const running = await runningServer(client)
  if (running !== null) {
    await client.stopServer({ body: { agents: 'keep' } })
    await untilGone(client, running.pid, context)
  }
  const { dataDir, configFile, env } = context
  const isThere = async () => (await runningServer(client)) !== null
  await startServer({ dataDir, configFile, env, isThere, program: [process.execPath, program] })
}

function serviceOf({ env }: Context) {
  try {
    return serviceManager('user', { platform: process.platform, env })
  } catch {
    return null
  }
}

/** The program that npm installed for all projects; only that can be replaced by a global installation. */
async function globalProgram(context: Context): Promise<string> {
  const program = realpathSync(process.argv[1] ?? '')
  if (existsSync(join(dirname(program), '..', 'src')))
    throw new Failure({
      exit: exit.failed,
      code: 'is_a_clone',
      message: 'This is a clone, not an installed package.',
      hint: `Upgrade it with: git pull, then ${programName()} stop --keep-agents and npm start`,
    })
  const { code, stdout: folder } = await runStep(['npm', 'root', '--global'], context.env)
  if (code === 0 && existsSync(folder) && program.startsWith(realpathSync(folder) + sep)) return program
  throw new Failure({
    exit: exit.failed,
    code: 'not_installed_globally',
    message: `${program} was not installed with npm install --global.`,
    hint: 'Install the new version the way this one was installed, then restart the server.',
  })
}
