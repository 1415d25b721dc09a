import { formatFaults, loadConfig, type ConfigFlags, type LoadedConfig } from '../config/index.ts'
import { exit, Failure } from './failure.ts'
import type { Output } from './output.ts'
import { programName } from './program-name.ts'

type ConfigSources = { env: NodeJS.ProcessEnv; dataDir: string; configFile: string | undefined; flags?: ConfigFlags }

/** Loads the configuration, or fails with all its errors at once. */
export function readConfig({ env, dataDir, configFile, flags = {} }: ConfigSources): LoadedConfig {
  const result = loadConfig({ env, dataDir, configFile, flags })
  if (result.ok) return result.value
  const count = result.faults.length
  throw new Failure({
    exit: exit.failed,
    code: 'config_not_valid',
    message: `The configuration has ${count === 1 ? 'an error' : `${count} errors`}.\n${formatFaults(result.faults)}`,
    hint: 'Fix it, then check again with: signalbox config check',
  })
}

/** The name of the server's socket, also from a configuration with errors, which are noted. */
export function readIpcName(sources: ConfigSources, out: Pick<Output, 'note'> | null): string {
  const result = loadConfig(sources)
  if (result.ok) return result.value.config.ipcName
  out?.note(`The configuration has errors: ${programName()} config check. A running server keeps its own.`)
  return result.usable.ipcName
}
