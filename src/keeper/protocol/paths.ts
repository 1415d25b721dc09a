import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { socketPath } from '../../lib/socket-path.ts'

/** The files of a data directory's keeper. */
export type KeeperPaths = {
  dataDir: string
  /** Tells the processes of this data directory from those of others. */
  homeHash: string
  socket: string
  lock: string
  log: string
  spool: string
}

export function keeperPaths(dataDir: string): KeeperPaths {
  const run = join(dataDir, 'run')
  return {
    dataDir,
    get homeHash() {
      return shortHash(realPath(dataDir))
    },
    socket: socketPath(dataDir, 'keeper'),
    lock: join(run, 'keeper.lock'),
    log: join(run, 'keeper.log'),
    spool: join(run, 'spool'),
  }
}

/** Loaded when it is needed: a person who attaches needs none. */
const crypto = () => process.getBuiltinModule('node:crypto')

export const shortHash = (text: string): string => crypto().createHash('sha256').update(text).digest('hex').slice(0, 16)

/** The value of SIGNALBOX_CHILD for one child. */
export const childMark = (homeHash: string, id: string): string => `${homeHash}:${id}`

function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
