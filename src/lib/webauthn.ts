import { createHash, createPublicKey, timingSafeEqual, verify, type KeyObject } from 'node:crypto'
import * as z from 'zod'
import { parseJson } from './parse-json.ts'

/**
 * The server's half of WebAuthn for passkeys: no attestation is asked for or read, so nothing but Node's own
 * cryptography is needed. Every function says false or null for what it does not accept; the caller has the words.
 */

const ClientData = z.object({
  type: z.string(),
  challenge: z.string(),
  origin: z.string(),
  crossOrigin: z.boolean().optional(),
})

export type Expected = {
  readonly type: 'webauthn.create' | 'webauthn.get'
  /** The origin of our own page, as its request says. */
  readonly origin: string
  readonly rpId: string
}

/** Values in base64url, as the browser's own `toJSON` writes them. */
export type AuthenticatorAnswer = { readonly clientDataJSON: string; readonly authenticatorData: string }

/** What an answer says, once origin, host, presence and verification of the person hold. */
export type Checked = { readonly challenge: string; readonly signCount: number; readonly credentialId: string | null }

const flag = { present: 0x01, verified: 0x04, credential: 0x40 } as const
const headLength = 37
const aaguidLength = 16

export function checkAnswer(answer: AuthenticatorAnswer, expected: Expected): Checked | null {
  const parsed = parseJson(Buffer.from(answer.clientDataJSON, 'base64url').toString('utf8'), ClientData)
  if (!parsed.ok) return null
  const { type, challenge, origin, crossOrigin } = parsed.value
  if (type !== expected.type || origin !== expected.origin || crossOrigin === true) return null

  const data = Buffer.from(answer.authenticatorData, 'base64url')
  if (data.length < headLength) return null
  const rpIdHash = createHash('sha256').update(expected.rpId).digest()
  if (!timingSafeEqual(data.subarray(0, 32), rpIdHash)) return null
  const flags = data[32] ?? 0
  if ((flags & flag.present) === 0 || (flags & flag.verified) === 0) return null
  return { challenge, signCount: data.readUInt32BE(33), credentialId: credentialIn(data, flags) }
}

/** The id of a new credential. */
function credentialIn(data: Buffer, flags: number): string | null {
  const at = headLength + aaguidLength
  if ((flags & flag.credential) === 0 || data.length < at + 2) return null
  const length = data.readUInt16BE(at)
  const id = data.subarray(at + 2, at + 2 + length)
  return length > 0 && id.length === length ? id.toString('base64url') : null
}

/** ES256, EdDSA and RS256, which browsers are asked for in this order. */
export const algorithms = [-7, -8, -257] as const

const leastRsaBits = 2048

/** A public key as SPKI, if it is of a kind we ask for. */
export function readPublicKey(spki: string): KeyObject | null {
  let key: KeyObject
  try {
    key = createPublicKey({ key: Buffer.from(spki, 'base64url'), format: 'der', type: 'spki' })
  } catch {
    return null
  }
  const { asymmetricKeyType: kind, asymmetricKeyDetails: details } = key
  if (kind === 'ec') return details?.namedCurve === 'prime256v1' ? key : null
  if (kind === 'rsa') return (details?.modulusLength ?? 0) >= leastRsaBits ? key : null
  return kind === 'ed25519' ? key : null
}

/** Whether the holder of the key signed this answer. */
export function isSigned(answer: AuthenticatorAnswer, signature: string, spki: string): boolean {
  const key = readPublicKey(spki)
  if (!key) return false
  const client = createHash('sha256').update(Buffer.from(answer.clientDataJSON, 'base64url')).digest()
  const signed = Buffer.concat([Buffer.from(answer.authenticatorData, 'base64url'), client])
  try {
    const digest = key.asymmetricKeyType === 'ed25519' ? null : 'sha256'
    return verify(digest, signed, key, Buffer.from(signature, 'base64url'))
  } catch {
    return false
  }
}

/** The host a passkey belongs to. Browsers allow names only, not addresses. */
export function rpIdOf(origin: string): string | null {
  if (!URL.canParse(origin)) return null
  const { hostname, protocol } = new URL(origin)
  const isName = /[a-z]/i.test(hostname) && !hostname.startsWith('[')
  const isSecure = protocol === 'https:' || hostname === 'localhost'
  return isName && isSecure ? hostname : null
}
