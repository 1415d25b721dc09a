import { existsSync, readFileSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'
import { isRecord, ownJson } from './lib/parse-json.ts'

// Compiled code is kept next to the program, so that every start but the first is quicker.
if (import.meta.url.endsWith('.js')) enableCompileCache(fileURLToPath(new URL('.cache', import.meta.url)))
// Next to src/ in a clone, and next to dist/ in a package.
const { version } = ownJson(readFileSync(new URL('../package.json', import.meta.url), 'utf8'), 'package.json', isRecord)
const command = existsSync(new URL('../src', import.meta.url)) ? './signalbox' : 'signalbox'
const { runCommandLine } = await import('./cli/run.ts')

await runCommandLine(process.argv.slice(2), {
  version: String(version),
  serve: async (loaded, io) => (await import('./server/serve.ts')).serve(loaded, { ...io, command }),
  maintenance: () => import('./server/maintenance.ts'),
})
