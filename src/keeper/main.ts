// The keeper: holds agents and terminals for a server, and outlives it. Started by the server with its data directory.
import { rmSync } from 'node:fs'
import { endProcess } from '../lib/end-process.ts'
import { openHost } from './host.ts'
import { lockKeeper } from './lock.ts'
import { createFileLog } from './log-file.ts'
import { placeOf } from './place.ts'
import { spoolLimits } from './spool.ts'

const usualLingerMs = 60_000

const number = (name: string, usual: number): number => {
  const value = Number(process.env[name])
  return process.env[name] && value >= 0 ? value : usual
}

async function keep(dataDir: string): Promise<void> {
  const place = placeOf(dataDir)
  const lock = lockKeeper(place.lock)
  if (!lock) return
  const log = createFileLog(place.log, { keeper: process.pid })
  for (const name of ['uncaughtException', 'unhandledRejection']) {
    // Whatever is wrong in here, agents at work must not die of it.
    process.on(name, (error) => log.error({ error: error instanceof Error ? error.stack : String(error) }, name))
  }
  for (const name of ['SIGHUP', 'SIGINT', 'SIGQUIT'])
    process.on(name, () => log.info({ signal: name }, 'signal ignored'))
  rmSync(place.spool, { recursive: true, force: true })
  const host = await openHost({
    place,
    limits: { ...spoolLimits, disk: number('SIGNALBOX_KEEPER_SPOOL_BYTES', spoolLimits.disk) },
    lingerMs: number('SIGNALBOX_KEEPER_LINGER_MS', usualLingerMs),
    log,
  })
  process.on('SIGTERM', () => void host.stop())
  log.info({ socket: place.socket }, 'the keeper is ready')
  await host.stopped
  lock[Symbol.dispose]()
  endProcess(0)
}

const dataDir = process.argv[2]
if (!dataDir) {
  console.error('The keeper is started by Signalbox, with its data directory.')
  process.exitCode = 2
} else
  try {
    await keep(dataDir)
  } catch (error) {
    console.error(error)
    endProcess(1)
  }
