import { formatFaults, loadConfig, type ConfigFlags, type LoadedConfig } from '../config/index.ts'
import { exit, Failure } from './failure.ts'

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
