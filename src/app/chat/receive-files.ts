import type { FileRef, IncomingMessage } from '../../domain/chat/incoming.ts'
import { filesFolder, savedName } from '../../domain/chat/saved-file-name.ts'
import type { SavedFile } from '../../domain/chat/prompt-text.ts'
import type { InboxId } from '../../domain/chat/id.ts'
import type { Session } from '../../domain/session/schema.ts'
import type { Logger } from '../../lib/log.ts'
import type { Result } from '../../lib/result.ts'

/** Asks the platform that a file came from, and nobody else. */
export type FetchFile = (
  file: FileRef,
  mostBytes: number,
  stop: AbortSignal,
) => Promise<{ kind: 'file'; bytes: Buffer } | { kind: string; error: string }>

/** Saves a new file in the workspace of a session. */
export type SaveFile = (
  session: Pick<Session, 'id' | 'workspaceRoot'>,
  path: string,
  bytes: Buffer,
) => Promise<Result<void>>

export type WithFiles = { readonly id: InboxId; readonly message: IncomingMessage }

const MB = 1_000_000
const mostBytes = 20 * MB
const mostInAll = 50 * MB
const mostFiles = 20
/** Later messages of the thread wait for it. */
const limitMs = 60_000

/**
 * Files that people sent who may write, fetched into the workspace of the session they are for. Made again after a crash,
 * it saves the same files under the same names. What could not be fetched is named with the reason.
 */
export async function receiveFiles(
  { fetch, save, log }: { fetch: FetchFile | undefined; save: SaveFile; log: Logger },
  messages: readonly WithFiles[],
  session: Pick<Session, 'id' | 'workspaceRoot' | 'protocolMode'> & { readonly workspaceClaimed: boolean | number },
): Promise<Map<FileRef, SavedFile>> {
  const saved = new Map<FileRef, SavedFile>()
  // An agent that connects to us may run on another machine.
  if (!fetch || session.workspaceClaimed || session.protocolMode !== 'acp') return saved
  const fetching = fetch
  const stop = AbortSignal.timeout(limitMs)
  let left = mostInAll

  async function receive(file: FileRef, path: string): Promise<SavedFile> {
    const most = Math.min(mostBytes, left)
    if (saved.size >= mostFiles) return { problem: `more than ${mostFiles} files` }
    if (file.bytes !== null && file.bytes > most) return { problem: tooLarge }
    const fetched = await fetching(file, most, stop)
    if (!('bytes' in fetched)) {
      log.warn({ session: session.id, error: fetched.error }, 'a file from a chat was not fetched')
      return { problem: fetched.error.includes('larger than') ? tooLarge : 'it could not be fetched' }
    }
    left -= fetched.bytes.length
    const done = await save(session, path, fetched.bytes)
    if (!done.ok) log.warn({ session: session.id, code: done.fault.code }, 'a file from a chat was not saved')
    return done.ok ? { path } : { problem: 'it could not be saved' }
  }

  for (const { id, message } of messages) {
    // Ids begin with the time; their end tells them apart.
    const folder = `${filesFolder}/${id.slice(-12)}`
    for (const [index, file] of message.files.entries())
      saved.set(file, await receive(file, `${folder}/${savedName(index, file.name)}`))
  }
  return saved
}

const tooLarge = `larger than ${mostBytes / MB} MB, or more than ${mostInAll / MB} MB together`
