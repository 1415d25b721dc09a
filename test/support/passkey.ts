import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto'

export type Options = { challenge: string; rpId: string }
type Bend = {
  origin?: string
  rpId?: string
  type?: string
  challenge?: string
  /** 5: present and verified. */
  flags?: number
  count?: number
  crossOrigin?: boolean
}

const text = (bytes: Buffer): string => bytes.toString('base64url')

/** An authenticator in software, written from the WebAuthn standard, which can also lie. */
export class SoftPasskey {
  readonly credentialId = text(randomBytes(32))
  count = 0
  readonly #key: KeyObject
  readonly publicKey: string

  readonly origin: string

  constructor(origin: string) {
    this.origin = origin
    const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    this.#key = pair.privateKey
    this.publicKey = text(pair.publicKey.export({ format: 'der', type: 'spki' }))
  }

  #parts(type: string, options: Options, bend: Bend, credential: Buffer) {
    const client = Buffer.from(
      JSON.stringify({
        type: bend.type ?? type,
        challenge: bend.challenge ?? options.challenge,
        origin: bend.origin ?? this.origin,
        crossOrigin: bend.crossOrigin ?? false,
      }),
    )
    const flags = (bend.flags ?? 0x05) | (credential.length > 0 ? 0x40 : 0)
    const count = Buffer.alloc(4)
    count.writeUInt32BE(bend.count ?? this.count)
    const rpIdHash = createHash('sha256')
      .update(bend.rpId ?? options.rpId)
      .digest()
    return { client, data: Buffer.concat([rpIdHash, Buffer.from([flags]), count, credential]) }
  }

  create(options: Options, bend: Bend = {}) {
    const id = Buffer.from(this.credentialId, 'base64url')
    const length = Buffer.alloc(2)
    length.writeUInt16BE(id.length)
    const { client, data } = this.#parts(
      'webauthn.create',
      options,
      bend,
      Buffer.concat([Buffer.alloc(16), length, id]),
    )
    return {
      credentialId: this.credentialId,
      clientDataJSON: text(client),
      authenticatorData: text(data),
      publicKey: this.publicKey,
    }
  }

  get(options: Options, bend: Bend = {}) {
    const { client, data } = this.#parts('webauthn.get', options, bend, Buffer.alloc(0))
    const signed = Buffer.concat([data, createHash('sha256').update(client).digest()])
    return {
      credentialId: this.credentialId,
      clientDataJSON: text(client),
      authenticatorData: text(data),
      signature: text(sign('sha256', signed, this.#key)),
    }
  }
}
