import { existsSync, readFileSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'
import { isRecord, ownJson } from './lib/parse-json.ts'

// Compiled code is kept beside the program, so that every start but the first is quicker.
if (import.meta.url.endsWith('.js')) enableCompileCache(fileURLToPath(new URL('.cache', import.meta.url)))
// Beside src/ in a clone as beside dist/ in a package.
const { version } = ownJson(readFileSync(new URL('../package.json', import.meta.url), 'utf8'), 'package.json', isRecord)
const command = existsSync(new URL('../src', import.meta.url)) ? './signalbox' : 'signalbox'
const { runCommandLine } = await import('./cli/run.ts')

await runCommandLine(process.argv.slice(2), {
  version: String(version),
  serve: async (loaded, io) => (await import('./server/serve.ts')).serve(loaded, { ...io, command }),
  maintenance: () => import('./server/maintenance.ts'),
})
