import { formatFaults, loadConfig, showConfig, shownConfig, type ShownConfig } from '../../config/index.ts'
import type { Handler } from '../command.ts'
import type { Context } from '../context.ts'
import { exit, Failure } from '../failure.ts'
import type { showConfigFlags } from '../table/server.ts'

export const checkConfig: Handler = async (_invocation, { env, dataDir, configFile, json, out }) => {
  const result = loadConfig({ env, dataDir, configFile })
  if (json)
    out.json(result.ok ? { ok: true, file: result.value.file, faults: [] } : { ok: false, faults: result.faults })
  else if (result.ok) out.print(`${result.value.file ?? 'No file, so all defaults'}: no errors.`)
  else {
    const count = result.faults.length
    out.print(formatFaults(result.faults))
    out.note(`signalbox: The configuration has ${count === 1 ? 'an error' : `${count} errors`}.`)
  }
  return result.ok ? exit.ok : exit.failed
}

/** That of the running server; of a start from here if there is none, or if --local asks for it. */
export const showConfiguration: Handler<typeof showConfigFlags> = async ({ flags }, context) => {
  const running = flags.local ? null : await configOfServer(context)
  const { text, json } = showConfig(running ?? shownConfig(await context.config()))
  if (context.json) return context.out.json(json)
  context.out.print(text)
  if (running) context.out.note(`This is what the running server uses. What a start from here would use: --local`)
}

async function configOfServer(context: Context): Promise<ShownConfig | null> {
  try {
    const { client } = await context.api()
    return await client.getConfig({})
  } catch (error) {
    if (error instanceof Failure && error.exit === exit.noServer && context.url === undefined) return null
    throw error
  }
}
