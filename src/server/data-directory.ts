import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { lockHome } from '../db/home-lock.ts'
import { newRandomId } from '../lib/id.ts'
import type { Fault, Result } from '../lib/result.ts'

/** Files that Signalbox or its operator puts there. */
const ours =
  /^(config\.toml|node-id|run|backups|undo|journal|checkpoints|chat-key|chat-adapters|signalbox\.db(-wal|-shm)?)$/

/** Makes the data directory private, and locks it: one server at a time. */
export async function prepareDataDirectory(dataDir: string): Promise<Result<Disposable>> {
  try {
    makeDirectory(dataDir)
    const isOpen = (statSync(dataDir).mode & 0o077) !== 0
    // Made private only if it holds our files alone: it may be a folder that others use.
    if (isOpen && !readdirSync(dataDir).every((name) => ours.test(name)))
      return { ok: false, fault: notPrivate(dataDir) }
    if (isOpen) chmodSync(dataDir, 0o700)
    return await lockHome(dataDir)
  } catch (error) {
    const message = `The data directory ${dataDir} can't be used: ${error instanceof Error ? error.message : String(error)}.`
    const hint = 'Make it writable, or name another with SIGNALBOX_HOME.'
    return { ok: false, fault: { kind: 'unavailable', code: 'data_directory_unusable', message, hint } }
  }
}

const notPrivate = (dataDir: string): Fault => ({
  kind: 'unavailable',
  code: 'data_directory_not_private',
  message: `The data directory ${dataDir} is accessible to others, and contains files that are not Signalbox's.`,
  hint: 'Set SIGNALBOX_HOME to a separate directory, or restrict this one: chmod 700',
})

/** Parent by parent: Node's recursive mkdir hangs on some file systems. */
function makeDirectory(path: string): void {
  if (existsSync(path)) return
  const parent = dirname(path)
  if (parent !== path) makeDirectory(parent)
  mkdirSync(path, { mode: 0o700 })
}

/** Made once: it names the cursors of this node's followers. */
export function nodeId(dataDir: string): string {
  const file = join(dataDir, 'node-id')
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    const id = newRandomId<string>()
    writeFileSync(file, `${id}\n`, { mode: 0o600 })
    return id
  }
}
