import { spawn } from 'node:child_process'
import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { fail, type Result } from '../lib/result.ts'
import type { Connection } from './connection.ts'
import { rotateLog } from './log-file.ts'
import type { Place } from './place.ts'

const patienceMs = 15_000

/** Starts a keeper and waits until one answers: ours, or that of another who was quicker. */
export async function startKeeper(
  place: Place,
  connect: () => Promise<Result<Connection | null>>,
): Promise<Result<Connection | null>> {
  const end = Date.now() + patienceMs
  let keeper = launchKeeper(place)
  while (Date.now() < end) {
    const connected = await connect()
    if (!connected.ok || connected.value) return connected
    // It ended and nobody answers: the one that was there before us was on its way out.
    if (keeper.failure()) return notStarted(place, keeper.failure())
    if (keeper.hasEnded()) {
      await pause(200)
      keeper = launchKeeper(place)
    }
    await pause(20)
  }
  return notStarted(place, 'nobody answers')
}

const notStarted = (place: Place, reason: string) =>
  fail({
    kind: 'unavailable',
    code: 'keeper_not_started',
    message: `The keeper did not start: ${reason}.`,
    hint: `See ${place.log}.`,
  })

/** `failure` is empty where it runs, or made room for another. */
type Launched = { hasEnded(): boolean; failure(): string }

function launchKeeper(place: Place): Launched {
  const output = openLog(place.log)
  let ended = false
  let failure = ''
  try {
    const child = spawn(process.execPath, [...thrift, entry(), place.dataDir], {
      cwd: place.dataDir,
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

/** Run from source the keeper is a source too; bundled it stands beside us. */
function entry(): string {
  const name = import.meta.url.endsWith('.ts') ? './main.ts' : './keeper.js'
  return fileURLToPath(new URL(name, import.meta.url))
}

// What flows through makes short-lived buffers: freed early, they keep the process small.
const thrift = ['--max-semi-space-size=1']
const thriftEnvironment = { MALLOC_ARENA_MAX: '1' }

const passedOn = /^(PATH|HOME|USER|LANG|TZ|TMPDIR|XDG_RUNTIME_DIR|SIGNALBOX_KEEPER_\w+)$/

/** No secrets of the server's, and not the mark of a child: a server that an agent started must not be swept with it. */
function keeperEnvironment(): Record<string, string> {
  const entries = Object.entries(process.env).filter(([name]) => passedOn.test(name))
  const passed = entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  return { ...thriftEnvironment, ...Object.fromEntries(passed) }
}

function openLog(path: string): number | null {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    rotateLog(path)
    return openSync(path, 'a', 0o600)
  } catch {
    return null
  }
}
