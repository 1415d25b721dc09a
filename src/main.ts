import { existsSync, readFileSync } from 'node:fs'
import { runCommandLine } from './cli/run.ts'
import { isRecord, ownJson } from './lib/parse-json.ts'

// Beside src/ in a clone as beside dist/ in a package.
const { version } = ownJson(readFileSync(new URL('../package.json', import.meta.url), 'utf8'), 'package.json', isRecord)
const command = existsSync(new URL('../src', import.meta.url)) ? './signalbox' : 'signalbox'

await runCommandLine(process.argv.slice(2), {
  version: String(version),
  serve: async (loaded, io) => (await import('./server/serve.ts')).serve(loaded, { ...io, command }),
  maintenance: () => import('./server/maintenance.ts'),
})
