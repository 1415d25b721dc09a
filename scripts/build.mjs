// Bundles src/bin.ts to dist/signalbox.js and the parts it loads (scripts/build-program.ts); the programs the server starts,
// each in one file, so that a later build takes nothing from under them; and, beside them, the dashboard.
import { spawn } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { basename, join, relative } from 'node:path'
import { nodeModulesOnDemand } from './lib/node-modules-on-demand.mjs'
import { Refusal, root, say, seconds } from './lib/say.mjs'

const startedByServer = {
  keeper: 'src/keeper/main.ts',
  relay: 'src/relay/main.ts',
  runner: 'src/runner/main.ts',
  'practice-agent': 'src/practice/main.ts',
  'checkpoint-worker': 'src/edges/workspace/checkpoint/worker.ts',
  'terminal-worker': 'src/edges/terminal/worker/main.ts',
  'long-query-worker': 'src/db/long-query-worker.ts',
  'search-worker': 'src/edges/terminal/recording/search-worker.ts',
  'chat-bridge-worker': 'src/edges/chat/bridge/worker.ts',
  'chat-keychain': 'src/edges/chat/keychain-program.ts',
}
const day = 24 * 60 * 60 * 1000

// Bundled CommonJS packages load Node's modules with require.
const banner =
  "import { createRequire as __createRequire } from 'node:module'\nconst require = __createRequire(import.meta.url)"

/** @param {string} node the Node that ./signalbox runs dist/ with */
export async function build(node) {
  const started = Date.now()
  const dist = join(root, 'dist')
  const names = await buildTo(dist, node)
  removeOld(dist, names)
  stamp(dist, node, started)
  say(`Built dist/ in ${seconds(started)}.`)
}

/** Returns the names of the built programs. @param {string} dist @param {string} node */
export async function buildTo(dist, node) {
  mkdirSync(dist, { recursive: true })
  const entry = join(dist, 'signalbox.js')
  const [program, others] = await Promise.all([bundleProgram(dist, node), bundlePrograms(dist), buildWeb(dist, node)])
  const outputs = [...program, ...others]
  // The entry last, so that everything it loads exists.
  for (const { path, contents } of outputs) if (path !== entry) replace(path, contents)
  const main = outputs.find(({ path }) => path === entry)
  if (!main) throw new Error('the bundle has no signalbox.js')
  replace(entry, Buffer.concat([Buffer.from('#!/usr/bin/env node\n'), main.contents]), 0o755)
  return new Set(outputs.map(({ path }) => basename(path)))
}

/** @param {string} dist */
async function bundlePrograms(dist) {
  const esbuild = await import('esbuild')
  try {
    const { outputFiles } = await esbuild.build({
      absWorkingDir: root,
      entryPoints: startedByServer,
      outdir: dist,
      write: false,
      bundle: true,
      format: 'esm',
      platform: 'node',
      // The oldest Node that a package runs on.
      target: 'node22',
      banner: { js: banner },
      // Native: loaded from node_modules on first use.
      external: ['@lydell/node-pty', '@napi-rs/keyring', 'better-sqlite3'],
      logLevel: 'error',
    })
    return outputFiles.map(({ path, text }) => ({
      path,
      contents: Buffer.from(nodeModulesOnDemand(text, 'scripts/build.mjs')),
    }))
  } catch (error) {
    if (!(error instanceof Error) || !('errors' in error)) throw error
    throw new Refusal('The build failed; see above.')
  }
}

/** @param {string} dist @param {string} node */
async function bundleProgram(dist, node) {
  // Left behind by a build that was killed; only one runs at a time.
  for (const name of readdirSync(dist)) if (name.startsWith('.new-')) rmSync(join(dist, name), { recursive: true })
  const folder = mkdtempSync(join(dist, '.new-'))
  try {
    await runScript(node, ['build-program.ts', '--out', folder], 'The build failed; see above.')
    return readdirSync(folder).map((name) => ({ path: join(dist, name), contents: readFileSync(join(folder, name)) }))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** @param {string} dist @param {string} node */
const buildWeb = (dist, node) =>
  runScript(node, ['build-web.ts', '--out', join(dist, 'web')], 'The dashboard was not built; see above.')

/** Under Node 24, whichever Node runs this one. @param {string} node @param {string[]} script @param {string} refusal @returns {Promise<void>} */
function runScript(node, [name = '', ...args], refusal) {
  const child = spawn(node, [join(root, 'scripts', name), ...args], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => (code === 0 ? resolve() : reject(new Refusal(refusal))))
  })
}

/** Atomic: the file may be started at any moment. @param {string} path @param {string | Uint8Array} contents @param {number} [mode] */
function replace(path, contents, mode) {
  writeFileSync(`${path}.new`, contents, { mode })
  renameSync(`${path}.new`, path)
}

/** A running server may still load chunks of its build, so chunks of the last day are kept. @param {string} dist @param {Set<string>} current */
function removeOld(dist, current) {
  for (const name of readdirSync(dist)) {
    const path = join(dist, name)
    if (!name.endsWith('.js') || current.has(name) || Date.now() - statSync(path).mtimeMs < day) continue
    rmSync(path, { force: true })
  }
}

/** Dated at the start of the build, so that files changed meanwhile are newer. @param {string} dist @param {string} node @param {number} started */
function stamp(dist, node, started) {
  const path = join(dist, '.stamp')
  const inside = relative(root, node)
  writeFileSync(path, `${inside.startsWith('..') ? node : inside}\n`)
  utimesSync(path, started / 1000, started / 1000)
}
