// `npm test`: the checks, a browser and a sandbox if there is none, then every suite. `npm test -- <vitest arguments>`: only those.
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { check } from './check.ts'
import { ensureAgents } from './lib/agents.mjs'
import { ensureBrowser } from './lib/browser.mjs'
import { ensureBubblewrap } from './lib/bubblewrap.mjs'
import { createRun } from './lib/left-behind.ts'
import { ensurePrograms } from './lib/programs.mjs'
import { root } from './lib/say.mjs'

/** A keeper whose data directory was removed looks for it every few seconds, and then ends. */
const leaveMs = 15_000

type Tally = { passed: number; failed: number; skipped: number }

const args = process.argv.slice(2)
const total: Tally = { passed: 0, failed: 0, skipped: 0 }

if (args.length === 0) {
  await ensureBrowser()
  await ensureBubblewrap()
  await ensurePrograms()
  // They are fetched while the checks compute; where that fails, the setup of their tests tries again and says why.
  const [{ passed, failed }] = await Promise.all([check(), ensureAgents().catch(() => undefined)])
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

async function vitest(filters: string[]): Promise<{ code: number; tally: Tally | undefined }> {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-test-'))
  const file = join(folder, 'tally.json')
  const child = spawn(process.execPath, [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...filters], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...run.env, SIGNALBOX_TEST_TALLY: file },
  })
  // Vitest ends its workers and its database itself; this process waits for that.
  process.on('SIGINT', () => process.stdin.isTTY || child.kill('SIGINT'))
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  const exit = await new Promise<number>((resolve) => {
    child.on('close', (status) => resolve(status ?? 1))
  })
  const tally: Tally | undefined = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
  rmSync(folder, { recursive: true })
  return { code: exit, tally }
}
