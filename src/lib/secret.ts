import { createHash, randomBytes } from 'node:crypto'

export const sha256 = (text: string | Uint8Array): string => createHash('sha256').update(text).digest('hex')

/**
 * 256 random bits, so a plain hash is enough to keep it at rest. Secrets are looked up by hash and never compared
 * letter by letter, so that no duration tells how much of a guess was right.
 */
export const newSecret = (prefix: string): string => `${prefix}${randomBytes(32).toString('base64url')}`
