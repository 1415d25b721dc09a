import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

// Compiled code is kept beside the program, so that every start but the first is quicker. It must be on before anything else
// is loaded: what was compiled earlier is not kept. So nothing else is imported here.
if (import.meta.url.endsWith('.js')) enableCompileCache(fileURLToPath(new URL('.cache', import.meta.url)))
if (!('AsyncDisposableStack' in globalThis)) (await import('./lib/disposal-stacks.ts')).provideStacks()
const words = process.argv.slice(2)
if (words[0] !== 'run' || !(await (await import('./cli/terminal/run-at-once.ts')).runAtOnce(words)))
  await (await import('./main.ts')).main()
