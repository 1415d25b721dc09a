import { rm } from 'node:fs/promises'
import { confirmed } from '../confirm.ts'
import type { Handler } from '../command.ts'
import { counted } from '../display-text.ts'
import { wrongUsage } from '../failure.ts'
import { printResult } from '../print-result.ts'
import { programName } from '../program-name.ts'
import { endKeeper, openWork, runningServer, untilGone } from '../running-server.ts'
import { installedService, mustRun, removeService, serviceManager } from '../service/manager.ts'
import type { uninstallFlags } from '../table/service.ts'

/** Ends everything that runs for this data directory, and removes the service; with --data also the data. */
export const uninstall: Handler<typeof uninstallFlags> = async ({ flags }, context) => {
  if (context.url !== undefined) throw wrongUsage('This removes Signalbox from this machine: leave --url out.')
  const { client } = await context.api()
  const { dataDir, env } = context
  const running = await runningServer(client)
  const live = running?.agentsRunning ?? (await openWork(dataDir))?.agents ?? 0
  const ends = live > 0 ? ` It ends ${counted(live, 'agent')}.` : ''
  const removes = flags.data ? ` It deletes ${dataDir} with all sessions, recordings and backups, permanently.` : ''
  if (!flags.yes)
    await confirmed(
      context,
      `Remove Signalbox from this machine?${ends}${removes}`,
      `${programName()} uninstall${flags.data ? ' --data' : ''} --yes`,
    )
  const service = process.platform === 'win32' ? null : serviceManager('user', { platform: process.platform, env })
  const hasService = service !== null && installedService(service.file) !== null
  if (hasService) {
    for (const step of service.uninstall) await mustRun(step, env)
    removeService(service.file)
  }
  const left = await runningServer(client)
  if (left !== null) {
    await client.stopServer({ body: { agents: 'end' } })
    await untilGone(client, left.pid, context)
  }
  await endKeeper(dataDir)
  if (flags.data) await rm(dataDir, { recursive: true, force: true, maxRetries: 5 })
  printResult(context, { service: hasService, data: flags.data ? 'deleted' : 'kept', dataDirectory: dataDir }, () =>
    [
      ...(hasService ? ['The service is removed.'] : []),
      flags.data ? `${dataDir} is deleted.` : `Your data stays in ${dataDir}.`,
      'Left for you to remove, if you use them:',
      `  ${programName()} mcp install CLIENT --remove      # for each MCP client`,
      `  ${programName()} hook install claude --remove`,
      '  npm uninstall --global signalbox',
    ].join('\n'),
  )
}
