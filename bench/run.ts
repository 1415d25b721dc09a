import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { crowd } from './acp/crowd-line.ts'
import { firstUpdate } from './acp/first-update-line.ts'
import { sessionMemory } from './acp/session-memory-line.ts'
import { permissionCrowd } from './acp/permissions-line.ts'
import { agentUpdates } from './acp/updates-line.ts'
import { chat } from './chat/line.ts'
import { checkpoints } from './checkpoints/line.ts'
import { commands } from './commands/line.ts'
import { containerStart } from './containers/start-line.ts'
import { dashboardAnswer } from './dashboard/answer-line.ts'
import { dashboardDiff } from './dashboard/diff-line.ts'
import { dashboardScroll } from './dashboard/scroll-line.ts'
import { dashboardFirstLoad } from './dashboard/first-load-line.ts'
import { heldCrowd } from './held/crowd-line.ts'
import { heldCall } from './held/line.ts'
import { idleMemory } from './memory/line.ts'
import {
  peersCreate,
  peersCreateUnsynced,
  peersEvents,
  peersList,
  peersListAfterChange,
  peersStart,
} from './peers/lines.ts'
import { policyRules } from './policy/line.ts'
import { eventReaders } from './readers/line.ts'
import { ready } from './ready/line.ts'
import { schedulesAtRest } from './schedules/line.ts'
import { sessionList } from './sessions/line.ts'
import { overviewGrowth } from './sessions/overview-line.ts'
import { soak } from './soak/line.ts'
import { terminalBytes } from './terminals/bytes-line.ts'
import { terminalCrowd } from './terminals/crowd-line.ts'
import { terminalCost } from './terminals/cost-line.ts'
import { terminalLookup } from './terminals/lookup-line.ts'
import { terminalMemory } from './terminals/memory-line.ts'
import { terminalRun } from './terminals/run-line.ts'
import { terminalSlow } from './terminals/slow-line.ts'
import { terminalVerdict } from './terminals/verdict-line.ts'
import type { Figure, Line, LineContext } from './lib/line.ts'
import { describeMachine, renderResults, renderTable, verdict, withGroup, withPeers } from './lib/report.ts'

const lines: readonly Line[] = [
  ready,
  idleMemory,
  commands,
  eventReaders,
  sessionList,
  overviewGrowth,
  agentUpdates,
  firstUpdate,
  crowd,
  sessionMemory,
  permissionCrowd,
  containerStart,
  heldCall,
  heldCrowd,
  chat,
  schedulesAtRest,
  policyRules,
  checkpoints,
  terminalBytes,
  terminalCrowd,
  terminalVerdict,
  terminalRun,
  terminalCost,
  terminalMemory,
  terminalSlow,
  terminalLookup,
  dashboardAnswer,
  dashboardFirstLoad,
  dashboardDiff,
  dashboardScroll,
]

/** Comparisons with other programs, which are installed for it, and lines whose peer is a program too. */
const peers: readonly Line[] = [
  peersList,
  peersListAfterChange,
  peersCreate,
  peersCreateUnsynced,
  peersEvents,
  peersStart,
]
const besidePeers = [...peers, permissionCrowd, heldCrowd, checkpoints, terminalLookup]

/** Slow, or install something: they run only by name. */
const onRequest: readonly Line[] = [soak, ...peers]
const known = [...lines, ...onRequest]

const usage = `npm run bench -- [GROUP]… [--only NAME]… [--json] [--write] [--quick] [--minutes N]
  GROUP        only lines whose names start with it: terminals, dashboard; peers: all that compare with another program
  --only NAME  only this line; repeatable: ${known.map(({ name }) => name).join(', ')}
  --json       JSON instead of the table
  --write      also write bench/RESULTS.md; with a GROUP, its section there
  --quick      rough figures in a fraction of the time; never written to RESULTS.md
  --minutes N  how long soak runs (default 60); soak only runs by name`

const progress = (text: string) => process.stderr.write(`${text}\n`)

function options() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      json: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true, default: [] },
      minutes: { type: 'string' },
    },
  })
  const grouped = positionals.flatMap((group) => {
    if (group === 'peers') return besidePeers.map(({ name }) => name)
    const names = known.map(({ name }) => name).filter((name) => name === group || name.startsWith(`${group}-`))
    return names.length === 0 ? [group] : names
  })
  const only = [...values.only, ...grouped]
  const unknown = only.find((wanted) => !known.some(({ name }) => name === wanted))
  if (unknown !== undefined) throw new Error(`unknown line '${unknown}'`)
  const onlyPeers = values.only.length === 0 && positionals.length === 1 && positionals[0] === 'peers'
  const group = values.only.length === 0 && positionals.length === 1 && !onlyPeers ? (positionals[0] ?? null) : null
  if (values.write && (values.quick || (only.length > 0 && !onlyPeers && group === null)))
    throw new Error('--write needs a full run, or one GROUP: remove --quick and --only.')
  const minutes = values.minutes === undefined ? undefined : Number(values.minutes)
  if (minutes !== undefined && !(minutes > 0)) throw new Error('--minutes must be a number above zero.')
  return { ...values, only, onlyPeers, group, minutes }
}

/** A line that takes longer hangs. */
const longestMs = 15 * 60_000

async function withLimit<T>(ms: number, work: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`not done after ${ms / 60_000} minutes`)), ms)
  return await Promise.race([work, late]).finally(() => clearTimeout(timer))
}

/** The figures, and the lines that failed twice. */
async function measure(
  chosen: readonly Line[],
  wanted: Omit<LineContext, 'folder'>,
): Promise<{ figures: Figure[]; failed: string[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-bench-'))
  // Ctrl-C cleans up too: a gigabyte of sessions, and servers.
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
  const figures: Figure[] = []
  const failed: string[] = []
  for (const line of chosen) {
    const started = Date.now()
    const limitMs = longestMs + (line === soak ? (wanted.minutes ?? 60) * 60_000 : 0)
    progress(`${line.name} …`)
    const run = async (): Promise<readonly Figure[]> => {
      const own = mkdtempSync(join(folder, line.name))
      const running = withLimit(limitMs, line.run({ folder: own, ...wanted }))
      return running.finally(() => rmSync(own, { recursive: true, force: true }))
    }
    // One failed line must not discard a quarter of an hour of other lines.
    const again = (error: unknown) => {
      progress(`${line.name} failed; retrying once: ${String(error)}`)
      return run()
    }
    try {
      figures.push(...(await run().catch(again)))
      progress(`${line.name}: ${((Date.now() - started) / 1000).toFixed(1)} s`)
    } catch (error) {
      progress(`${line.name} failed twice and is left out: ${error instanceof Error ? error.stack : String(error)}`)
      failed.push(line.name)
    }
  }
  return { figures, failed }
}

async function main(): Promise<void> {
  const { json, write, quick, only, onlyPeers, group, help, minutes } = options()
  if (help) return console.log(usage)
  const chosen = only.length === 0 ? lines : known.filter(({ name }) => only.includes(name))
  const started = new Date()
  const { figures, failed } = await measure(chosen, { quick, ...(minutes !== undefined && { minutes }) })
  const machine = describeMachine()
  if (json) console.log(JSON.stringify({ at: started.toISOString(), machine, quick, figures }, null, 2))
  else console.log(`\n${renderTable(figures)}\n\n${verdict(figures)}${quick ? ' Rough figures (--quick).' : ''}`)
  if (failed.length > 0) {
    progress(`Failed: ${failed.join(', ')}`)
    // A line that hangs would keep the process alive. Its servers end with it.
    process.exit(1)
  }
  if (!write) return
  const file = join(import.meta.dirname, 'RESULTS.md')
  const run = { at: started, machine, figures, lines: onlyPeers ? peers : group === null ? lines : chosen }
  const before = readFileSync(file, 'utf8')
  const alone = group === null ? renderResults(run, before) : withGroup(before, group, run)
  writeFileSync(file, onlyPeers ? withPeers(before, run) : alone)
  progress('Wrote bench/RESULTS.md')
}

try {
  await main()
} catch (error) {
  const asked = error instanceof Error && /^There is no line|^--write|^--minutes|^Unknown option/.test(error.message)
  process.stderr.write(
    asked ? `${error.message}\n${usage}\n` : `${error instanceof Error ? error.stack : String(error)}\n`,
  )
  process.exitCode = asked ? 2 : 1
}
