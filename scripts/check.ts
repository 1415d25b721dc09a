// All static checks of the code. `npm test` starts with them.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { root, seconds } from './lib/say.mjs'

type Step = { name: string; args: string[]; hint?: string }

/** Each holds all types of the code, nearly 2 GB: one after another. */
const large: Step[] = [
  { name: 'lint', args: ['oxlint/bin/oxlint'] },
  { name: 'types', args: ['typescript/bin/tsc', ...onlyChanged('program')] },
]
const small: Step[] = [
  { name: 'format', args: ['oxfmt/bin/oxfmt', '--check'], hint: 'fix it with: npm run format' },
  { name: 'types in browsers', args: ['typescript/bin/tsc', '-p', 'web', ...onlyChanged('web')] },
  { name: 'types in browser tests', args: ['typescript/bin/tsc', '-p', 'test/e2e', ...onlyChanged('e2e')] },
  { name: 'types in the service worker', args: ['typescript/bin/tsc', '--noEmit', '-p', 'web/push'] },
  { name: 'unused code', args: ['knip/bin/knip.js', '--no-progress'] },
]
const boundaries: Step = { name: 'import borders', args: ['vitest/vitest.mjs', 'run', 'test/boundaries.test.ts'] }

/** Checks again only what a change reaches; what was found before is kept in .cache. */
function onlyChanged(program: string): string[] {
  return ['--noEmit', '--incremental', '--tsBuildInfoFile', join(root, '.cache', `types-${program}.tsbuildinfo`)]
}

/** Prints a line per step and the output of failing steps; returns how many passed and failed. */
export async function check(extra: Step[] = []): Promise<{ passed: number; failed: number }> {
  const started = Date.now()
  const results = (await Promise.all([large, [...small, ...extra]].map(inTurn))).flat()
  const failed = results.filter((ok) => !ok).length
  console.log(`check: ${failed ? `${failed} of ${results.length} steps failed` : 'all good'} (${seconds(started)})\n`)
  return { passed: results.length - failed, failed }
}

async function report(step: Step): Promise<boolean> {
  const started = Date.now()
  const { code, output } = await run(step.args)
  const hint = code === 0 || !step.hint ? '' : `: ${step.hint}`
  console.log(`${code === 0 ? '✓' : '✗'} ${step.name} (${seconds(started)})${hint}`)
  if (code !== 0) console.log(output.trimEnd().replaceAll(/^/gm, '  '))
  return code === 0
}

function run([file = '', ...args]: string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [join(root, 'node_modules', file), ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: process.stdout.isTTY ? { ...process.env, FORCE_COLOR: '1' } : process.env,
  })
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk))
  return new Promise((resolve) => {
    child.on('close', (code) => resolve({ code, output: Buffer.concat(chunks).toString() }))
  })
}

/** The tools use several cores themselves, so two rows of them are enough. */
async function inTurn(row: readonly Step[]): Promise<boolean[]> {
  const results: boolean[] = []
  for (const step of row) results.push(await report(step))
  return results
}

if (import.meta.main) {
  const { failed } = await check([boundaries])
  process.exitCode = failed ? 1 : 0
}
