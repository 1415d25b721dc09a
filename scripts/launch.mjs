// Entry point of every npm script and ./signalbox: installs what is missing, builds what changed, continues under Node 24.
// Runs before anything is installed and on older Nodes, so it uses nothing but Node 18's own modules.
import { join } from 'node:path'
import { ensureBuilt } from './lib/built.mjs'
import { ensureInstalled } from './lib/installed.mjs'
import { findNode24, runUnder } from './lib/node24.mjs'
import { Refusal, root, say } from './lib/say.mjs'

/** @type {Record<string, { build?: 'when stale' | 'always', file?: string, args?: string[] }>} */
const commands = {
  start: { build: 'when stale', file: 'dist/signalbox.js', args: ['serve'] },
  cli: { build: 'when stale', file: 'dist/signalbox.js' },
  build: { build: 'always' },
  package: { file: 'scripts/package.ts' },
  test: { build: 'when stale', file: 'scripts/test.ts' },
  'test:long': { build: 'when stale', file: 'scripts/test.ts', args: ['--long'] },
  check: { file: 'scripts/check.ts' },
  bench: { build: 'when stale', file: 'bench/run.ts' },
  'detect:score': { file: 'scripts/detect-score.ts' },
  'detect:fit': { file: 'scripts/detect-fit.ts' },
  fixtures: { file: 'scripts/fixtures.ts' },
  screenshots: { build: 'when stale', file: 'scripts/screenshots.ts' },
  format: { file: 'node_modules/oxfmt/bin/oxfmt' },
  typecheck: {
    file: 'node_modules/typescript/bin/tsc',
    args: ['--noEmit', '--incremental', '--tsBuildInfoFile', join(root, '.cache/types-program.tsbuildinfo')],
  },
}

const [name = '', ...rest] = process.argv.slice(2)

async function launch() {
  const command = commands[name]
  if (!command) throw new Refusal(`scripts/launch.mjs knows ${Object.keys(commands).join(', ')}; not "${name}".`)
  await ensureInstalled()
  const node = findNode24()
  if (command.build) await ensureBuilt(node, command.build === 'always')
  if (command.file) await runUnder(node, [join(root, command.file), ...(command.args ?? []), ...rest])
}

try {
  await launch()
} catch (error) {
  if (!(error instanceof Refusal)) throw error
  say(error.message)
  process.exitCode = 1
}
