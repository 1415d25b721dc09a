// Bundles the dashboard to dist/web: pages by Vite, the service worker and the script of the sign-in page each on its own. Run by scripts/build.mjs under Node 24.
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import tailwind from '@tailwindcss/vite'
import { build as bundle } from 'esbuild'
import { build, type Plugin, type Rolldown } from 'vite'
import { api } from '../src/client/contract.ts'
import { root } from './lib/say.mjs'

const { values } = parseArgs({ options: { out: { type: 'string', default: join(root, 'dist', 'web') } } })
const out = values.out
const targets = ['chrome120', 'firefox128', 'safari17.4']
const day = 24 * 60 * 60 * 1000

/** Browsers get only the part of the contract that calls need; the checks and zod stay on the server. */
const addresses: Plugin = {
  name: 'signalbox-addresses',
  resolveId: (id) => (id === 'virtual:signalbox-api' ? '\0signalbox-api' : null),
  load(id) {
    if (id !== '\0signalbox-api') return null
    const routes = Object.entries(api).map(([name, { method, path, body }]) => [
      name,
      { method, path, ...(body && { body: true }) },
    ])
    return `export const routes = ${JSON.stringify(Object.fromEntries(routes))}`
  },
}

const pages = await build({
  configFile: false,
  root: join(root, 'web'),
  base: '/',
  logLevel: 'error',
  publicDir: false,
  plugins: [addresses, tailwind()],
  build: {
    target: targets,
    write: false,
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 2000,
  },
})
const { output } = (Array.isArray(pages) ? pages[0] : pages) as Rolldown.RolldownOutput
const files = new Map(output.map((file) => [file.fileName, file.type === 'chunk' ? file.code : file.source]))
const shell = [...files].filter(([name]) => name.startsWith('assets/')).map(([name]) => name)
const version = createHash('sha256').update(shell.join('\n')).digest('hex').slice(0, 12)
for (const entry of ['push/service-worker', 'sign-in/sign-in']) {
  const alone = await bundle({
    absWorkingDir: root,
    entryPoints: [`web/${entry}.ts`],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    platform: 'browser',
    target: targets,
    logLevel: 'error',
    define: { __BUILD__: JSON.stringify(version) },
  })
  files.set(`${basename(entry)}.js`, alone.outputFiles[0]?.text ?? '')
}
const still = join(root, 'web', 'public')
for (const name of readdirSync(still)) files.set(name, readFileSync(join(still, name)))

// The page last, so that everything it names exists.
const order = [...files.keys()].toSorted((a, b) => Number(a === 'index.html') - Number(b === 'index.html'))
for (const name of order) replace(join(out, name), files.get(name) ?? '')
removeOld(join(out, 'assets'), new Set(order.map((name) => join(out, name))))

function replace(path: string, contents: string | Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(`${path}.new`, contents)
  renameSync(`${path}.new`, path)
}

/** Open pages may still load chunks of their build, so chunks of the last day are kept. */
function removeOld(folder: string, current: Set<string>): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    if (!current.has(path) && Date.now() - statSync(path).mtimeMs >= day) rmSync(path, { force: true })
  }
}
