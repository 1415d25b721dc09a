import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import * as z from 'zod'
import { parseJson } from '../../lib/parse-json.ts'
import { fail, ok, type Result } from '../../lib/result.ts'
import type { Credentials } from './adapter.ts'

/** Encrypts credentials of chat instances for the database. */
export type Seal = {
  seal(credentials: Credentials, instanceId: string): string
  /** A fault if they were sealed with another key, or for another instance. */
  open(sealed: string, instanceId: string): Result<Credentials>
}

const Sealed = z.object({ v: z.literal(1), key: z.string(), iv: z.base64(), tag: z.base64(), data: z.base64() })
const Opened = z.record(z.string(), z.string())

/** AES-256-GCM. The id of the instance is authenticated too, so that a row can't be given the credentials of another. */
export function createSeal(key: Buffer): Seal {
  const keyId = createHash('sha256').update('signalbox chat key').update(key).digest('hex').slice(0, 16)
  return {
    seal(credentials, instanceId) {
      const iv = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(instanceId))
      const data = Buffer.concat([cipher.update(JSON.stringify(credentials), 'utf8'), cipher.final()])
      const [ivText, tag, text] = [iv, cipher.getAuthTag(), data].map((bytes) => bytes.toString('base64'))
      return JSON.stringify({ v: 1, key: keyId, iv: ivText, tag, data: text })
    },
    open(sealed, instanceId) {
      const read = parseJson(sealed, Sealed)
      if (!read.ok) return fail(unreadable)
      const { key: usedKey, iv, tag, data } = read.value
      if (usedKey !== keyId) return fail(otherKey)
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(iv, 'base64'))
          .setAAD(Buffer.from(instanceId))
          .setAuthTag(Buffer.from(tag, 'base64'))
        const text = Buffer.concat([decipher.update(Buffer.from(data, 'base64')), decipher.final()]).toString('utf8')
        const opened = parseJson(text, Opened)
        return opened.ok ? ok(opened.value) : fail(unreadable)
      } catch {
        return fail(unreadable)
      }
    },
  }
}

const otherKey = {
  kind: 'unavailable' as const,
  code: 'chat_key_missing',
  message: 'The credentials were encrypted with another key.',
  hint: 'Copy the file chat-key from the data directory of the server that has it, or enter the credentials again.',
}

const unreadable = {
  kind: 'unavailable' as const,
  code: 'chat_credentials_unreadable',
  message: "The stored credentials can't be read.",
  hint: 'Enter the credentials again.',
}
