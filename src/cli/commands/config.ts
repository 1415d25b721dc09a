import { formatFaults, loadConfig, showConfig } from '../../config/index.ts'
import type { Handler } from '../command.ts'
import { exit } from '../failure.ts'

export const checkConfig: Handler = async (_invocation, { env, dataDir, configFile, json, out }) => {
  const result = loadConfig({ env, dataDir, configFile })
  if (json) out.json(result.ok ? { ok: true, file: result.value.file, faults: [] } : result)
  else if (result.ok) out.print(`${result.value.file ?? 'No file, so all defaults'}: no errors.`)
  else {
    const count = result.faults.length
    out.print(formatFaults(result.faults))
    out.note(`signalbox: The configuration has ${count === 1 ? 'an error' : `${count} errors`}.`)
  }
  return result.ok ? exit.ok : exit.failed
}

export const showConfiguration: Handler = async (_invocation, context) => {
  const { text, json } = showConfig(await context.config())
  if (context.json) context.out.json(json)
  else context.out.print(text)
}
