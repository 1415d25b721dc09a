// The keeper: holds agents and terminals for a server, and outlives it. See README.md in this folder.
import { rmSync } from 'node:fs'
import { endProcess } from '../lib/end-process.ts'
import { openKeeper } from './keeper-process.ts'
import { lockKeeper } from './protocol/lock.ts'
import { createFileLog } from './log-file.ts'
import { keeperPaths } from './protocol/paths.ts'
import { spoolLimits } from './output/spool.ts'

const usualLingerMs = 60_000

const number = (name: string, usual: number): number => {
  const value = Number(process.env[name])
  return process.env[name] && value >= 0 ? value : usual
}

async function keep(dataDir: string): Promise<void> {
  const paths = keeperPaths(dataDir)
  const lock = lockKeeper(paths.lock)
  if (!lock) return
  const log = createFileLog(paths.log, { keeper: process.pid })
  for (const name of ['uncaughtException', 'unhandledRejection']) {
    // An error in the keeper must not end the agents it holds.
    process.on(name, (error) => log.error({ error: error instanceof Error ? error.stack : String(error) }, name))
  }
  for (const name of ['SIGHUP', 'SIGINT', 'SIGQUIT'])
    process.on(name, () => log.info({ signal: name }, 'signal ignored'))
  rmSync(paths.spool, { recursive: true, force: true })
  const host = await openKeeper({
    paths,
    limits: { ...spoolLimits, disk: number('SIGNALBOX_KEEPER_SPOOL_BYTES', spoolLimits.disk) },
    lingerMs: number('SIGNALBOX_KEEPER_LINGER_MS', usualLingerMs),
    log,
  })
  process.on('SIGTERM', () => void host.stop())
  log.info({ socket: paths.socket }, 'the keeper is ready')
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
