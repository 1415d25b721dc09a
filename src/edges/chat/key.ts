import { randomBytes } from 'node:crypto'
import { linkSync, readFileSync, realpathSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fail, ok, type Result } from '../../lib/result.ts'
import { systemKeychain, type Keychain } from './keychain.ts'

/** The key that credentials of chat instances are encrypted with, and where it is. */
export type ChatKey = { readonly key: Buffer; readonly place: 'keychain' | 'file' }

export type KeyOptions = {
  readonly dataDir: string
  /** `auto`: in the keychain of the system if there is one. */
  readonly store: 'auto' | 'file'
  /** Several servers share the database, and so the key: it must be a file that can be copied. */
  readonly shared: boolean
  readonly keychain?: Keychain
}

const keyBytes = 32
/** In place of a key: the key is in the keychain. So a keychain that is locked one day never leads to a second key. */
const elsewhere = 'keychain'

/** The key, made at first use. Where it is made, it stays. */
export async function chatKey(options: KeyOptions): Promise<Result<ChatKey>> {
  const { dataDir, store, shared, keychain = systemKeychain() } = options
  const file = join(dataDir, 'chat-key')
  const known = contentOf(file)
  if (known !== null) return followed(known, file, dataDir, keychain)
  if (store === 'auto' && !shared) {
    const kept = await keepInKeychain(keychain, dataDir)
    // Another process may have made one at the same moment: the file says which one counts.
    if (kept !== null) return followed(made(file, elsewhere), file, dataDir, keychain)
  }
  return followed(made(file, newKey()), file, dataDir, keychain)
}

const newKey = (): string => randomBytes(keyBytes).toString('base64')
/** One entry for each data directory. */
const accountOf = (dataDir: string): string => `chat-key ${realpathSync(dataDir)}`
const decoded = (text: string | null | undefined): Buffer | null => {
  const key = Buffer.from(text ?? '', 'base64')
  return key.length === keyBytes ? key : null
}

/** Null if the keychain can't be used; then a file is. */
async function keepInKeychain(keychain: Keychain, dataDir: string): Promise<Buffer | null> {
  const account = accountOf(dataDir)
  const found = await keychain.read(account)
  if (found === null) return null
  const before = decoded(found.value)
  if (before) return before
  const written = await keychain.write(account, newKey())
  // Read again, by another process: what it only pretends to keep is not used.
  const again = written === null ? null : await keychain.read(account)
  return again !== null && again.value === written?.value ? decoded(again.value) : null
}

async function followed(content: string, file: string, dataDir: string, keychain: Keychain): Promise<Result<ChatKey>> {
  if (content === elsewhere) {
    const key = decoded((await keychain.read(accountOf(dataDir)))?.value)
    return key ? ok({ key, place: 'keychain' }) : fail(locked)
  }
  const key = decoded(content)
  if (key) return ok({ key, place: 'file' })
  return fail({
    kind: 'unavailable',
    code: 'chat_key_damaged',
    message: `${file} is not a key of ${keyBytes} bytes in base64.`,
    hint: 'Restore it from a backup. Without it, remove it and enter the credentials of all chats again.',
  })
}

const locked = {
  kind: 'unavailable' as const,
  code: 'chat_keychain_unavailable',
  message: 'The key for chat credentials is in the system keychain, which does not respond.',
  hint: 'Unlock the keychain, and start the server in the login session of that user.',
}

function contentOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** Two processes that start at once agree on one content: a link fails if the name is taken. */
function made(file: string, content: string): string {
  const own = `${file}.${process.pid}`
  writeFileSync(own, `${content}\n`, { mode: 0o600, flush: true })
  try {
    linkSync(own, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    unlinkSync(own)
  }
  const kept = contentOf(file)
  if (kept === null) throw new Error(`${file} was removed while it was made`)
  return kept
}
