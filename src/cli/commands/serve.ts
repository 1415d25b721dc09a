import { printResult } from '../print-result.ts'
import { programName, withProgramName } from '../program-name.ts'
import type { Handler } from '../command.ts'
import type { Context } from '../context.ts'
import { readConfig } from '../read-config.ts'
import { runningServer } from '../running-server.ts'
import { serverLog, startServer } from '../start-server.ts'
import type { serveFlags } from '../table/server.ts'
import { wrapLines } from '../wrap-lines.ts'
import { spawn } from 'node:child_process'

export const serve: Handler<typeof serveFlags> = async ({ flags }, context) => {
  const { env, dataDir, configFile, parts, out } = context
  const given = { httpPort: flags.port, http: { host: flags.host } }
  const loaded = readConfig({ env, dataDir, configFile, flags: given })
  if (flags.detach) return startDetached(context, flags)
  const print = (text: string): void => {
    out.print(wrapLines(withProgramName(text), out.width))
    const link = flags.open ? loginLinkIn(text) : null
    if (link !== null) openBrowser(link)
  }
  const code = await parts.serve(loaded, { print, version: parts.version })
  const other = code === 0 ? null : await addressOfOther(context)
  if (other !== null) out.print(`  Address: ${other}`)
  return code
}

async function startDetached(
  context: Context,
  { port, host, open }: Parameters<typeof serve>[0]['flags'],
): Promise<void> {
  const { env, dataDir, configFile, out } = context
  const { client } = await context.api()
  const before = await runningServer(client)
  const serveArgs = [...(port === undefined ? [] : ['--port', port]), ...(host === undefined ? [] : ['--host', host])]
  const isThere = async () => (await runningServer(client)) !== null
  await startServer({ dataDir, configFile, env, isThere, serveArgs })
  const { address, pid } = await client.getStatus({})
  const { url } = await client.createLoginLink({ body: {} })
  if (open) openBrowser(url)
  printResult(context, { address, pid, started: before === null }, () =>
    [
      before === null ? `Signalbox is running at ${address}` : `Signalbox is already running at ${address}`,
      `  Sign in  ${url}`,
      `  Log      ${serverLog(dataDir)}`,
      `  Stop it  ${programName()} stop`,
    ].join('\n'),
  )
  if (before !== null && serveArgs.length > 0) out.note('--port and --host apply only to a server that is started now.')
}

/** The address of the server that is already running; its lock does not contain it. */
async function addressOfOther(context: Context): Promise<string | null> {
  if (context.url !== undefined) return null
  try {
    const { client } = await context.api()
    return (await client.getStatus({})).address
  } catch {
    return null
  }
}

const openers: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

/** Opens a page in the browser. If that fails, the printed link remains. */
function openBrowser(url: string): void {
  const [program, ...args] = openers[process.platform] ?? ['xdg-open']
  const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true })
  child.on('error', () => {})
  child.unref()
}

/** The login link in the output of a starting server. */
const loginLinkIn = (text: string): string | null => /https?:\/\/[^\s/]{1,300}\/login\?code=\S+/.exec(text)?.[0] ?? null
