import type { Handler } from '../command.ts'
import { loginLinkIn, openBrowser } from '../open-browser.ts'
import { readConfig } from '../read-config.ts'
import type { serveFlags } from '../table/server.ts'

export const serve: Handler<typeof serveFlags> = async ({ flags }, { env, dataDir, configFile, parts, out }) => {
  const given = { httpPort: flags.port, http: { host: flags.host } }
  const loaded = readConfig({ env, dataDir, configFile, flags: given })
  const print = (text: string): void => {
    out.print(text)
    const link = flags.open ? loginLinkIn(text) : null
    if (link !== null) openBrowser(link)
  }
  return parts.serve(loaded, { print, version: parts.version })
}
