import { spawn } from 'node:child_process'
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { fail, type Result } from '../lib/result.ts'
import type { KeeperConnection } from './connection.ts'
import type { KeeperPaths } from '../keeper/protocol/paths.ts'

const patienceMs = 15_000

/** Starts a keeper and waits until one answers: ours, or one that another process started first. */
export async function startKeeper(
  paths: KeeperPaths,
  connect: () => Promise<Result<KeeperConnection | null>>,
): Promise<Result<KeeperConnection | null>> {
  const end = Date.now() + patienceMs
  let keeper = launchKeeper(paths)
  while (Date.now() < end) {
    const connected = await connect()
    if (!connected.ok || connected.value) return connected
    // It ended and none answers: the earlier keeper was shutting down and still had the lock.
    if (keeper.failure()) return notStarted(paths, keeper.failure())
    if (keeper.hasEnded()) {
      await pause(200)
      keeper = launchKeeper(paths)
    }
    await pause(20)
  }
  return notStarted(paths, 'no answer')
}

const notStarted = (paths: KeeperPaths, reason: string) =>
  fail({
    kind: 'unavailable',
    code: 'keeper_not_started',
    message: `The keeper did not start: ${reason}.`,
    hint: `See ${paths.log}.`,
  })

/** `failure` is empty if it runs, or if another keeper is already there. */
type LaunchedKeeper = { hasEnded(): boolean; failure(): string }

function launchKeeper(paths: KeeperPaths): LaunchedKeeper {
  const output = openLog(paths.log)
  let ended = false
  let failure = ''
  try {
    const child = spawn(process.execPath, [...smallHeap, entry(), paths.dataDir], {
      cwd: paths.dataDir,
      env: keeperEnvironment(),
      detached: true,
      stdio: ['ignore', output ?? 'ignore', output ?? 'ignore'],
    })
    child.on('error', (error) => {
      ended = true
      failure = error.message
    })
    child.on('exit', (code, signal) => {
      ended = true
      if (code !== 0) failure = `it ended with ${signal ?? `code ${code}`}`
    })
    child.unref()
  } catch (error) {
    ended = true
    failure = error instanceof Error ? error.message : String(error)
  } finally {
    if (output !== null) closeSync(output)
  }
  return { hasEnded: () => ended, failure: () => failure }
}

/** From source, the keeper is a source file too; bundled, it is in the same directory. */
function entry(): string {
  const name = import.meta.url.endsWith('.ts') ? '../keeper/main.ts' : './keeper.js'
  return fileURLToPath(new URL(name, import.meta.url))
}

// Output makes short-lived buffers. Freeing them early keeps the process small.
const smallHeap = ['--max-semi-space-size=1']
const smallHeapEnvironment = { MALLOC_ARENA_MAX: '1' }

const passedOn = /^(PATH|HOME|USER|LANG|TZ|TMPDIR|XDG_RUNTIME_DIR|SIGNALBOX_KEEPER_\w+)$/

/** No secrets of the server, and no child mark: a keeper whose server was started by an agent must not be ended with that agent. */
function keeperEnvironment(): Record<string, string> {
  const entries = Object.entries(process.env).filter(([name]) => passedOn.test(name))
  const passed = entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  return { ...smallHeapEnvironment, ...Object.fromEntries(passed) }
}

function openLog(path: string): number | null {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    return openSync(path, 'a', 0o600)
  } catch {
    return null
  }
}
