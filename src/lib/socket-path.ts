import { createHash } from 'node:crypto'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'

/** Unix sockets have short names: macOS takes 103 bytes, Linux 107. */
const longest = 103

/** Where the server of a data directory listens for the local command line. */
export function socketPath(dataDir: string, ipcName: string): string {
  if (process.platform === 'win32') {
    const mark = createHash('sha256').update(dataDir).digest('hex').slice(0, 12)
    return `\\\\.\\pipe\\${ipcName}-${mark}`
  }
  const usual = join(dataDir, 'run', `${ipcName}.sock`)
  if (Buffer.byteLength(usual) <= longest) return usual
  // Too deep a directory: a short name of one's own, told apart by the directory's hash.
  const mark = createHash('sha256').update(dataDir).digest('hex').slice(0, 16)
  const base = process.env['XDG_RUNTIME_DIR'] ?? join(tmpdir(), `signalbox-${userInfo().uid}`)
  return join(base, `${ipcName.slice(0, 20)}-${mark}.sock`)
}
