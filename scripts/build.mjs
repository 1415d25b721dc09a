// Bundles src/bin.ts to dist/signalbox.js, split into chunks, so that a small command does not load the server; the
// programs the server starts, each in one file, so that a later build takes nothing from under them; and, beside them, the
// dashboard.
import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { Refusal, root, say, seconds } from './lib/say.mjs'

const dist = join(root, 'dist')
const entry = join(dist, 'signalbox.js')
const startedByServer = {
  keeper: 'src/keeper/main.ts',
  relay: 'src/relay/main.ts',
  'practice-agent': 'src/practice/main.ts',
  'checkpoint-worker': 'src/edges/workspace/checkpoint/worker.ts',
  'terminal-worker': 'src/edges/terminal/worker/main.ts',
  'aside-worker': 'src/db/aside-worker.ts',
  'search-worker': 'src/edges/terminal/recording/search-worker.ts',
}
const day = 24 * 60 * 60 * 1000

// Bundled CommonJS packages load Node's modules with require.
const banner =
  "import { createRequire as __createRequire } from 'node:module'\nconst require = __createRequire(import.meta.url)"

/** @param {string} node the Node that ./signalbox runs dist/ with */
export async function build(node) {
  const started = Date.now()
  const [outputs] = await Promise.all([bundle(), buildWeb(node)])
  mkdirSync(dist, { recursive: true })
  for (const { path, contents } of outputs) if (path !== entry) replace(path, contents)
  const main = outputs.find(({ path }) => path === entry)
  if (!main) throw new Error('esbuild made no dist/signalbox.js')
  replace(entry, withShebang(main.text), 0o755)
  removeOld(new Set(outputs.map(({ path }) => basename(path))))
  stamp(node, started)
  say(`Built dist/ in ${seconds(started)}.`)
}

async function bundle() {
  const esbuild = await import('esbuild')
  /** @satisfies {import('esbuild').BuildOptions} */
  const shared = {
    absWorkingDir: root,
    outdir: 'dist',
    write: false,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    banner: { js: banner },
    logLevel: 'error',
  }
  try {
    const results = await Promise.all([
      esbuild.build({
        ...shared,
        entryPoints: { signalbox: 'src/bin.ts' },
        splitting: true,
        chunkNames: '[name]-[hash]',
        external: ['better-sqlite3', 'pg'],
      }),
      // Native: loaded from node_modules on first use.
      esbuild.build({ ...shared, entryPoints: startedByServer, external: ['@lydell/node-pty', 'better-sqlite3'] }),
    ])
    return results.flatMap(({ outputFiles }) => outputFiles)
  } catch (error) {
    if (!(error instanceof Error) || !('errors' in error)) throw error
    throw new Refusal('The build failed; see above.')
  }
}

/** Under Node 24, whichever Node runs this script. @param {string} node @returns {Promise<void>} */
function buildWeb(node) {
  const child = spawn(node, [join(root, 'scripts', 'build-web.ts')], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) =>
      code === 0 ? resolve() : reject(new Refusal('The dashboard was not built; see above.')),
    )
  })
}

/** Atomic: the file may be started at any moment. @param {string} path @param {string | Uint8Array} contents @param {number} [mode] */
function replace(path, contents, mode) {
  writeFileSync(`${path}.new`, contents, { mode })
  renameSync(`${path}.new`, path)
}

/** @param {string} text */
function withShebang(text) {
  return `#!/usr/bin/env node\n${text.replace(/^#!.*\n/, '')}`
}

/** A running server may still load chunks of its build, so chunks of the last day are kept. @param {Set<string>} current */
function removeOld(current) {
  for (const name of readdirSync(dist)) {
    const path = join(dist, name)
    if (!name.endsWith('.js') || current.has(name) || Date.now() - statSync(path).mtimeMs < day) continue
    rmSync(path, { force: true })
  }
}

/** Dated at the start of the build, so that files changed meanwhile are newer. @param {string} node @param {number} started */
function stamp(node, started) {
  const path = join(dist, '.stamp')
  const inside = relative(root, node)
  writeFileSync(path, `${inside.startsWith('..') ? node : inside}\n`)
  utimesSync(path, started / 1000, started / 1000)
}
