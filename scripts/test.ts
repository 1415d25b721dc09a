// `npm test`: the checks, a browser and a sandbox if there is none, then every suite. `npm test -- <vitest arguments>`: only those.
// `npm run test:long`: every suite at its full size (test/support/scale.ts) and test/long, then the results of the campaigns.
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { check } from './check.ts'
import { ensureAgents } from './lib/agents.mjs'
import { ensureBrowser } from './lib/browser.mjs'
import { ensureBubblewrap } from './lib/bubblewrap.mjs'
import { ensureEngines } from './lib/engines.mjs'
import { createRun } from './lib/left-behind.ts'
import { ensurePrograms } from './lib/programs.mjs'
import { root } from './lib/say.mjs'

/** A keeper whose data directory was removed looks for it every few seconds, and then ends. */
const leaveMs = 15_000

type Tally = { passed: number; failed: number; skipped: number }

const long = process.argv[2] === '--long'
// A bare -u takes the next argument as its value: `-u src/config` would update every snapshot, and run every test.
const args = process.argv.slice(long ? 3 : 2).map((arg) => (arg === '-u' || arg === '--update' ? '--update=all' : arg))
const total: Tally = { passed: 0, failed: 0, skipped: 0 }

if (args.length === 0) {
  // Fetched while the checks run. If agents can't be installed, the setup of their tests retries and says why.
  const [{ passed, failed }] = await Promise.all([
    long ? total : check(),
    ensurePackages(),
    ensureAgents().catch(() => undefined),
  ])
  total.passed += passed
  total.failed += failed
}
const run = createRun()
const { code, tally } = await vitest(args)
const left = await run.leftAfter(leaveMs)
for (const { pid, command } of left) {
  console.log(`left behind by this run: process ${pid}, ${command}`)
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It ended just now: too late.
  }
}
total.failed += left.length
if (tally) {
  total.passed += tally.passed
  total.failed += tally.failed
  total.skipped += tally.skipped
  console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`)
}
process.exitCode = code || (total.failed > 0 ? 1 : 0)

/** One after another: apt locks. */
async function ensurePackages(): Promise<void> {
  await ensureBrowser()
  await ensureBubblewrap()
  await ensureEngines()
  await ensurePrograms()
}

async function vitest(filters: string[]): Promise<{ code: number; tally: Tally | undefined }> {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-test-'))
  const file = join(folder, 'tally.json')
  const figures = join(folder, 'figures.ndjson')
  const child = spawn(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...filters], {
    cwd: root,
    stdio: 'inherit',
    env: {
      ...process.env,
      ...run.env,
      SIGNALBOX_TEST_TALLY: file,
      ...(long && { SIGNALBOX_TEST_LONG: '1', SIGNALBOX_TEST_FIGURES: figures }),
    },
  })
  // Vitest ends its workers and database itself; this process waits for that.
  process.on('SIGINT', () => process.stdin.isTTY || child.kill('SIGINT'))
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  const exit = await new Promise<number>((resolve) => {
    child.on('close', (status) => resolve(status ?? 1))
  })
  const tally: Tally | undefined = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
  if (existsSync(figures)) printFigures(readFileSync(figures, 'utf8'))
  rmSync(folder, { recursive: true })
  return { code: exit, tally }
}

function printFigures(lines: string): void {
  const figures = lines
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { campaign: string; outcome: string })
  const width = Math.max(...figures.map(({ campaign }) => campaign.length))
  console.log('Figures')
  for (const { campaign, outcome } of figures.toSorted((a, b) => a.campaign.localeCompare(b.campaign)))
    console.log(`  ${campaign.padEnd(width)}  ${outcome}`)
}
