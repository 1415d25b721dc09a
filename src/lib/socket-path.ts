import { lstatSync, mkdirSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import type { Fault } from './result.ts'

/** Loaded when it is needed: few paths are too long. */
const hashOf = (text: string): string =>
  process.getBuiltinModule('node:crypto').createHash('sha256').update(text).digest('hex')

/** Unix socket paths are short: macOS allows 103 bytes, Linux 107. */
const longest = 103

/** Where the server of a data directory listens for the local command line. */
export function socketPath(dataDir: string, ipcName: string): string {
  if (process.platform === 'win32') {
    const mark = hashOf(dataDir).slice(0, 12)
    return `\\\\.\\pipe\\${ipcName}-${mark}`
  }
  const usual = join(dataDir, 'run', `${ipcName}.sock`)
  if (Buffer.byteLength(usual) <= longest) return usual
  // The directory's path is too long: use a short name with the directory's hash.
  const mark = hashOf(dataDir).slice(0, 16)
  return join(sharedFolder(), `${ipcName.slice(0, 20)}-${mark}.sock`)
}

/** The folder for sockets if the data directory's path is too long. */
function sharedFolder(): string {
  const runtime = process.env['XDG_RUNTIME_DIR'] ?? ''
  return isAbsolute(runtime) ? runtime : join(tmpdir(), `signalbox-${process.getuid?.() ?? 0}`)
}

/**
 * Whether only we can use a socket's folder. Anyone can create folders in the temporary directory, and the owner of this
 * one could impersonate us. Creates it if `make` is set; otherwise a missing folder is fine.
 */
export function unsafeFolder(socket: string, make = false): Fault | null {
  const folder = dirname(socket)
  // Nobody else can access the data directory.
  if (process.platform === 'win32' || folder !== sharedFolder()) return null
  if (make) mkdirSync(folder, { recursive: true, mode: 0o700 })
  const found = lstatSync(folder, { throwIfNoEntry: false })
  if (found === undefined) return null
  if (!found.isDirectory()) return unsafe(folder, 'it is not a directory')
  if (found.uid !== process.getuid?.()) return unsafe(folder, 'it belongs to another user')
  if ((found.mode & 0o022) !== 0) return unsafe(folder, 'other users can write to it')
  const around = statSync(dirname(folder))
  const isSticky = (around.mode & 0o1000) !== 0
  const isOwned = around.uid === 0 || around.uid === found.uid
  if (!isOwned || ((around.mode & 0o022) !== 0 && !isSticky))
    return unsafe(folder, `other users can put another one in its place in ${dirname(folder)}`)
  return null
}

const unsafe = (folder: string, why: string): Fault => ({
  kind: 'unavailable',
  code: 'socket_folder_unsafe',
  message: `Signalbox can't use ${folder} for its sockets: ${why}.`,
  hint: 'Remove it, or use a data directory with a shorter path (SIGNALBOX_HOME, --home), so that they go there.',
})
