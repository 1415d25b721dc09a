import { asCalled } from '../called.ts'
import type { Handler } from '../command.ts'
import type { Context } from '../context.ts'
import { loginLinkIn, openBrowser } from '../open-browser.ts'
import { readConfig } from '../read-config.ts'
import type { serveFlags } from '../table/server.ts'
import { wrapLines } from '../wrap-lines.ts'

export const serve: Handler<typeof serveFlags> = async ({ flags }, context) => {
  const { env, dataDir, configFile, parts, out } = context
  const given = { httpPort: flags.port, http: { host: flags.host } }
  const loaded = readConfig({ env, dataDir, configFile, flags: given })
  const print = (text: string): void => {
    out.print(wrapLines(asCalled(text), out.width))
    const link = flags.open ? loginLinkIn(text) : null
    if (link !== null) openBrowser(link)
  }
  const code = await parts.serve(loaded, { print, version: parts.version })
  const other = code === 0 ? null : await addressOfOther(context)
  if (other !== null) out.print(`  It answers at ${other}`)
  return code
}

/** Where a server that was there before us listens; its lock alone does not say. */
async function addressOfOther(context: Context): Promise<string | null> {
  if (context.url !== undefined) return null
  try {
    const { client } = await context.api()
    return (await client.getStatus({})).address
  } catch {
    return null
  }
}
