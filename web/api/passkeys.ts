/** The browser's half of WebAuthn. Values travel in base64url. */

export const canUsePasskeys = (): boolean =>
  typeof PublicKeyCredential === 'function' && typeof navigator.credentials?.get === 'function'

const toText = (bytes: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

const toBytes = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0))

/** The browser signs it as base64url: the same text as the server sent. */
const challengeOf = (text: string): Uint8Array<ArrayBuffer> => toBytes(text)

export type PasskeyOptions = {
  challenge: string
  rpId: string
  user: { id: string; displayName: string }
  algorithms: readonly number[]
  known: readonly string[]
}

/** Null if the browser's keys can't be read: then it is of a kind that we did not ask for. */
export async function makePasskey({ challenge, rpId, user, algorithms, known }: PasskeyOptions) {
  const made = await navigator.credentials.create({
    publicKey: {
      challenge: challengeOf(challenge),
      rp: { id: rpId, name: 'Signalbox' },
      user: { id: new TextEncoder().encode(user.id), name: user.displayName, displayName: user.displayName },
      pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg })),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      attestation: 'none',
      excludeCredentials: known.map((id) => ({ type: 'public-key', id: toBytes(id) })),
    },
  })
  const { rawId, response } = made as PublicKeyCredential & { response: AuthenticatorAttestationResponse }
  const publicKey = response.getPublicKey()
  if (publicKey === null) return null
  return {
    credentialId: toText(rawId),
    clientDataJSON: toText(response.clientDataJSON),
    authenticatorData: toText(response.getAuthenticatorData()),
    publicKey: toText(publicKey),
  }
}

export async function signWithPasskey({ challenge, rpId }: { challenge: string; rpId: string }) {
  const given = await navigator.credentials.get({
    publicKey: { challenge: challengeOf(challenge), rpId, userVerification: 'required' },
  })
  const { rawId, response } = given as PublicKeyCredential & { response: AuthenticatorAssertionResponse }
  return {
    credentialId: toText(rawId),
    clientDataJSON: toText(response.clientDataJSON),
    authenticatorData: toText(response.authenticatorData),
    signature: toText(response.signature),
  }
}

/** The person closed the browser's own dialog. */
export const isCancelled = (error: unknown): boolean => error instanceof Error && error.name === 'NotAllowedError'
