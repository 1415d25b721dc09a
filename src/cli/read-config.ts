import { formatFaults, loadConfig, type ConfigFlags, type LoadedConfig } from '../config/index.ts'
import { exit } from './exit.ts'
import { Failure } from './failure.ts'

type From = { env: NodeJS.ProcessEnv; dataDir: string; configFile: string | undefined; flags?: ConfigFlags }

/** The configuration, or all its faults at once. */
export function readConfig({ env, dataDir, configFile, flags = {} }: From): LoadedConfig {
  const result = loadConfig({ env, dataDir, configFile, flags })
  if (result.ok) return result.value
  const count = result.faults.length
  throw new Failure({
    exit: exit.failed,
    code: 'config_not_valid',
    message: `The configuration has ${count === 1 ? 'a fault' : `${count} faults`}.\n${formatFaults(result.faults)}`,
    hint: 'Fix it, then check again with: signalbox config check',
  })
}
