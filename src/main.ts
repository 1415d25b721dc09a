import { existsSync, readFileSync } from 'node:fs'
import { runCommandLine } from './cli/run.ts'
import { isRecord, ownJson } from './lib/parse-json.ts'

/** Next to src/ in a clone, and next to dist/ in a package. */
const packageFile = new URL('../package.json', import.meta.url)

/** Runs the command line of this process. */
export async function main(): Promise<void> {
  const { version } = ownJson(readFileSync(packageFile, 'utf8'), 'package.json', isRecord)
  const command = existsSync(new URL('../src', import.meta.url)) ? './signalbox' : 'signalbox'
  await runCommandLine(process.argv.slice(2), {
    version: String(version),
    serve: async (loaded, io) => (await import('./server/serve.ts')).serve(loaded, { ...io, command }),
    maintenance: () => import('./server/maintenance.ts'),
  })
}
