import { ensureEngines } from '../../scripts/lib/engines.mjs'
import { engineMissing, engineNames, startEngine, type EngineService } from './engines.ts'

/** The engines that can be had here, for all tests of containers. */
export async function setup(): Promise<() => Promise<void>> {
  await ensureEngines()
  const services: EngineService[] = []
  await Promise.all(
    engineNames.map(async (name) => {
      if (engineMissing(name) !== null) return
      const service = await startEngine(name)
      services.push(service)
      process.env[`SIGNALBOX_TEST_ENGINE_${name.toUpperCase()}`] = service.socket
    }),
  )
  return async () => {
    for (const service of services) await service[Symbol.asyncDispose]()
  }
}
