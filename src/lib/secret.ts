import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

export const sha256 = (text: string | Uint8Array): string => createHash('sha256').update(text).digest('hex')

/**
 * 256 random bits, so a plain hash is enough at rest. Secrets are looked up by hash or compared with `isSecretOf`, so
 * that timing does not reveal how much of a guess was right.
 */
export const newSecret = (prefix: string): string => `${prefix}${randomBytes(32).toString('base64url')}`

/** Whether this secret has that SHA-256; takes the same time for every guess. */
export const isSecretOf = (hash: string, guess: string): boolean => {
  const [known, made] = [Buffer.from(hash), Buffer.from(sha256(guess))]
  return known.length === made.length && timingSafeEqual(known, made)
}
